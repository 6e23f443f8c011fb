/** @jsxImportSource hono/jsx */
/** `/keys`: the account's keys: make one, see it once, take its place, end it. */
import { createKey, type KeyUse, keysOf, revokeAccountKey, rotateKey } from '../../accounts/keys.ts'
import { ENDPOINTS, REVEAL_CREDITS, SCOPES, type Scope } from '../../contract/endpoints.ts'
import { FieldError, MAX_NAME, validLine } from '../../users/validation.ts'
import { Badge } from '../components/badges.tsx'
import { Code } from '../components/code.tsx'
import { Field, Form } from '../components/form.tsx'
import { Notice } from '../components/notice.tsx'
import { Table } from '../components/table.tsx'
import { Day, figure } from '../components/text.tsx'
import type { Form as Fields } from '../http/form.ts'
import { type FormErrors, fieldText, notFound, withFormErrors } from '../http/form-errors.ts'
import type { Child, Html } from '../http/html.ts'
import { type Page, type Reply, redirect, type SignedInContext } from '../http/page.ts'

const SCOPE_TEXTS: Readonly<Record<Scope, string>> = {
  'read:metadata': 'Lists, profiles and search. Every call needs it.',
  'read:contacts': `Reveals of private channels, ${REVEAL_CREDITS} credits each for the first time.`,
}

/** Days that an old key may go on beside the new one; the first is what a form begins with. */
const GRACE_DAYS = [1, 0, 2, 3, 4, 5, 6, 7] as const
const DAY_SECONDS = 86_400

export async function keysPage(context: SignedInContext, errors?: FormErrors): Promise<Page> {
  const keys = await keysOf(context.application.database, context.session.account.id)
  const revoked = new URLSearchParams(context.query).get('said') === 'revoked'
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
        {keys.length > 0 ? <KeyTable context={context} keys={keys} /> : null}
        <section aria-labelledby="new">
          <h2 id="new">{keys.length > 0 ? 'Make another' : 'Make your first key'}</h2>
          <Form context={context} action="/keys">
            <Field
              name="label"
              label="Label"
              autocomplete="off"
              value={keys.length > 0 ? '' : 'My first key'}
              maxlength={MAX_NAME}
              hint="What you will know it by, in this list and in the ledger."
              errors={errors}
            />
            <ScopeBoxes errors={errors} />
            <button class="button" type="submit">
              Make the key
            </button>
          </Form>
        </section>
      </>
    ),
  }
}

export function makeKey(context: SignedInContext, form: Fields): Promise<Reply> {
  const again = (errors: FormErrors) => keysPage(context, errors)
  return withFormErrors(form, again, async () => {
    const label = validLine('label', fieldText(form, 'label'))
    const scopes = scopesOf(form)
    const { application, session } = context
    const { key } = await createKey(application.database, session.account.id, label, scopes)
    return shownPage(context, `“${label}” is ready`, key)
  })
}

/** `/keys/revoke?id=`: asks first. */
export async function revokePage(context: SignedInContext): Promise<Page> {
  const key = await keyOf(context, new URLSearchParams(context.query).get('id'))
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
        <Form context={context} action="/keys/revoke">
          <input type="hidden" name="id" value={key.id} />
          <Choice context={context} label="Revoke the key" danger />
        </Form>
      </>
    ),
  }
}

export async function revoke(context: SignedInContext, form: Fields): Promise<Reply> {
  const { application, session } = context
  const id = fieldText(form, 'id')
  if (!(await revokeAccountKey(application.database, session.account.id, id))) throw notFound('key')
  return redirect(context.href('/keys?said=revoked'))
}

/** `/keys/rotate?id=` */
export async function rotatePage(context: SignedInContext): Promise<Page> {
  return rotateForm(context, await keyOf(context, new URLSearchParams(context.query).get('id')))
}

export async function rotate(context: SignedInContext, form: Fields): Promise<Reply> {
  const old = await keyOf(context, form.get('id'))
  const again = (errors: FormErrors) => rotateForm(context, old, errors)
  return withFormErrors(form, again, async () => {
    const days = Number(fieldText(form, 'grace') || Number.NaN)
    if (!GRACE_DAYS.some((each) => each === days)) {
      throw new FieldError('grace', 'A number of days from 0 to 7.')
    }
    const { application, session } = context
    const grace = days * DAY_SECONDS
    const made = await rotateKey(application.database, session.account.id, old.id, grace)
    if (!made) throw notFound('key')
    return shownPage(context, `A new key for “${old.label}”`, made.key, oldOne(days))
  })
}

function oldOne(days: number): string {
  if (days === 0) return 'The old key has ended.'
  return `The old key goes on for ${days === 1 ? 'a day' : `${days} days`}, then ends by itself.`
}

function rotateForm(context: SignedInContext, key: KeyUse, errors?: FormErrors): Page {
  const problem = errors?.problem.field === 'grace' ? errors.problem.message : undefined
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
        <Form context={context} action="/keys/rotate">
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
          <Choice context={context} label="Make the new key" />
        </Form>
      </>
    ),
  }
}

/** The only page that ever shows a key; it is an answer to a post, and kept by nobody. */
function shownPage(context: SignedInContext, title: string, key: string, also?: string): Page {
  const url = `${context.site.baseUrl}${ENDPOINTS.search.path}?q=capital&limit=3`
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
          <a class="button quiet" href={context.href('/keys')}>
            I have copied it
          </a>
        </p>
      </div>
    ),
  }
}

function KeyTable({ context, keys }: { context: SignedInContext; keys: readonly KeyUse[] }): Html {
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
        <KeyState context={context} of={key} />,
        key.scopes.join(', '),
        <Day at={key.createdAt} />,
        key.lastUsedAt ? <Day at={key.lastUsedAt} /> : 'not in 30 days',
        figure(key.calls30Days),
      ])}
    />
  )
}

function KeyState({ context, of: key }: { context: SignedInContext; of: KeyUse }): Html {
  if (!key.inForce) return <Badge>ended</Badge>
  const link = (verb: string) => context.href(`/keys/${verb}?id=${key.id}`)
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

function ScopeBoxes({ errors }: { errors: FormErrors | undefined }): Html {
  const problem = errors?.problem.field === 'scopes' ? errors.problem.message : undefined
  const chosen: readonly string[] = errors ? errors.form.getAll('scopes') : SCOPES
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
  context,
  label,
  danger = false,
}: {
  context: SignedInContext
  label: Child
  danger?: boolean
}): Html {
  return (
    <p class="actions">
      <button class={danger ? 'button danger' : 'button'} type="submit">
        {label}
      </button>
      <a class="button quiet" href={context.href('/keys')}>
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
async function keyOf(
  { application, session }: SignedInContext,
  id: string | null,
): Promise<KeyUse> {
  const keys = await keysOf(application.database, session.account.id)
  const key = keys.find((each) => each.id === id && each.inForce)
  if (!key) throw notFound('key')
  return key
}
