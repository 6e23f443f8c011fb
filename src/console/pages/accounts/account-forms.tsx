/** @jsxImportSource hono/jsx */
/** The forms of an account's page for what can be undone; `confirm.tsx` asks once more before the rest. */
import { GRANT_SOURCES, PLANS, type PlanName, TIERS, type Tier } from '../../../contract/tiers.ts'
import { errorCode } from '../../../database/client.ts'
import type { Account } from '../../../money/accounts/accounts.ts'
import type { Expiry } from '../../../money/accounts/credits.ts'
import { validAmount } from '../../../people/users/low-balance.ts'
import { FieldError, MAX_NAME, validFields, validLine } from '../../../people/users/validation.ts'
import type { Form as Fields } from '../../../site/http/form.ts'
import {
  type FormActions,
  type FormErrors,
  fieldText,
  notFound,
} from '../../../site/http/form-errors.ts'
import type { Child } from '../../../site/http/html.ts'
import { type Reply, redirect, type SignedInContext } from '../../../site/http/page.ts'
import { PageError } from '../../../site/http/page-error.ts'
import { sourceName } from '../../../site/pages/billing/transactions.tsx'
import { Submit } from '../../../site/ui/actions.tsx'
import { Checkbox, TextArea } from '../../../site/ui/fields.tsx'
import { Field, Form, IdempotencyField, Select } from '../../../site/ui/form.tsx'
import { figure, humanize, Moment } from '../../../site/ui/text.tsx'
import {
  type AccountNote,
  endPlan,
  grantCredits,
  leftText,
  MAX_NOTE,
  MAX_REASON,
  noteAccount,
  resumeAccount,
  setAccount,
  startPlan,
  suspendAccount,
  validNote,
} from '../../acts/accounts.ts'
import { performed, performedOnce } from '../../ui/frame.tsx'
import { accountPath } from '../../ui/paths.ts'

const DAY_SECONDS = 86_400
/** Days after which credits may end, to choose from. */
const DAYS: readonly number[] = [7, 30, 90, 180, 365]
const PLAN_NAMES = Object.keys(PLANS) as PlanName[]

interface AccountFormsProps {
  context: SignedInContext
  account: Account
  errors: FormErrors | undefined
}

/** True if the form is shown again because one of its fields was refused. */
const isRefused = (action: string, errors: FormErrors | undefined) =>
  errors?.form.get('action') === action

export function AccountForms(props: AccountFormsProps) {
  return (
    <div class="columns even">
      <GrantForm {...props} />
      <PlanForm {...props} />
      <SetForm {...props} />
      <SuspendForm {...props} />
    </div>
  )
}

function GrantForm({ context, account: { id }, errors }: AccountFormsProps) {
  const sent = (name: string) => errors?.form.get(name) ?? undefined
  return (
    <Folded id="grant" title="Give credits" isOpen={isRefused('grant', errors)}>
      <Form context={context} action={accountPath(id)}>
        <IdempotencyField />
        <Field
          name="amount"
          label="Credits"
          inputmode="numeric"
          autocomplete="off"
          maxlength={13}
          errors={errors}
        />
        <Select
          name="source"
          label="What they are"
          options={GRANT_SOURCES.map((value) => ({ value, label: sourceName(value) }))}
          chosen={sent('source') ?? 'topup'}
          errors={errors}
        />
        <Select
          name="ends"
          label="They end"
          none="trial 7 days, plan 30, else never"
          options={[
            { value: 'never', label: 'never' },
            ...DAYS.map((days) => ({ value: String(days), label: `in ${days} days` })),
          ]}
          chosen={sent('ends')}
          errors={errors}
        />
        <Submit action="grant">Give credits</Submit>
      </Form>
    </Folded>
  )
}

function PlanForm({ context, account, errors }: AccountFormsProps) {
  const isRenewed = errors?.form.get('renews') === 'yes'
  return (
    <Folded
      id="plan-form"
      title={account.plan ? 'Start another plan' : 'Start a plan'}
      isOpen={isRefused('plan', errors)}
    >
      <Form context={context} action={accountPath(account.id)}>
        <IdempotencyField />
        <Select
          name="plan"
          label="Plan"
          options={PLAN_NAMES.map((value) => ({ value, label: humanize(value) }))}
          chosen={errors?.form.get('plan') ?? account.plan ?? undefined}
          errors={errors}
        />
        <Checkbox
          name="renews"
          isTicked={isRenewed}
          hint="Else the tier falls back to free when its month ends."
        >
          It renews
        </Checkbox>
        <Submit action="plan">Start now</Submit>
      </Form>
    </Folded>
  )
}

function SetForm({ context, account, errors }: AccountFormsProps) {
  const { id, tier, name, organization } = account
  const was = { tier, name, organization: organization ?? '' }
  return (
    <Folded id="set" title="Tier and names" isOpen={isRefused('set', errors)}>
      <Form context={context} action={accountPath(id)}>
        {Object.entries(was).map(([field, value]) => (
          <input type="hidden" name={`${field}Was`} value={value} />
        ))}
        <Select
          name="tier"
          label="Tier"
          options={TIERS.map((value) => ({ value, label: humanize(value) }))}
          chosen={errors?.form.get('tier') ?? tier}
          errors={errors}
        />
        <Field name="name" label="Name" value={name} maxlength={MAX_NAME} errors={errors} />
        <Field
          isOptional
          name="organization"
          label="Organization"
          value={was.organization}
          maxlength={MAX_NAME}
          errors={errors}
        />
        <Submit action="set">Save</Submit>
      </Form>
    </Folded>
  )
}

/** Actions of the page's forms. */
export const ACCOUNT_ACTIONS: FormActions = {
  async grant(context, form) {
    const { amount, source, ends } = await validFields({
      amount: () => amountIn(form),
      source: () => oneOf('source', fieldText(form, 'source'), GRANT_SOURCES),
      ends: () => expiryIn(fieldText(form, 'ends')),
    })
    const act = grantCredits(context.id, amount, source, ends)
    return doneOnce(context, 'granted', await orTooLarge(() => performedOnce(context, form, act)))
  },
  async plan(context, form) {
    const plan = oneOf('plan', fieldText(form, 'plan'), PLAN_NAMES)
    const act = startPlan(context.id, plan, form.get('renews') === 'yes')
    return doneOnce(context, 'planned', await performedOnce(context, form, act))
  },
  async 'end-plan'(context) {
    const ended = await planEnded(context, context.id, true)
    if (!ended) throw notFound('plan')
    return ended
  },
  async set(context, form) {
    // Fields that were not edited stay as they are now, because a second operator may have changed them meanwhile.
    const isChanged = (field: string) => fieldText(form, field) !== fieldText(form, `${field}Was`)
    const changes = await validFields({
      ...(isChanged('tier') && { tier: () => oneOf<Tier>('tier', fieldText(form, 'tier'), TIERS) }),
      ...(isChanged('name') && { name: () => validLine('name', fieldText(form, 'name')) }),
      ...(isChanged('organization') && { organization: () => organizationIn(form) }),
    })
    if (Object.keys(changes).length === 0) return redirect(context.href(accountPath(context.id)))
    return done(context, 'set', await performed(context, setAccount(context.id, changes)))
  },
}

/** @throws FieldError where the balance would be larger than can be kept */
async function orTooLarge<T>(grant: () => Promise<T>): Promise<T> {
  try {
    return await grant()
  } catch (error) {
    if (errorCode(error) !== '22003') throw error
    throw new FieldError('amount', 'The balance would be larger than can be kept.')
  }
}

/** @throws FieldError */
function amountIn(form: Fields): number {
  const amount = validAmount('amount', fieldText(form, 'amount'))
  if (amount !== undefined) return amount
  throw new FieldError('amount', 'Write how many credits.')
}

/** @returns undefined for the usual end. @throws FieldError */
function expiryIn(ends: string): Expiry | undefined {
  if (ends === '') return undefined
  if (ends === 'never') return 'never'
  if (DAYS.includes(Number(ends))) return { lastsSeconds: Number(ends) * DAY_SECONDS }
  throw new FieldError('ends', `Never, as usual, or in ${DAYS.join(', ')} days.`)
}

/** @throws FieldError */
function organizationIn(form: Fields): string | null {
  const sent = fieldText(form, 'organization').trim()
  return sent === '' ? null : validLine('organization', sent)
}

/** @throws FieldError */
function oneOf<T extends string>(field: string, value: string, allowed: readonly T[]): T {
  const known = allowed.find((one) => one === value)
  if (known === undefined) throw new FieldError(field, `One of ${allowed.join(', ')}.`)
  return known
}

interface SuspensionProps {
  context: SignedInContext
  account: Account
}

/** Stands first on the page of an account that is suspended. */
export function Suspension({ context, account }: SuspensionProps) {
  const { id, suspendedAt, suspensionReason } = account
  if (suspendedAt === null) return null
  return (
    <aside class="notice bad" aria-label="Suspension">
      <p>
        <strong>Suspended</strong> since <Moment at={suspendedAt} /> (UTC).{' '}
        <bdi>{suspensionReason}</bdi>
      </p>
      <Form context={context} action={accountPath(id)} class="inline">
        <IdempotencyField />
        <Submit action="resume" tone="quiet">
          Resume
        </Submit>
      </Form>
    </aside>
  )
}

/** Suspends, or changes the reason. */
function SuspendForm({
  context,
  account,
  errors,
}: SuspensionProps & { errors: FormErrors | undefined }) {
  const { id, suspensionReason } = account
  const isSuspended = suspensionReason !== null
  return (
    <Folded
      id="suspend"
      title={isSuspended ? 'Change the reason' : 'Suspend'}
      isOpen={errors?.form.get('action') === 'suspend'}
    >
      <Form context={context} action={accountPath(id)}>
        <IdempotencyField />
        <Field
          name="reason"
          label="Reason"
          value={suspensionReason ?? undefined}
          autocomplete="off"
          maxlength={MAX_REASON}
          hint="The customer reads it on every page: say why, and what to do."
          errors={errors}
        />
        {isSuspended ? null : (
          <p class="note">
            From then on every call is refused, and whoever acts for the account reveals, makes and
            orders nothing. Nothing is lost; its plan and payments go on unless you end them.
          </p>
        )}
        <Submit action="suspend" tone={isSuspended ? undefined : 'danger'}>
          {isSuspended ? 'Save' : 'Suspend'}
        </Submit>
      </Form>
    </Folded>
  )
}

/** Each counts once: a form that is sent again after somebody resumed the account doesn't suspend it anew. */
export const SUSPENSION_ACTIONS: FormActions = {
  async suspend(context, form) {
    const reason = validLine('reason', fieldText(form, 'reason'), MAX_REASON)
    const act = suspendAccount(context.id, reason)
    return doneOnce(context, 'suspended', await performedOnce(context, form, act))
  },
  async resume(context, form) {
    const { isRepeated, result } = await performedOnce(context, form, resumeAccount(context.id))
    if (isRepeated) return done(context, 'before', true)
    // Somebody else may have resumed it first.
    return done(context, result ? 'resumed' : 'running', true)
  },
}

/** Notes of a page. */
export const NOTES = 20

interface NotesProps {
  context: SignedInContext
  account: string
  /** The newest. */
  notes: readonly AccountNote[]
  /** How many there are. */
  count: number
  errors: FormErrors | undefined
}

/** Notes, shown open if there are any, because whoever looks at the account should read them. */
export function Notes({ context, account, notes, count, errors }: NotesProps) {
  const isRefused = errors?.form.get('action') === 'note'
  return (
    <Folded id="notes" title="Notes" count={count} isOpen={count > 0 || isRefused}>
      {notes.map(({ at, who, text }) => (
        <article class="operator-note">
          <p class="note">
            <bdi>{who}</bdi>, <Moment at={at} /> (UTC)
          </p>
          <p>
            <bdi>{text}</bdi>
          </p>
        </article>
      ))}
      {count > notes.length ? (
        <p class="note">
          The newest {figure(notes.length)}: <code>account notes {account}</code> prints all.
        </p>
      ) : null}
      <Form context={context} action={accountPath(account)}>
        <IdempotencyField />
        <TextArea
          name="text"
          label="A note"
          hint="Operators alone see it, and it stays as it is."
          maxlength={MAX_NOTE}
          errors={errors}
        />
        <Submit action="note" tone="quiet">
          Add note
        </Submit>
      </Form>
    </Folded>
  )
}

/** Counts once: a double click notes nothing twice. */
export const NOTE_ACTIONS: FormActions = {
  async note(context, form) {
    const act = noteAccount(context.id, validNote(fieldText(form, 'text')))
    return doneOnce(context, 'noted', await performedOnce(context, form, act))
  },
}

/**
 * Ends an account's plan, at Stripe first.
 * @returns undefined where it has none. @throws PageError where Stripe did not say that it ends
 */
export async function planEnded(
  context: SignedInContext,
  account: string,
  atEnd: boolean,
): Promise<Reply | undefined> {
  const { payments } = context.application
  const end = await endPlan(payments, (act) => performed(context, act), account, atEnd)
  if (!end) return undefined
  const left = leftText(end)
  if (left && !end.isStopped) throw new PageError(503, 'Stripe did not end it', left)
  const said = left ? 'collects' : atEnd ? 'ending' : 'stopped'
  return redirect(context.href(`${accountPath(account)}?said=${said}`))
}

/**
 * Goes back to the account.
 * @param said the message that it shows
 * @param result of the act; undefined if there is no such account
 * @throws PageError 404
 */
function done({ id, href }: SignedInContext, said: string, result: unknown): Reply {
  if (result === undefined) throw notFound('account')
  return redirect(href(`${accountPath(id)}?said=${said}`))
}

/** Goes back after an act that counts once for each form, and says so after a repeat. */
const doneOnce = (
  context: SignedInContext,
  said: string,
  { isRepeated, result }: { isRepeated: boolean; result: unknown },
): Reply => (isRepeated ? done(context, 'before', true) : done(context, said, result))

/** The longest list that is shown unfolded. */
const FEW = 3

interface FoldedProps {
  id: string
  title: Child
  /** The number of things that are listed. */
  count?: number
  isOpen?: boolean
  children?: Child
}

/** A part under its heading, with its count. Folded unless `isOpen`. */
export function Folded({ id, title, count, isOpen = false, children }: FoldedProps) {
  return (
    <details class="folded" open={isOpen}>
      <summary>
        <h2 id={id}>
          {title}
          {count === undefined ? null : <span class="quiet"> {figure(count)}</span>}
        </h2>
      </summary>
      {children}
    </details>
  )
}

/** True if a list is short enough to be shown open. */
export const areFew = (things: readonly unknown[]): boolean =>
  things.length > 0 && things.length <= FEW
