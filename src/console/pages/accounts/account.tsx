/** @jsxImportSource hono/jsx */
/** `/operator/accounts/:id`: one account whole, and the forms that change it. */
import { TIER_RULES } from '../../../contract/tiers.ts'
import { type Account, showAccount } from '../../../money/accounts/accounts.ts'
import { listGrants } from '../../../money/accounts/credits.ts'
import { type KeyUse, keysOf } from '../../../money/accounts/keys.ts'
import { ledgerPage } from '../../../money/accounts/ledger.ts'
import { type Payment, paymentsOf } from '../../../money/payments/payments.ts'
import type { Form as Fields } from '../../../site/http/form.ts'
import { type FormErrors, runAction } from '../../../site/http/form-errors.ts'
import type { Page, Reply, SignedInContext } from '../../../site/http/page.ts'
import { orderName, priceText } from '../../../site/pages/billing/order.tsx'
import { Entries, sourceName } from '../../../site/pages/billing/transactions.tsx'
import { Limits } from '../../../site/pages/keys/keys.tsx'
import { Submit } from '../../../site/ui/actions.tsx'
import { Badge } from '../../../site/ui/badges.tsx'
import { Facts } from '../../../site/ui/facts.tsx'
import { Form } from '../../../site/ui/form.tsx'
import { Flash, numbers, Table } from '../../../site/ui/page-parts.tsx'
import { Day, figure, humanize, perWindow, plural } from '../../../site/ui/text.tsx'
import { type AccountPerson, peopleOf, unlocksOf } from '../../acts/account-search.ts'
import { countNotes, notesOf } from '../../acts/accounts.ts'
import { ConfirmLink, type IrreversibleAction } from '../../ui/confirmation.tsx'
import { foundById, operatorPage } from '../../ui/frame.tsx'
import { accountPath, paymentPath } from '../../ui/paths.ts'
import {
  ACCOUNT_ACTIONS,
  AccountForms,
  areFew,
  Folded,
  NOTE_ACTIONS,
  NOTES,
  Notes,
  SUSPENSION_ACTIONS,
  Suspension,
} from './account-forms.tsx'

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
  collects:
    'The plan ends here. Stripe was not asked to collect no more, because PAYMENTS is not stripe: end the subscription there.',
  revoked: 'Revoked: calls with it are refused from their next request on.',
  ended: 'They are signed out everywhere.',
  'factor-off': 'Their password alone signs them in now.',
  verified: 'The address counts as confirmed.',
  suspended: 'The account is suspended: its calls are refused from their next request on.',
  resumed: 'The account goes on.',
  running: 'The account was not suspended any more.',
  noted: 'The note is kept.',
}

export async function accountPage(context: SignedInContext, errors?: FormErrors): Promise<Page> {
  const { database } = context.application
  const account = await accountOf(context, context.id)
  const { id } = account
  const [grants = [], keys, people, payments, unlocks, ledger, notes, noteCount] =
    await Promise.all([
      listGrants(database, id),
      keysOf(database, id),
      peopleOf(database, id),
      paymentsOf(database, id),
      unlocksOf(database, id),
      ledgerPage(database, id, {}, ENTRIES),
      notesOf(database, id, NOTES),
      countNotes(database, id),
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
      <Suspension context={context} account={account} />
      <div class="columns even">
        <Balance context={context} account={account} grants={left} />
        <Standing context={context} account={account} unlocks={unlocks} />
      </div>
      <Folded id="keys" title="API keys" count={keys.length} isOpen={areFew(keys)}>
        <Keys context={context} account={id} keys={keys} />
      </Folded>
      <Folded id="people" title="People" count={people.length} isOpen={areFew(people)}>
        <People context={context} account={id} people={people} />
      </Folded>
      <Notes context={context} account={id} notes={notes} count={noteCount} errors={errors} />
      <AccountForms context={context} account={account} errors={errors} />
      <Folded id="payments" title="Orders" count={payments.length}>
        <Orders context={context} payments={payments} />
      </Folded>
      <Folded id="ledger" title="Latest transactions">
        {ledger.entries.length === 0 ? (
          <p class="empty">None yet.</p>
        ) : (
          <Entries entries={ledger.entries} isAll={ledger.next === null} />
        )}
      </Folded>
      <p class="beside">
        <a href={context.href(`/operator/audit?account=${id}`)}>Audit log of this account</a>
      </p>
    </>,
  )
}

const ACTIONS = { ...ACCOUNT_ACTIONS, ...SUSPENSION_ACTIONS, ...NOTE_ACTIONS }

export function changeAccount(context: SignedInContext, form: Fields): Promise<Reply> {
  return runAction(ACTIONS, context, form, accountPage)
}

/** Reads an account, settled. @throws PageError 404 */
export const accountOf = ({ application }: SignedInContext, id: string): Promise<Account> =>
  foundById('account', id, (known) => showAccount(application.database, known))

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
              <div>
                {figure(grant.remaining)} of {figure(grant.amount)}
                {grant.expiresAt ? ', ' : ', for good'}
                {grant.expiresAt ? (
                  <span class="unbroken">
                    until <Day at={grant.expiresAt} />
                  </span>
                ) : null}
              </div>
              <ConfirmLink
                context={context}
                action="take-back"
                subject={id}
                item={grant.id}
                label={`Take back: ${sourceName(grant.source)}, ${figure(grant.remaining)}`}
              >
                Take back
              </ConfirmLink>
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
            <ConfirmLink isButton context={context} action="stop-plan" subject={id}>
              End {humanize(plan)} now
            </ConfirmLink>
          </p>
        </Form>
      ) : null}
    </section>
  )
}

interface KeysProps {
  context: SignedInContext
  account: string
  keys: readonly KeyUse[]
}

function Keys({ context, account, keys }: KeysProps) {
  if (keys.length === 0) return <p class="empty">No key was made.</p>
  const inForce = keys.filter((key) => key.inForce)
  return (
    <>
      <Table
        label="Keys, newest first"
        isCards
        columns={['Label', 'Key', 'Status', 'Limits', 'Last used', numbers('Calls in 30 days')]}
        rows={keys.map((key) => [
          <bdi>{key.label}</bdi>,
          <code class="number">{key.prefix}…</code>,
          key.inForce ? (
            <>
              <Badge>Active</Badge>{' '}
              <ConfirmLink
                context={context}
                action="revoke-key"
                subject={account}
                item={key.id}
                label={`Revoke ${key.label}`}
              >
                Revoke
              </ConfirmLink>
            </>
          ) : (
            <Badge>{key.isRevoked ? 'Revoked' : 'Expired'}</Badge>
          ),
          <Limits of={key} />,
          key.lastUsedAt ? <Day at={key.lastUsedAt} /> : 'Not in 30 days',
          figure(key.calls30Days),
        ])}
      />
      {inForce.length > 1 ? (
        <p class="beside">
          <ConfirmLink context={context} action="revoke-keys" subject={account}>
            Revoke all {figure(inForce.length)}
          </ConfirmLink>
        </p>
      ) : null}
    </>
  )
}

interface PeopleProps {
  context: SignedInContext
  account: string
  people: readonly AccountPerson[]
}

function People({ context, account, people }: PeopleProps) {
  if (people.length === 0)
    return <p class="empty">Nobody signs in to it: it was made by a command.</p>
  const link = (action: IrreversibleAction, person: AccountPerson, text: string) => (
    <ConfirmLink
      context={context}
      action={action}
      subject={account}
      item={person.id}
      label={`${text}: ${person.name}`}
    >
      {text}
    </ConfirmLink>
  )
  return (
    <Table
      label="People, the owner first"
      isCards
      columns={[
        'Name',
        { label: 'E-mail', card: 'line' },
        'Role',
        'Sign-in',
        { label: 'Actions', card: 'last' },
      ]}
      rows={people.map((person) => [
        <bdi>{person.name}</bdi>,
        <>
          <bdi>{person.email}</bdi> {person.emailVerifiedAt ? null : <Badge>not confirmed</Badge>}
        </>,
        <>
          {humanize(person.role)}{' '}
          {person.operatorSince ? <Badge tone="accent">operator</Badge> : null}
        </>,
        `${plural(person.sessions, 'session', 'sessions')}, ${person.hasSecondFactor ? 'two steps' : 'password alone'}`,
        <div class="helps">
          {person.emailVerifiedAt || person.operatorSince
            ? null
            : link('verify', person, 'Confirm e-mail')}
          {person.sessions > 0 ? link('end-sessions', person, 'Sign out') : null}
          {person.operatorSince ? null : link('reset-link', person, 'Password link')}
          {person.hasSecondFactor && !person.operatorSince
            ? link('factor-off', person, 'Two steps off')
            : null}
        </div>,
      ])}
    />
  )
}

interface OrdersProps {
  context: SignedInContext
  payments: readonly Payment[]
}

function Orders({ context, payments }: OrdersProps) {
  if (payments.length === 0) return <p class="empty">Nothing was ordered.</p>
  return (
    <Table
      label="Orders, newest first"
      isCards
      columns={['Order', 'Price', 'State', 'Ordered']}
      rows={payments.map((payment) => [
        <a href={context.href(paymentPath(payment.id))}>{orderName(payment)}</a>,
        priceText(payment),
        payment.state === 'open' ? 'waits' : payment.state,
        <Day at={payment.createdAt} />,
      ])}
    />
  )
}
