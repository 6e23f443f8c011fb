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
import { redirect, type SignedInContext } from '../../../site/http/page.ts'
import { sourceName } from '../../../site/pages/billing/transactions.tsx'
import { Submit } from '../../../site/ui/actions.tsx'
import { Checkbox } from '../../../site/ui/fields.tsx'
import { Field, Form, IdempotencyField, Select } from '../../../site/ui/form.tsx'
import { humanize } from '../../../site/ui/text.tsx'
import { grantCredits, setAccount, startPlan } from '../../acts/accounts.ts'
import { performed, performedOnce } from '../../ui/frame.tsx'
import { accountPath } from '../../ui/paths.ts'
import { done, doneOnce } from './done.ts'
import { Folded } from './folded.tsx'
import { planEnded } from './plan-end.ts'
import { SuspendForm } from './suspension.tsx'

const DAY_SECONDS = 86_400
/** After how many days credits may end. */
const DAYS: readonly number[] = [7, 30, 90, 180, 365]
const PLAN_NAMES = Object.keys(PLANS) as PlanName[]

interface AccountFormsProps {
  context: SignedInContext
  account: Account
  errors: FormErrors | undefined
}

/** Whether the form is shown again because one of its fields is refused. */
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

/** @returns undefined for what is usual. @throws FieldError */
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
