/** @jsxImportSource hono/jsx */
/** `/operator/accounts/:id`: one account whole, and the forms that change it. */
import { type Account, showAccount } from '../../accounts/accounts.ts'
import { listGrants } from '../../accounts/credits.ts'
import { keysOf } from '../../accounts/keys.ts'
import { ledgerPage } from '../../accounts/ledger.ts'
import { TIER_RULES } from '../../contract/tiers.ts'
import { isUuid } from '../../database/uuid.ts'
import { peopleOf, unlocksOf } from '../../operator/account-search.ts'
import { paymentsOf } from '../../payments/payments.ts'
import { orderName, priceText } from '../billing/open-orders.tsx'
import { Entries, sourceName } from '../billing/transactions.tsx'
import { Submit } from '../components/actions.tsx'
import { Form } from '../components/form.tsx'
import { Flash, Section, Table } from '../components/page-parts.tsx'
import { Facts } from '../components/profile.tsx'
import { Day, figure, humanize, perWindow, plural } from '../components/text.tsx'
import type { Form as Fields } from '../http/form.ts'
import { type FormErrors, notFound, runAction } from '../http/form-errors.ts'
import type { Page, Reply, SignedInContext } from '../http/page.ts'
import { ACCOUNT_ACTIONS, AccountForms } from './account-forms.tsx'
import { Keys, People } from './account-parts.tsx'
import { accountPath } from './accounts.tsx'
import { DangerLink } from './dangers.tsx'
import { operatorPage } from './frame.tsx'

/** Entries of the ledger. */
const ENTRIES = 20

const MESSAGES = {
  granted: 'The credits are given.',
  planned: 'The plan has started.',
  ending: 'The plan ends with its month.',
  set: 'That is saved.',
  before: 'This form was sent before, and did nothing more now.',
  taken: 'The credits are taken back.',
  stopped: 'The plan has ended, and with it what was left of its credits.',
  revoked: 'Revoked: calls with it are refused from their next request on.',
  ended: 'They are signed out everywhere.',
  'factor-off': 'Their password alone signs them in now.',
}

export async function accountPage(context: SignedInContext, errors?: FormErrors): Promise<Page> {
  const { database } = context.application
  const account = await accountOf(context, context.id)
  const { id } = account
  const [grants = [], keys, people, payments, unlocks, ledger] = await Promise.all([
    listGrants(database, id),
    keysOf(database, id),
    peopleOf(database, id),
    paymentsOf(database, id),
    unlocksOf(database, id),
    ledgerPage(database, id, {}, ENTRIES),
  ])
  const left = grants.filter(({ remaining }) => remaining > 0)
  return operatorPage(
    context,
    { title: account.name, heading: account.name },
    <>
      <Flash context={context} messages={MESSAGES} />
      <p class="lead">
        <bdi>{account.organization ?? account.email}</bdi>, since <Day at={account.createdAt} />.{' '}
        <code class="id">{id}</code>
      </p>
      <div class="columns even">
        <Balance context={context} account={account} grants={left} />
        <Standing context={context} account={account} unlocks={unlocks} />
      </div>
      <AccountForms context={context} account={account} errors={errors} />
      <Section id="keys" title="API keys" count={keys.length}>
        <Keys context={context} account={id} keys={keys} />
      </Section>
      <Section id="people" title="People" count={people.length}>
        <People context={context} account={id} people={people} />
      </Section>
      <Section id="payments" title="Orders">
        {payments.length === 0 ? (
          <p class="empty">Nothing was ordered.</p>
        ) : (
          <Table
            label="Orders, newest first"
            isCards
            columns={['Order', 'Price', 'State', 'Ordered']}
            rows={payments.map((payment) => [
              orderName(payment),
              priceText(payment),
              payment.state === 'open' ? (
                <a href={context.href('/operator/payments')}>waits</a>
              ) : (
                payment.state
              ),
              <Day at={payment.createdAt} />,
            ])}
          />
        )}
      </Section>
      <Section id="ledger" title="Last transactions">
        {ledger.entries.length === 0 ? (
          <p class="empty">None yet.</p>
        ) : (
          <Entries entries={ledger.entries} />
        )}
      </Section>
      <p class="beside">
        <a href={context.href(`/operator/audit?account=${id}`)}>What operators did to it</a>
      </p>
    </>,
  )
}

export function changeAccount(context: SignedInContext, form: Fields): Promise<Reply> {
  return runAction(ACCOUNT_ACTIONS, context, form, accountPage)
}

/** Reads an account, settled. @throws PageError 404 */
export async function accountOf({ application }: SignedInContext, id: string): Promise<Account> {
  const account = isUuid(id) ? await showAccount(application.database, id) : undefined
  if (!account) throw notFound('account')
  return account
}

interface BalanceProps {
  context: SignedInContext
  account: Account
  grants: NonNullable<Awaited<ReturnType<typeof listGrants>>>
}

function Balance({ context, account: { id, creditsBalance }, grants }: BalanceProps) {
  return (
    <section class="panel" aria-labelledby="balance">
      <h2 id="balance">Balance</h2>
      <p class="figure">
        {figure(creditsBalance)}{' '}
        <span class="quiet">{creditsBalance === 1 ? 'credit' : 'credits'}</span>
      </p>
      <Facts
        facts={grants.map((grant) => ({
          name: sourceName(grant.source),
          value: (
            <>
              {figure(grant.remaining)} of {figure(grant.amount)}
              {grant.expiresAt ? ', until ' : ', for good'}
              {grant.expiresAt ? <Day at={grant.expiresAt} /> : null}{' '}
              <DangerLink
                context={context}
                danger="take-back"
                account={id}
                of={grant.id}
                label={`Take back: ${sourceName(grant.source)}, ${figure(grant.remaining)}`}
              >
                Take back
              </DangerLink>
            </>
          ),
        }))}
      />
    </section>
  )
}

interface StandingProps {
  context: SignedInContext
  account: Account
  unlocks: number
}

function Standing({ context, account, unlocks }: StandingProps) {
  const { id, tier, plan, planRenews, planEndsAt } = account
  const { rateLimit, rateSeconds, revealLimit, revealSeconds, unlimited } = TIER_RULES[tier]
  return (
    <section class="panel" aria-labelledby="standing">
      <h2 id="standing">Plan and limits</h2>
      <Facts
        facts={[
          { name: 'Tier', value: humanize(tier) },
          { name: 'Plan', value: plan ? humanize(plan) : 'None' },
          {
            name: planRenews ? 'Renews' : 'Ends',
            value: planEndsAt ? <Day at={planEndsAt} /> : null,
          },
          { name: 'Calls', value: `${figure(rateLimit)} ${perWindow(rateSeconds)}` },
          { name: 'First reveals', value: `${figure(revealLimit)} ${perWindow(revealSeconds)}` },
          { name: 'Credit ceiling', value: unlimited ? 'None' : 'The balance' },
          { name: 'Unlocked', value: plural(unlocks, 'contact', 'contacts') },
        ]}
      />
      {plan ? (
        <Form context={context} action={accountPath(id)} class="inline">
          <p class="actions">
            {planRenews ? (
              <Submit action="end-plan" tone="quiet">
                Don’t renew
              </Submit>
            ) : null}
            <DangerLink context={context} danger="stop-plan" account={id}>
              End it now
            </DangerLink>
          </p>
        </Form>
      ) : null}
    </section>
  )
}
