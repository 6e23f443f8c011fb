/** @jsxImportSource hono/jsx */
/** `/operator/accounts/:id`: one account whole, and the acts that change it. */
import { TIER_RULES } from '../../../contract/tiers.ts'
import { type Account, showAccount } from '../../../money/accounts/accounts.ts'
import { listGrants } from '../../../money/accounts/credits.ts'
import { type KeyUse, keysOf } from '../../../money/accounts/keys.ts'
import { ledgerPage } from '../../../money/accounts/ledger.ts'
import { type Payment, paymentsOf } from '../../../money/payments/payments.ts'
import { resetUrl } from '../../../people/users/tokens.ts'
import type { FormErrors } from '../../../site/http/form-errors.ts'
import type { Child } from '../../../site/http/html.ts'
import type { Page, SignedInContext } from '../../../site/http/page.ts'
import { orderName, priceText } from '../../../site/pages/billing/order.tsx'
import { Entries, sourceName } from '../../../site/pages/billing/transactions.tsx'
import { Limits } from '../../../site/pages/keys/keys.tsx'
import { Badge } from '../../../site/ui/badges.tsx'
import { Facts } from '../../../site/ui/facts.tsx'
import { numbers, shownOncePage } from '../../../site/ui/page-parts.tsx'
import { Day, figure, humanize, Moment, perWindow, plural } from '../../../site/ui/text.tsx'
import { type AccountPerson, peopleOf, unlocksOf } from '../../acts/account-search.ts'
import * as acts from '../../acts/accounts.ts'
import type { Act } from '../../acts/act.ts'
import * as users from '../../acts/users.ts'
import { ActForm, formsOf, isRefused, Refused, Said, viewOf } from '../../ui/acts.tsx'
import { ConfirmLink } from '../../ui/confirm-link.tsx'
import { foundById, operatorPage } from '../../ui/frame.tsx'
import { List } from '../../ui/lists.tsx'
import { AUDIT, accountPath, paymentPath } from '../../ui/paths.ts'

/** Entries of the ledger. */
const ENTRIES = 20
/** Notes of a page. */
const NOTES = 20

export async function accountPage(context: SignedInContext, errors?: FormErrors): Promise<Page> {
  const { database } = context.application
  const account = await foundById('account', context.id, (id) => showAccount(database, id))
  const { id } = account
  const [grants = [], keys, people, payments, unlocks, ledger, notes, noteCount] =
    await Promise.all([
      listGrants(database, id),
      keysOf(database, id),
      peopleOf(database, id),
      paymentsOf(database, id),
      unlocksOf(database, id),
      ledgerPage(database, id, {}, ENTRIES),
      acts.notesOf(database, id, NOTES),
      acts.countNotes(database, id),
    ])
  const left = grants.filter(({ remaining }) => remaining > 0)
  const shown = { context, account }
  return operatorPage(
    context,
    { title: account.name, heading: account.name },
    <>
      <Said context={context} />
      <Refused errors={errors} />
      <p class="lead">
        <bdi>{account.organization ?? account.email}</bdi>, since <Day at={account.createdAt} />.{' '}
        <code class="id">{id}</code>
      </p>
      <Suspension {...shown} />
      <div class="columns even">
        <Balance {...shown} grants={left} />
        <Standing {...shown} unlocks={unlocks} />
      </div>
      <Folded id="keys" title="API keys" count={keys.length} isOpen={areFew(keys)}>
        <Keys context={context} account={id} keys={keys} />
      </Folded>
      <Folded id="people" title="People" count={people.length} isOpen={areFew(people)}>
        <People context={context} account={id} people={people} />
      </Folded>
      <Notes {...shown} notes={notes} count={noteCount} errors={errors} />
      <AccountActs {...shown} errors={errors} />
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
        <a href={context.href(`${AUDIT}?account=${id}`)}>Audit log of this account</a>
      </p>
    </>,
  )
}

export const changeAccount = formsOf('account', accountPage)

/** The page that shows a link for a new password, once. */
export const PASSWORD_LINK = viewOf(users.resetLink, {
  reply: (context, token, { on }) =>
    shownOncePage(
      context,
      {
        title: 'Password link',
        heading: 'A link for a new password',
        warning: 'It is shown this once.',
        secret: resetUrl(context.site.appUrl, token),
        next: accountPath(on),
      },
      null,
    ),
})

function AccountActs(props: AccountProps & { errors: FormErrors | undefined }) {
  const { tier, name, plan, organization } = props.account
  return (
    <div class="columns even">
      <FoldedAct
        {...props}
        title="Give credits"
        act={acts.grantCredits}
        values={{ source: 'topup' }}
      />
      <FoldedAct
        {...props}
        title={plan ? 'Start another plan' : 'Start a plan'}
        act={acts.startPlan}
        values={{ plan: plan ?? undefined }}
      />
      <FoldedAct
        {...props}
        title="Tier and names"
        act={acts.setAccount}
        values={{ tier, name, organization: organization ?? undefined }}
      />
      <SuspendForm {...props} />
    </div>
  )
}

interface FoldedProps {
  id: string
  title: Child
  /** The number of things that are listed. */
  count?: number
  isOpen?: boolean
  children?: Child
}

/** A part under its heading, with its count. Folded unless `isOpen`. */
function Folded({ id, title, count, isOpen = false, children }: FoldedProps) {
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

/** The longest list that is shown unfolded. */
const FEW = 3

const areFew = ({ length }: readonly unknown[]): boolean => length > 0 && length <= FEW

interface AccountProps {
  context: SignedInContext
  account: Account
}

interface FoldedActProps extends AccountProps {
  title: string
  act: Act
  values?: Readonly<Record<string, string | undefined>>
  button?: Child
  tone?: 'danger' | undefined
  errors: FormErrors | undefined
  children?: Child
}

/** The form of an act, open where it was refused. */
function FoldedAct({ title, account: _, ...form }: FoldedActProps) {
  const { act, errors } = form
  return (
    <Folded id={act.name.replace('.', '-')} title={title} isOpen={isRefused(act, errors)}>
      <ActForm {...form} />
    </Folded>
  )
}

/** Stands first on the page of an account that is suspended. */
function Suspension({ context, account: { suspendedAt, suspensionReason } }: AccountProps) {
  if (suspendedAt === null) return null
  return (
    <aside class="notice bad" aria-label="Suspension">
      <p>
        <strong>Suspended</strong> since <Moment at={suspendedAt} /> (UTC).{' '}
        <bdi>{suspensionReason}</bdi>
      </p>
      <ActForm isInline context={context} act={acts.resumeAccount} tone="quiet" />
    </aside>
  )
}

/** Suspends, or changes the reason. */
function SuspendForm(props: AccountProps & { errors: FormErrors | undefined }) {
  const { suspensionReason } = props.account
  const isSuspended = suspensionReason !== null
  return (
    <FoldedAct
      {...props}
      title={isSuspended ? 'Change the reason' : 'Suspend'}
      act={acts.suspendAccount}
      values={{ reason: suspensionReason ?? undefined }}
      {...(isSuspended && { button: 'Save', tone: undefined })}
    >
      {isSuspended ? null : (
        <p class="note">
          From then on every call is refused, and whoever acts for the account reveals, makes and
          orders nothing. Nothing is lost; its plan and payments go on unless you end them.
        </p>
      )}
    </FoldedAct>
  )
}

interface NotesProps extends AccountProps {
  /** The newest. */
  notes: readonly acts.AccountNote[]
  /** How many there are. */
  count: number
  errors: FormErrors | undefined
}

/** Open where there are notes: whoever looks at the account is meant to read them. */
function Notes({ context, account, notes, count, errors }: NotesProps) {
  const isOpen = count > 0 || isRefused(acts.noteAccount, errors)
  return (
    <Folded id="notes" title="Notes" count={count} isOpen={isOpen}>
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
          The newest {figure(notes.length)}: <code>account notes {account.id}</code> prints all.
        </p>
      ) : null}
      <ActForm context={context} act={acts.noteAccount} tone="quiet" errors={errors} />
    </Folded>
  )
}

interface BalanceProps extends AccountProps {
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
                act={acts.takeBackCredits}
                on={id}
                of={grant.id}
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

function Standing({ context, account, unlocks }: AccountProps & { unlocks: number }) {
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
        <div class="actions">
          {planRenews ? (
            <ActForm isInline context={context} act={acts.stopRenewal} tone="quiet" />
          ) : null}
          <ConfirmLink isButton context={context} act={acts.stopPlan} on={id}>
            End {humanize(plan)} now
          </ConfirmLink>
        </div>
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
  const inForce = keys.filter((key) => key.inForce)
  const state = (key: KeyUse) =>
    key.inForce ? (
      <>
        <Badge>Active</Badge>{' '}
        <ConfirmLink
          {...{ context, act: acts.revokeKey, on: account, of: key.id }}
          label={`Revoke ${key.label}`}
        >
          Revoke
        </ConfirmLink>
      </>
    ) : (
      <Badge>{key.isRevoked ? 'Revoked' : 'Expired'}</Badge>
    )
  return (
    <>
      <List
        label="Keys, newest first"
        rows={keys}
        none="No key was made."
        cells={[
          ['Label', ({ label }) => <bdi>{label}</bdi>],
          ['Key', ({ prefix }) => <code class="number">{prefix}…</code>],
          ['Status', state],
          ['Limits', (key) => <Limits of={key} />],
          ['Last used', ({ lastUsedAt: at }) => (at ? <Day at={at} /> : 'Not in 30 days')],
          [numbers('Calls in 30 days'), ({ calls30Days }) => figure(calls30Days)],
        ]}
      />
      {inForce.length > 1 ? (
        <p class="beside">
          <ConfirmLink context={context} act={acts.revokeKeys} on={account}>
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
  const link = (act: Pick<Act, 'name'>, { id: of, name }: AccountPerson, text: string) => (
    <ConfirmLink {...{ context, act, on: account, of }} label={`${text}: ${name}`}>
      {text}
    </ConfirmLink>
  )
  return (
    <List
      label="People, the owner first"
      rows={people}
      none="Nobody signs in to it: it was made by a command."
      cells={[
        ['Name', ({ name }) => <bdi>{name}</bdi>],
        [
          { label: 'E-mail', card: 'line' },
          ({ email, emailVerifiedAt }) => (
            <>
              <bdi>{email}</bdi> {emailVerifiedAt ? null : <Badge>not confirmed</Badge>}
            </>
          ),
        ],
        [
          'Role',
          ({ role, operatorSince }) => (
            <>
              {humanize(role)} {operatorSince ? <Badge tone="accent">operator</Badge> : null}
            </>
          ),
        ],
        [
          'Sign-in',
          ({ sessions, hasSecondFactor }) =>
            `${plural(sessions, 'session', 'sessions')}, ${hasSecondFactor ? 'two steps' : 'password alone'}`,
        ],
        [
          { label: 'Actions', card: 'last' },
          (person) => {
            const { emailVerifiedAt, sessions, hasSecondFactor } = person
            const isCustomer = !person.operatorSince
            return (
              <div class="helps">
                {isCustomer && !emailVerifiedAt
                  ? link(users.verifyEmail, person, 'Confirm e-mail')
                  : null}
                {sessions > 0 ? link(users.endSessions, person, 'Sign out') : null}
                {isCustomer ? link(users.resetLink, person, 'Password link') : null}
                {isCustomer && hasSecondFactor
                  ? link(users.turnSecondFactorOff, person, 'Two steps off')
                  : null}
              </div>
            )
          },
        ],
      ]}
    />
  )
}

interface OrdersProps {
  context: SignedInContext
  payments: readonly Payment[]
}

function Orders({ context, payments }: OrdersProps) {
  return (
    <List
      label="Orders, newest first"
      rows={payments}
      none="Nothing was ordered."
      cells={[
        ['Order', (of) => <a href={context.href(paymentPath(of.id))}>{orderName(of)}</a>],
        ['Price', priceText],
        ['State', ({ state }) => (state === 'open' ? 'waits' : state)],
        ['Ordered', ({ createdAt }) => <Day at={createdAt} />],
      ]}
    />
  )
}
