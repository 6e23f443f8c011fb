/** @jsxImportSource hono/jsx */
/** `/keys/revoke?id=` and `/keys/rotate?id=`: each asks for confirmation first. */

import { ENDPOINTS } from '../../../contract/endpoints.ts'
import { type KeyUse, keysOf, revokeAccountKey, rotateKey } from '../../../money/accounts/keys.ts'
import { FieldError } from '../../../people/users/validation.ts'
import { exampleValues } from '../../docs/example-values.ts'
import { firstCallUrl, NothingYet } from '../../docs/examples.tsx'
import type { Form as Fields } from '../../http/form.ts'
import {
  changeAction,
  type FormErrors,
  fieldText,
  notFound,
  withFormErrors,
} from '../../http/form-errors.ts'
import type { Page, Reply, SignedInContext } from '../../http/page.ts'
import { Confirmation } from '../../ui/actions.tsx'
import { Select } from '../../ui/form.tsx'
import { Code, personalPage, shownOncePage } from '../../ui/page-parts.tsx'
import { refuseSuspended } from '../../ui/suspension.tsx'
import { Day, formatDay } from '../../ui/text.tsx'

/** The days that both keys work after a rotation. */
const GRACE_DAYS: readonly number[] = [0, 1, 2, 3, 4, 5, 6, 7]
const DEFAULT_GRACE_DAYS = 1
const DAY_SECONDS = 86_400

export async function revokePage(context: SignedInContext): Promise<Page> {
  const key = await keyOf(context, new URLSearchParams(context.query).get('id'))
  return personalPage(
    { title: 'Revoke a key', heading: `Revoke “${key.label}”?` },
    <>
      <p class="lead">
        <code>{key.prefix}…</code> stops at its next request: the API answers 401 to whatever uses
        it. This can't be undone.
      </p>
      <Confirmation context={context} action="/keys/revoke" id={key.id} label="Revoke key" />
    </>,
  )
}

export const revoke = changeAction(
  (database, { account }, id) => revokeAccountKey(database, account.id, id),
  { what: 'key', next: '/keys?said=revoked' },
)

export async function rotatePage(context: SignedInContext): Promise<Page> {
  refuseSuspended(context)
  return rotateForm(context, await keyOf(context, new URLSearchParams(context.query).get('id')))
}

export async function rotate(context: SignedInContext, form: Fields): Promise<Reply> {
  refuseSuspended(context)
  const old = await keyOf(context, form.get('id'))
  const again = (errors: FormErrors) => rotateForm(context, old, errors)
  return withFormErrors(form, again, async () => {
    const days = Number(fieldText(form, 'grace') || Number.NaN)
    if (!GRACE_DAYS.includes(days)) throw new FieldError('grace', 'A number of days from 0 to 7.')
    const { application, session } = context
    const grace = days * DAY_SECONDS
    const made = await rotateKey(application.database, session.account.id, old.id, grace)
    if (!made) throw notFound('key')
    const former = days === 0 ? 'has expired' : `expires on ${formatDay(made.formerEndsAt)}`
    const own = made.expiresAt ? ` The new one expires on ${formatDay(made.expiresAt)}.` : ''
    const note = `The old key ${former}.${own}`
    return newKeyPage(context, `A new key for “${old.label}”`, made.key, note)
  })
}

function rotateForm(context: SignedInContext, key: KeyUse, errors?: FormErrors): Page {
  return personalPage(
    { title: 'Rotate a key', heading: `Rotate “${key.label}”` },
    <>
      <p class="lead">
        A new key with the same label, scopes and limits replaces <code>{key.prefix}…</code>. Both
        work until the old one expires.
        {key.expiresAt ? (
          <>
            {' '}
            Rotating moves no end: both stop on <Day at={key.expiresAt} /> at the latest.
          </>
        ) : null}
      </p>
      <Confirmation
        context={context}
        action="/keys/rotate"
        id={key.id}
        label="Rotate key"
        isDangerous={false}
      >
        <Select
          name="grace"
          label="The old key expires"
          options={GRACE_DAYS.map((days) => ({ value: String(days), label: inDays(days) }))}
          chosen={String(DEFAULT_GRACE_DAYS)}
          errors={errors}
        />
      </Confirmation>
    </>,
  )
}

function inDays(days: number): string {
  if (days === 0) return 'now'
  return days === 1 ? 'in a day' : `in ${days} days`
}

/** The account's key in force. @throws PageError 404 for any other id, another account's key included */
async function keyOf(
  { application, session }: SignedInContext,
  id: string | null,
): Promise<KeyUse> {
  const keys = await keysOf(application.database, session.account.id)
  const key = keys.find((each) => each.id === id && each.inForce)
  if (!key) throw notFound('key')
  return key
}

/** The page that shows a new key, once, and a first call with it. @param note what happens to the key that this one replaces */
export function newKeyPage(
  context: SignedInContext,
  heading: string,
  key: string,
  note = '',
): Page {
  const examples = exampleValues(context.directory)
  const url = firstCallUrl(context.site.baseUrl, examples)
  const warning = `Copy the key now and store it safely: it is not shown again. ${note}`.trim()
  return shownOncePage(
    context,
    { title: 'Your new API key', heading, warning, secret: key, next: '/keys' },
    <>
      <h2>A first call</h2>
      <p>
        Paste this into a terminal. It costs {ENDPOINTS.search.credits} credits, as its answer says.
      </p>
      <Code isCommand text={`curl -H "Authorization: Bearer ${key}" \\\n  "${url}"`} />
      <NothingYet isShown={!examples.search} />
    </>,
  )
}
