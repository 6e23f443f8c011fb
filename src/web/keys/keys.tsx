/** @jsxImportSource hono/jsx */
/** `/keys`: the account's keys: make one, see it once, take its place, end it. */
import { createKey } from '../../accounts/accounts.ts'
import { type KeyUse, keysOf, revokeAccountKey, rotateKey } from '../../accounts/keys.ts'
import { ENDPOINTS, REVEAL_CREDITS, SCOPES, type Scope } from '../../contract/endpoints.ts'
import { FieldError, lineOf, MAX_NAME } from '../../users/fields.ts'
import { Badge } from '../components/badges.tsx'
import { Code } from '../components/code.tsx'
import { Field, Form, type Tried } from '../components/form.tsx'
import { Notice } from '../components/notice.tsx'
import { Table } from '../components/table.tsx'
import { Day, figure } from '../components/text.tsx'
import type { Form as Fields } from '../http/form.ts'
import { notThere, textOf, tryForm } from '../http/form-errors.ts'
import type { Child, Html } from '../http/html.ts'
import { type Page, type PersonalVisit, type Reply, redirect } from '../http/page.ts'

const SCOPE_TEXTS: Readonly<Record<Scope, string>> = {
  'read:metadata': 'Lists, profiles and search. Every call needs it.',
  'read:contacts': `Reveals of private channels, ${REVEAL_CREDITS} credits each for the first time.`,
}

/** Days that an old key may go on beside the new one; the first is what a form begins with. */
const GRACE_DAYS = [1, 0, 2, 3, 4, 5, 6, 7] as const
const DAY_SECONDS = 86_400

export async function keysPage(visit: PersonalVisit, tried?: Tried): Promise<Page> {
  const keys = await keysOf(visit.application.database, visit.session.account.id)
  const revoked = new URLSearchParams(visit.query).get('said') === 'revoked'
  return {
    title: 'API keys',
    isUnlisted: true,
    shape: 'wide',
    main: (
      <>
        <h1>API keys</h1>
        {revoked ? (
          <Notice tone="good">The key is revoked. It opens nothing any more.</Notice>
        ) : null}
        <p class="lead">
          A key makes calls for this account and spends its credits. It is shown once, when it is
          made.
        </p>
        {keys.length > 0 ? <KeyTable visit={visit} keys={keys} /> : null}
        <section aria-labelledby="new">
          <h2 id="new">{keys.length > 0 ? 'Make another' : 'Make your first key'}</h2>
          <Form visit={visit} action="/keys">
            <Field
              name="label"
              label="Label"
              autocomplete="off"
              value={keys.length > 0 ? '' : 'My first key'}
              maxlength={MAX_NAME}
              hint="What you will know it by, in this list and in the ledger."
              tried={tried}
            />
            <ScopeBoxes tried={tried} />
            <button class="button" type="submit">
              Make the key
            </button>
          </Form>
        </section>
      </>
    ),
  }
}

export function makeKey(visit: PersonalVisit, form: Fields): Promise<Reply> {
  const again = (tried: Tried) => keysPage(visit, tried)
  return tryForm(form, again, async () => {
    const label = lineOf('label', textOf(form, 'label'))
    const scopes = scopesOf(form)
    const { application, session } = visit
    const { key } = await createKey(application.database, session.account.id, label, scopes)
    return shownPage(visit, `“${label}” is ready`, key)
  })
}

/** `/keys/revoke?id=`: asks first. */
export async function revokePage(visit: PersonalVisit): Promise<Page> {
  const key = await keyOf(visit, new URLSearchParams(visit.query).get('id'))
  return {
    title: 'Revoke a key',
    isUnlisted: true,
    main: (
      <>
        <h1>Revoke “{key.label}”?</h1>
        <p class="lead">
          <code>{key.prefix}…</code> stops at its next request, and can't be brought back. What uses
          it is answered 401 from then on.
        </p>
        <Form visit={visit} action="/keys/revoke">
          <input type="hidden" name="id" value={key.id} />
          <Choice visit={visit} label="Revoke the key" danger />
        </Form>
      </>
    ),
  }
}

export async function revoke(visit: PersonalVisit, form: Fields): Promise<Reply> {
  const { application, session } = visit
  const id = textOf(form, 'id')
  if (!(await revokeAccountKey(application.database, session.account.id, id))) throw notThere('key')
  return redirect(visit.to('/keys?said=revoked'))
}

/** `/keys/rotate?id=` */
export async function rotatePage(visit: PersonalVisit): Promise<Page> {
  return rotateForm(visit, await keyOf(visit, new URLSearchParams(visit.query).get('id')))
}

export async function rotate(visit: PersonalVisit, form: Fields): Promise<Reply> {
  const old = await keyOf(visit, form.get('id'))
  const again = (tried: Tried) => rotateForm(visit, old, tried)
  return tryForm(form, again, async () => {
    const days = Number(textOf(form, 'grace') || Number.NaN)
    if (!GRACE_DAYS.some((each) => each === days)) {
      throw new FieldError('grace', 'A number of days from 0 to 7.')
    }
    const { application, session } = visit
    const grace = days * DAY_SECONDS
    const made = await rotateKey(application.database, session.account.id, old.id, grace)
    if (!made) throw notThere('key')
    return shownPage(visit, `A new key for “${old.label}”`, made.key, oldOne(days))
  })
}

function oldOne(days: number): string {
  if (days === 0) return 'The old key has ended.'
  return `The old key goes on for ${days === 1 ? 'a day' : `${days} days`}, then ends by itself.`
}

function rotateForm(visit: PersonalVisit, key: KeyUse, tried?: Tried): Page {
  const problem = tried?.problem.field === 'grace' ? tried.problem.message : undefined
  return {
    title: 'Rotate a key',
    isUnlisted: true,
    main: (
      <>
        <h1>Rotate “{key.label}”</h1>
        <p class="lead">
          A new key takes the place of <code>{key.prefix}…</code>, with its label and scopes. The
          old one goes on for as long as you need to exchange it.
        </p>
        <Form visit={visit} action="/keys/rotate">
          <input type="hidden" name="id" value={key.id} />
          <div class="field">
            <label for="field-grace">The old key ends</label>
            <select
              id="field-grace"
              name="grace"
              aria-invalid={problem ? 'true' : undefined}
              aria-describedby={problem ? 'field-grace-problem' : undefined}
            >
              {[...GRACE_DAYS].sort().map((days) => (
                <option value={String(days)} selected={days === GRACE_DAYS[0]}>
                  {days === 0 ? 'at once' : days === 1 ? 'in a day' : `in ${days} days`}
                </option>
              ))}
            </select>
            {problem ? (
              <p class="problem" id="field-grace-problem">
                {problem}
              </p>
            ) : null}
          </div>
          <Choice visit={visit} label="Make the new key" />
        </Form>
      </>
    ),
  }
}

/** The only page that ever shows a key; it is an answer to a post, and kept by nobody. */
function shownPage(visit: PersonalVisit, title: string, key: string, also?: string): Page {
  const url = `${visit.site.baseUrl}${ENDPOINTS.search.path}?q=capital&limit=3`
  return {
    title: 'Your new key',
    isUnlisted: true,
    main: (
      <div data-shown-once>
        <h1>{title}</h1>
        <Notice tone="warn">
          This is the only time the key is shown. Copy it to where you keep secrets.
          {also ? ` ${also}` : ''}
        </Notice>
        <Code isCommand text={key} />
        <h2>A first call</h2>
        <p>
          Paste this into a terminal. It takes {ENDPOINTS.search.credits} credits, and the answer
          says so.
        </p>
        <Code isCommand text={`curl -H "Authorization: Bearer ${key}" \\\n  "${url}"`} />
        <p class="actions">
          <a class="button quiet" href={visit.to('/keys')}>
            I have copied it
          </a>
        </p>
      </div>
    ),
  }
}

function KeyTable({ visit, keys }: { visit: PersonalVisit; keys: readonly KeyUse[] }): Html {
  return (
    <Table
      label="Keys"
      columns={[
        { label: 'Label' },
        { label: 'Key' },
        { label: 'State' },
        { label: 'Scopes' },
        { label: 'Created' },
        { label: 'Last used' },
        { label: 'Calls in 30 days', isNumber: true },
      ]}
      rows={keys.map((key) => [
        key.label,
        <code class="number">{key.prefix}…</code>,
        <KeyState visit={visit} of={key} />,
        key.scopes.join(', '),
        <Day at={key.createdAt} />,
        key.lastUsedAt ? <Day at={key.lastUsedAt} /> : 'not in 30 days',
        figure(key.calls30Days),
      ])}
    />
  )
}

function KeyState({ visit, of: key }: { visit: PersonalVisit; of: KeyUse }): Html {
  if (!key.inForce) return <Badge>ended</Badge>
  const link = (verb: string) => visit.to(`/keys/${verb}?id=${key.id}`)
  return (
    <>
      {key.endsAt ? (
        <Badge tone="warn">
          ends <Day at={key.endsAt} />
        </Badge>
      ) : (
        <a href={link('rotate')} aria-label={`Rotate ${key.label}`}>
          Rotate
        </a>
      )}{' '}
      <a href={link('revoke')} aria-label={`Revoke ${key.label}`}>
        Revoke
      </a>
    </>
  )
}

function ScopeBoxes({ tried }: { tried: Tried | undefined }): Html {
  const problem = tried?.problem.field === 'scopes' ? tried.problem.message : undefined
  const chosen: readonly string[] = tried ? tried.form.getAll('scopes') : SCOPES
  return (
    <fieldset class="choices" aria-describedby={problem ? 'field-scopes-problem' : undefined}>
      <legend>What it may do</legend>
      {SCOPES.map((scope) => (
        <label>
          <input type="checkbox" name="scopes" value={scope} checked={chosen.includes(scope)} />
          <span>
            <code>{scope}</code>
            <span class="hint">{SCOPE_TEXTS[scope]}</span>
          </span>
        </label>
      ))}
      {problem ? (
        <p class="problem" id="field-scopes-problem">
          {problem}
        </p>
      ) : null}
    </fieldset>
  )
}

/** The button that does it, and the way back. */
function Choice({
  visit,
  label,
  danger = false,
}: {
  visit: PersonalVisit
  label: Child
  danger?: boolean
}): Html {
  return (
    <p class="actions">
      <button class={danger ? 'button danger' : 'button'} type="submit">
        {label}
      </button>
      <a class="button quiet" href={visit.to('/keys')}>
        Leave it as it is
      </a>
    </p>
  )
}

/** @throws FieldError */
function scopesOf(form: Fields): Scope[] {
  const wanted = form.getAll('scopes')
  const known = SCOPES.filter((scope) => wanted.includes(scope))
  if (known.length !== new Set(wanted).size || !known.includes('read:metadata')) {
    throw new FieldError(
      'scopes',
      `Every key has read:metadata; read:contacts is the only other one.`,
    )
  }
  return known
}

/** The account's key in force. @throws PageError 404 for any other: somebody else's is no key here. */
async function keyOf({ application, session }: PersonalVisit, id: string | null): Promise<KeyUse> {
  const keys = await keysOf(application.database, session.account.id)
  const key = keys.find((each) => each.id === id && each.inForce)
  if (!key) throw notThere('key')
  return key
}
