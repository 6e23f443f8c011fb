/** @jsxImportSource hono/jsx */
/** `/keys`: the account's API keys with their limits, a form that creates one, `/keys/revoke?id=` and `/keys/rotate?id=`. */
import { ENDPOINTS, REVEAL_CREDITS, SCOPES, type Scope } from '../../../contract/endpoints.ts'
import { CAP_PERIODS } from '../../../contract/keys.ts'
import { uuidOf } from '../../../database/uuid.ts'
import {
  type KeyLimits,
  NETWORKS_EXPECTED,
  networksOf,
} from '../../../money/accounts/key-limits.ts'
import {
  createKey,
  FIRST_KEY_LABEL,
  type KeyUse,
  keysOf,
  revokeAccountKey,
  rotateKey,
} from '../../../money/accounts/keys.ts'
import { FieldError, MAX_NAME, validFields, validLine } from '../../../people/users/validation.ts'
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
import { Confirmation, QuietLink, Submit } from '../../ui/actions.tsx'
import { Badge } from '../../ui/badges.tsx'
import { Field, Form, Problem, problemOf, Select } from '../../ui/form.tsx'
import {
  Code,
  Flash,
  numbers,
  personalPage,
  Section,
  shownOncePage,
  Table,
} from '../../ui/page-parts.tsx'
import { isSuspended, NotWhileSuspended, refuseSuspended } from '../../ui/suspension.tsx'
import { Day, figure, formatDay } from '../../ui/text.tsx'

const MESSAGES = { revoked: 'The key is revoked. Calls with it are refused.' }

const SCOPE_TEXTS: Readonly<Record<Scope, string>> = {
  'read:metadata': 'Lists, profiles and search. Every call needs it.',
  'read:contacts': `Reveals of private channels, ${REVEAL_CREDITS} credits each for the first time.`,
}

/** Keys up to which the form is in sight without a link. */
const FEW = 3

const COLUMNS = [
  ...['Label', 'Key', 'Status', 'Scopes', 'Limits', 'Created', 'Last used'],
  numbers('Calls in 30 days'),
  { label: 'Change', card: 'last' } as const,
]

export async function keysPage(context: SignedInContext, errors?: FormErrors): Promise<Page> {
  const keys = await keysOf(context.application.database, context.session.account.id)
  const isFirst = keys.length === 0
  return personalPage(
    { title: 'API keys', shape: 'wide' },
    <>
      <Flash context={context} messages={MESSAGES} />
      <p class="lead">
        Calls with a key spend this account’s credits. A key is shown once, when it is created.
      </p>
      {keys.length > FEW && !isSuspended(context) ? (
        <p class="actions">
          <QuietLink href="#new">Create another key</QuietLink>
        </p>
      ) : null}
      {isFirst ? null : (
        <Table
          label="Keys"
          isCards
          columns={COLUMNS}
          rows={keys.map((key) => cellsOf(context, key))}
        />
      )}
      <Section id="new" title={isFirst ? 'Create your first key' : 'Create another key'}>
        {isSuspended(context) ? (
          <NotWhileSuspended />
        ) : (
          <KeyForm context={context} isFirst={isFirst} errors={errors} />
        )}
      </Section>
    </>,
  )
}

interface KeyFormProps {
  context: SignedInContext
  isFirst: boolean
  errors: FormErrors | undefined
}

function KeyForm({ context, isFirst, errors }: KeyFormProps) {
  return (
    <Form context={context} action="/keys">
      <Field
        name="label"
        label="Label"
        autocomplete="off"
        value={isFirst ? FIRST_KEY_LABEL : ''}
        maxlength={MAX_NAME}
        hint="Names the key here and in the transactions."
        errors={errors}
      />
      <ScopeBoxes errors={errors} />
      <LimitFields errors={errors} />
      <Submit>Create key</Submit>
    </Form>
  )
}

export async function makeKey(context: SignedInContext, form: Fields): Promise<Reply> {
  refuseSuspended(context)
  const again = (errors: FormErrors) => keysPage(context, errors)
  return withFormErrors(form, again, async () => {
    const { label, scopes, ...limits } = await validFields({
      label: () => validLine('label', fieldText(form, 'label')),
      scopes: () => scopesOf(form),
      ...limitChecks(form),
    })
    const { application, session } = context
    const { id } = session.account
    const { key } = await createKey(application.database, id, label, scopes, limits)
    return newKeyPage(context, `“${label}” is ready`, key)
  })
}

function cellsOf(context: SignedInContext, key: KeyUse) {
  return [
    <bdi>{key.label}</bdi>,
    <code class="number">{key.prefix}…</code>,
    <KeyStatus of={key} />,
    key.scopes.length > 0 ? key.scopes.join(', ') : 'None',
    <Limits of={key} />,
    <Day at={key.createdAt} />,
    key.lastUsedAt ? <Day at={key.lastUsedAt} /> : 'Not in 30 days',
    figure(key.calls30Days),
    <KeyChanges context={context} of={key} />,
  ]
}

function KeyStatus({ of: key }: { of: KeyUse }) {
  if (!key.inForce) return <Badge>{key.isRevoked ? 'Revoked' : 'Expired'}</Badge>
  if (!key.endsAt) return <Badge>Active</Badge>
  return (
    <Badge tone="warn">
      Expires <Day at={key.endsAt} />
    </Badge>
  )
}

function KeyChanges({ context, of: key }: { context: SignedInContext; of: KeyUse }) {
  if (!key.inForce) return null
  const href = (verb: string) => context.href(`/keys/${verb}?id=${key.id}`)
  return (
    <span class="unbroken verbs">
      {key.isRevoked || isSuspended(context) ? null : (
        <a href={href('rotate')} aria-label={`Rotate ${key.label}`}>
          Rotate
        </a>
      )}{' '}
      <a href={href('revoke')} aria-label={`Revoke ${key.label}`}>
        Revoke
      </a>
    </span>
  )
}

function ScopeBoxes({ errors }: { errors: FormErrors | undefined }) {
  const problem = problemOf(errors, 'scopes')
  const selected: readonly string[] = errors ? errors.form.getAll('scopes') : SCOPES
  return (
    <fieldset class="choices" aria-describedby={problem ? 'field-scopes-problem' : undefined}>
      <legend>Scopes</legend>
      {SCOPES.map((scope) => (
        <label>
          <input type="checkbox" name="scopes" value={scope} checked={selected.includes(scope)} />
          <span>
            <code>{scope}</code>
            <span class="hint">{SCOPE_TEXTS[scope]}</span>
          </span>
        </label>
      ))}
      <Problem name="scopes" errors={errors} />
    </fieldset>
  )
}

/** @throws FieldError */
function scopesOf(form: Fields): Scope[] {
  const values = form.getAll('scopes')
  const scopes = SCOPES.filter((scope) => values.includes(scope))
  if (scopes.length !== new Set(values).size || !scopes.includes('read:metadata')) {
    throw new FieldError(
      'scopes',
      'Every key has read:metadata; read:contacts is the only other one.',
    )
  }
  return scopes
}

/** Lifetimes to choose from, in days. */
const DAYS: readonly number[] = [7, 30, 90, 180, 365]
const DAY_SECONDS = 86_400

const MAX_CAP = 1_000_000_000

/** Networks listed without folding. */
const SHOWN_NETWORKS = 3

/** Fields for limits. Folded, because most keys have none, unless a refused form filled one in. */
function LimitFields({ errors }: { errors: FormErrors | undefined }) {
  const sent = (name: string) => errors?.form.get(name) ?? undefined
  const isOpen = ['expires', 'cap', 'networks'].some((name) => sent(name))
  return (
    <details class="limits" open={isOpen}>
      <summary>Limits (optional)</summary>
      <div class="fields">
        <Select
          name="expires"
          label="Expires"
          none="Never"
          options={DAYS.map((days) => ({ value: String(days), label: `in ${days} days` }))}
          chosen={sent('expires')}
          errors={errors}
        />
        <Field
          name="cap"
          label="Spending limit, in credits"
          isOptional
          maxlength={10}
          hint="Calls over the limit are refused and cost nothing. Leave empty for no limit."
          errors={errors}
        />
        <Select
          name="capPeriod"
          label="The limit resets"
          options={CAP_PERIODS.map((period) => ({ value: period, label: `each ${period} (UTC)` }))}
          chosen={sent('capPeriod')}
          errors={errors}
        />
        <Field
          name="networks"
          label="Allowed addresses"
          isOptional
          maxlength={1_000}
          placeholder="203.0.113.0/24, 2001:db8::/32"
          hint="Addresses or networks, separated by commas. Leave empty to allow any."
          errors={errors}
        />
      </div>
    </details>
  )
}

/** Checks for `validFields`. */
function limitChecks(form: Fields) {
  return {
    expiresSeconds: () => secondsOf(fieldText(form, 'expires')),
    cap: () => capOf(fieldText(form, 'cap').trim(), fieldText(form, 'capPeriod')),
    networks: () => networksIn(fieldText(form, 'networks')),
  }
}

function secondsOf(days: string): number | undefined {
  if (days === '') return undefined
  if (!DAYS.includes(Number(days))) {
    throw new FieldError('expires', `Never, or in ${DAYS.join(', ')} days.`)
  }
  return Number(days) * DAY_SECONDS
}

function capOf(credits: string, periodName: string): KeyLimits['cap'] {
  if (credits === '') return undefined
  if (!/^\d+$/.test(credits) || Number(credits) < 1 || Number(credits) > MAX_CAP) {
    throw new FieldError('cap', `A whole number of credits from 1 to ${MAX_CAP}.`)
  }
  const period = CAP_PERIODS.find((each) => each === periodName)
  if (!period) throw new FieldError('capPeriod', 'A day or a month.')
  return { credits: Number(credits), period }
}

function networksIn(text: string): KeyLimits['networks'] {
  if (text.trim() === '') return undefined
  const networks = networksOf(text)
  if (!networks) throw new FieldError('networks', `Please name ${NETWORKS_EXPECTED}.`)
  return networks
}

export function Limits({ of: { cap, networks } }: { of: KeyUse }) {
  if (!cap && !networks) return <>None</>
  return (
    <>
      {cap ? (
        <>
          {figure(cap.spent)} of {figure(cap.credits)} credits this {cap.period}; resets{' '}
          <Day at={cap.renewsAt} />
          {networks ? '. ' : ''}
        </>
      ) : null}
      {networks ? <Networks of={networks} /> : null}
    </>
  )
}

function Networks({ of: networks }: { of: readonly string[] }) {
  const all = networks.join(', ')
  if (networks.length <= SHOWN_NETWORKS) return <>From {all}</>
  return (
    <details>
      <summary>From {networks.length} networks</summary>
      {all}
    </details>
  )
}

/** Days that the old key keeps working. */
const GRACE_DAYS: readonly number[] = [0, 1, 2, 3, 4, 5, 6, 7]
const DEFAULT_GRACE_DAYS = 1

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
    const rotation = await rotateKey(application.database, session.account.id, old.id, grace)
    if (!rotation) throw notFound('key')
    const former = days === 0 ? 'has expired' : `expires on ${formatDay(rotation.formerEndsAt)}`
    const own = rotation.expiresAt
      ? ` The new one expires on ${formatDay(rotation.expiresAt)}.`
      : ''
    const note = `The old key ${former}.${own}`
    return newKeyPage(context, `A new key for “${old.label}”`, rotation.key, note)
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
            Rotating doesn’t extend it: both stop on <Day at={key.expiresAt} /> at the latest.
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

/** @throws PageError 404 unless the id is a valid key of the account */
async function keyOf(
  { application, session }: SignedInContext,
  id: string | null,
): Promise<KeyUse> {
  const keys = await keysOf(application.database, session.account.id)
  const key = keys.find((each) => each.id === uuidOf(id) && each.inForce)
  if (!key) throw notFound('key')
  return key
}

/** Page that shows a new key once, and a first call. @param note about the key that it replaces */
function newKeyPage(context: SignedInContext, heading: string, key: string, note = ''): Page {
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
