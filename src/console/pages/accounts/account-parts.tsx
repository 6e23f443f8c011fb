/** @jsxImportSource hono/jsx */
/** An account's keys, people and orders on the operator's page of it. */
import type { KeyUse } from '../../../money/accounts/keys.ts'
import type { Payment } from '../../../money/payments/payments.ts'
import type { SignedInContext } from '../../../site/http/page.ts'
import { orderName, priceText } from '../../../site/pages/billing/order.tsx'
import { Limits } from '../../../site/pages/keys/keys.tsx'
import { Badge } from '../../../site/ui/badges.tsx'
import { numbers, Table } from '../../../site/ui/page-parts.tsx'
import { Day, figure, humanize, plural } from '../../../site/ui/text.tsx'
import type { AccountPerson } from '../../acts/account-search.ts'
import { DangerLink, type DangerName } from '../../ui/dangers.tsx'
import { paymentPath } from '../../ui/paths.ts'

interface KeysProps {
  context: SignedInContext
  account: string
  keys: readonly KeyUse[]
}

export function Keys({ context, account, keys }: KeysProps) {
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
              <DangerLink
                context={context}
                danger="revoke-key"
                on={account}
                of={key.id}
                label={`Revoke ${key.label}`}
              >
                Revoke
              </DangerLink>
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
          <DangerLink context={context} danger="revoke-keys" on={account}>
            Revoke all {figure(inForce.length)}
          </DangerLink>
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

export function People({ context, account, people }: PeopleProps) {
  if (people.length === 0)
    return <p class="empty">Nobody signs in to it: it was made by a command.</p>
  const link = (danger: DangerName, person: AccountPerson, text: string) => (
    <DangerLink
      context={context}
      danger={danger}
      on={account}
      of={person.id}
      label={`${text}: ${person.name}`}
    >
      {text}
    </DangerLink>
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

export function Orders({ context, payments }: OrdersProps) {
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
