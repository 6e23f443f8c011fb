/** @jsxImportSource hono/jsx */
/** The forms of an account's page for what can be undone; `confirm.tsx` asks once more before the rest. */
import type { Account } from '../../accounts/accounts.ts'
import type { Expiry } from '../../accounts/credits.ts'
import {
  GRANT_SOURCES,
  type GrantSource,
  PLANS,
  type PlanName,
  TIERS,
  type Tier,
} from '../../contract/tiers.ts'
import { errorCode } from '../../database/client.ts'
import { grantCredits, setAccount, startPlan, stopPlan } from '../../operator/accounts.ts'
import { validAmount } from '../../users/low-balance.ts'
import { FieldError, MAX_NAME, validFields, validLine } from '../../users/validation.ts'
import { sourceName } from '../billing/transactions.tsx'
import { Submit } from '../components/actions.tsx'
import { Field, Form, IdempotencyField, Select } from '../components/form.tsx'
import { Section } from '../components/page-parts.tsx'
import { humanize } from '../components/text.tsx'
import type { Form as Fields } from '../http/form.ts'
import { type FormActions, type FormErrors, fieldText, notFound } from '../http/form-errors.ts'
import { type Reply, redirect, type SignedInContext } from '../http/page.ts'
import { accountPath } from './accounts.tsx'
import { performed } from './frame.tsx'
import { onlyOnce } from './once.ts'

const DAY_SECONDS = 86_400
/** After how many days credits may end. */
const DAYS: readonly number[] = [7, 30, 90, 180, 365]
const PLAN_NAMES = Object.keys(PLANS) as PlanName[]

interface AccountFormsProps {
  context: SignedInContext
  account: Account
  errors: FormErrors | undefined
}

export function AccountForms(props: AccountFormsProps) {
  return (
    <div class="columns even">
      <GrantForm {...props} />
      <PlanForm {...props} />
      <SetForm {...props} />
    </div>
  )
}

function GrantForm({ context, account: { id }, errors }: AccountFormsProps) {
  const sent = (name: string) => errors?.form.get(name) ?? undefined
  return (
    <Section id="grant" title="Give credits">
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
          none="as usual: trial 7 days, plan 30 days, else never"
          options={[
            { value: 'never', label: 'never' },
            ...DAYS.map((days) => ({ value: String(days), label: `in ${days} days` })),
          ]}
          chosen={sent('ends')}
          errors={errors}
        />
        <Submit action="grant">Give credits</Submit>
      </Form>
    </Section>
  )
}

function PlanForm({ context, account, errors }: AccountFormsProps) {
  const isRenewed = errors?.form.get('renews') === 'yes'
  return (
    <Section id="plan-form" title={account.plan ? 'Start another plan' : 'Start a plan'}>
      <Form context={context} action={accountPath(account.id)}>
        <IdempotencyField />
        <Select
          name="plan"
          label="Plan"
          options={PLAN_NAMES.map((value) => ({ value, label: humanize(value) }))}
          chosen={errors?.form.get('plan') ?? account.plan ?? undefined}
          errors={errors}
        />
        <div class="choices">
          <label>
            <input type="checkbox" name="renews" value="yes" checked={isRenewed} />
            <span>
              It renews
              <span class="hint">Else the tier falls back to free when its month ends.</span>
            </span>
          </label>
        </div>
        <Submit action="plan">Start now</Submit>
      </Form>
    </Section>
  )
}

function SetForm({ context, account, errors }: AccountFormsProps) {
  const { id, tier, name, organization } = account
  const was = { tier, name, organization: organization ?? '' }
  return (
    <Section id="set" title="Tier and names">
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
    </Section>
  )
}

/** What the page's forms do. */
export const ACCOUNT_ACTIONS: FormActions = {
  async grant(context, form) {
    const { amount, source, ends } = await validFields({
      amount: () => amountIn(form),
      source: () => oneOf('source', fieldText(form, 'source'), GRANT_SOURCES),
      ends: () => expiryIn(fieldText(form, 'ends')),
    })
    const grant = () => grantOrRefuse(context, amount, source, ends)
    const isRefused = (error: unknown) => error instanceof FieldError
    return done(context, 'granted', await onlyOnce(context, form, grant, isRefused))
  },
  async plan(context, form) {
    const plan = oneOf('plan', fieldText(form, 'plan'), PLAN_NAMES)
    const act = startPlan(context.id, plan, form.get('renews') === 'yes')
    const start = async () => (await performed(context, act)) ?? false
    return done(context, 'planned', await onlyOnce(context, form, start))
  },
  async 'end-plan'(context) {
    return done(context, 'ending', (await performed(context, stopPlan(context.id, true))) ?? false)
  },
  async set(context, form) {
    // What the form was shown with stays as it is now: another operator may have changed it meanwhile.
    const isChanged = (field: string) => fieldText(form, field) !== fieldText(form, `${field}Was`)
    const changes = await validFields({
      ...(isChanged('tier') && { tier: () => oneOf<Tier>('tier', fieldText(form, 'tier'), TIERS) }),
      ...(isChanged('name') && { name: () => validLine('name', fieldText(form, 'name')) }),
      ...(isChanged('organization') && { organization: () => organizationIn(form) }),
    })
    if (Object.keys(changes).length === 0) return redirect(context.href(accountPath(context.id)))
    return done(
      context,
      'set',
      (await performed(context, setAccount(context.id, changes))) ?? false,
    )
  },
}

/** @param result false where there was nothing to do it to; undefined where the form was sent before */
function done({ id, href }: SignedInContext, said: string, result: unknown): Reply {
  if (result === false) throw notFound('account')
  return redirect(href(`${accountPath(id)}?said=${result === undefined ? 'before' : said}`))
}

/** @throws FieldError where the balance would be larger than can be kept */
async function grantOrRefuse(
  context: SignedInContext,
  amount: number,
  source: GrantSource,
  ends: Expiry | undefined,
): Promise<number | false> {
  try {
    return (await performed(context, grantCredits(context.id, amount, source, ends))) ?? false
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
