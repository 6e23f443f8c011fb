/** @jsxImportSource hono/jsx */
/** `/balance/alerts`: the amounts of credits below which the account's people are mailed. */
import { TIER_RULES, tierHas } from '../../../contract/tiers.ts'
import {
  MAX_MEMBERS,
  MAX_THRESHOLDS,
  setThresholds,
  thresholdsOf,
} from '../../../people/users/low-balance.ts'
import { validCredits, validFields } from '../../../people/users/validation.ts'
import type { Form as Fields } from '../../http/form.ts'
import { type FormErrors, fieldText, notFound, withFormErrors } from '../../http/form-errors.ts'
import { type Page, type Reply, redirect, type SignedInContext } from '../../http/page.ts'
import { Submit } from '../../ui/actions.tsx'
import { Checkbox } from '../../ui/fields.tsx'
import { Field, Form } from '../../ui/form.tsx'
import { Flash, Notice, personalPage } from '../../ui/page-parts.tsx'
import { figure, plural } from '../../ui/text.tsx'

const MESSAGES = { set: 'Your amounts are set.' }
const FIELDS = Array.from({ length: MAX_THRESHOLDS }, (_, i) => `amount${i + 1}`)

export async function alertsPage(context: SignedInContext, errors?: FormErrors): Promise<Page> {
  const { application, session } = context
  const { tier, creditsBalance } = session.account
  const { amounts, mailsMembers } = await thresholdsOf(application.database, session.account.id)
  const ticked = errors ? errors.form.get('members') === 'yes' : mailsMembers
  return personalPage(
    { title: 'Low-balance mails' },
    <>
      <Flash context={context} messages={MESSAGES} />
      {application.users.sendsMail ? null : (
        <Notice tone="warn">
          This service has no mail server: no mail is sent until its operator sets one up. Amounts
          are kept.
        </Notice>
      )}
      {TIER_RULES[tier].unlimited ? (
        <Notice tone="warn">Your plan has no credit limit, so no mail is sent.</Notice>
      ) : null}
      <p class="lead">
        You get a mail within minutes when your credits fall below one of these amounts, and the
        next one only after they have been above it again. There are{' '}
        {plural(creditsBalance, 'credit', 'credits')} now: see{' '}
        <a href={context.href('/balance')}>Usage</a>.
      </p>
      {session.role === 'owner' ? (
        <Form context={context} action="/balance/alerts">
          {FIELDS.map((name, i) => (
            <Field
              isOptional
              name={name}
              label={`Amount ${i + 1}, in credits`}
              value={amounts[i] === undefined ? '' : String(amounts[i])}
              maxlength={13}
              hint={hintOf(amounts[i], creditsBalance)}
              errors={errors}
            />
          ))}
          {tierHas(tier, 'workspace') ? (
            <Checkbox name="members" isTicked={ticked}>
              Mail members of the workspace too, the first {figure(MAX_MEMBERS)} who joined
            </Checkbox>
          ) : null}
          <Submit>Set amounts</Submit>
        </Form>
      ) : (
        <p>
          {amounts.length > 0
            ? `The amounts are ${amounts.map(figure).join(', ')}.`
            : 'No amount is set.'}{' '}
          Only the owner of the account sets them.
        </p>
      )}
    </>,
  )
}

/** Hint for an amount that is above the balance already. */
function hintOf(amount: number | undefined, balance: number): string | undefined {
  return amount !== undefined && balance < amount
    ? 'Your credits are below it already: a mail comes when they fall below it again.'
    : undefined
}

export function setAlerts(context: SignedInContext, form: Fields): Promise<Reply> {
  const { application, session, href } = context
  return withFormErrors(
    form,
    (errors) => alertsPage(context, errors),
    async () => {
      const filled = FIELDS.filter((name) => fieldText(form, name).trim() !== '')
      const checks = filled.map((name) => [name, () => validCredits(name, fieldText(form, name))])
      const values = await validFields<Record<string, number>>(Object.fromEntries(checks))
      const amounts = Object.values(values)
      const mailsMembers = form.get('members') === 'yes'
      const isSet = await setThresholds(application.database, session, { amounts, mailsMembers })
      if (!isSet) throw notFound('account of yours')
      return redirect(href('/balance/alerts?said=set'))
    },
  )
}
