/** @jsxImportSource hono/jsx */
/** `/keys`: the account's API keys, and a form that creates one. */

import { REVEAL_CREDITS, SCOPES, type Scope } from '../../../contract/endpoints.ts'
import { createKey, FIRST_KEY_LABEL, type KeyUse, keysOf } from '../../../money/accounts/keys.ts'
import { FieldError, MAX_NAME, validFields, validLine } from '../../../people/users/validation.ts'
import type { Form as Fields } from '../../http/form.ts'
import { type FormErrors, fieldText, withFormErrors } from '../../http/form-errors.ts'
import type { Page, Reply, SignedInContext } from '../../http/page.ts'
import { QuietLink, Submit } from '../../ui/actions.tsx'
import { Badge } from '../../ui/badges.tsx'
import { Field, Form, Problem, problemOf } from '../../ui/form.tsx'
import { Flash, numbers, personalPage, Section, Table } from '../../ui/page-parts.tsx'
import { isSuspended, NotWhileSuspended, refuseSuspended } from '../../ui/suspension.tsx'
import { Day, figure } from '../../ui/text.tsx'
import { newKeyPage } from './change-key.tsx'
import { LimitFields, Limits, limitChecks } from './limit-fields.tsx'

const MESSAGES = { revoked: 'The key is revoked. Calls with it are refused.' }

const SCOPE_TEXTS: Readonly<Record<Scope, string>> = {
  'read:metadata': 'Lists, profiles and search. Every call needs it.',
  'read:contacts': `Reveals of private channels, ${REVEAL_CREDITS} credits each for the first time.`,
}

/** Keys below which the form is in sight. */
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

/** Whether the key works. */
function KeyStatus({ of: key }: { of: KeyUse }) {
  if (!key.inForce) return <Badge>{key.isRevoked ? 'Revoked' : 'Expired'}</Badge>
  if (!key.endsAt) return <Badge>Active</Badge>
  return (
    <Badge tone="warn">
      Expires <Day at={key.endsAt} />
    </Badge>
  )
}

/** Links that rotate or revoke a key that works. */
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
  const chosen: readonly string[] = errors ? errors.form.getAll('scopes') : SCOPES
  return (
    <fieldset class="choices" aria-describedby={problem ? 'field-scopes-problem' : undefined}>
      <legend>Scopes</legend>
      {SCOPES.map((scope) => (
        <label>
          <input type="checkbox" name="scopes" value={scope} checked={chosen.includes(scope)} />
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
  const wanted = form.getAll('scopes')
  const known = SCOPES.filter((scope) => wanted.includes(scope))
  if (known.length !== new Set(wanted).size || !known.includes('read:metadata')) {
    throw new FieldError(
      'scopes',
      'Every key has read:metadata; read:contacts is the only other one.',
    )
  }
  return known
}
