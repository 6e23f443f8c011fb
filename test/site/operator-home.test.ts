/** The operator's first page: what waits, how the service does, and figures that are the ledger's own. */
import { expect, test } from 'bun:test'
import { countFigures, FIGURE_DAYS, figuresByDay } from '../../src/console/acts/figures.ts'
import { setRecord } from '../../src/intake/editing/edit.ts'
import { importRows } from '../../src/intake/import/import.ts'
import { openPayment } from '../../src/money/payments/payments.ts'
import { shared, sharedService } from '../helpers/shared.ts'
import { sharedOperator } from './operators.ts'
import { tableIn, textIn } from './reading.ts'
import { startTown } from './visitor.ts'

const service = sharedService()
const town = shared(() =>
  startTown(service, {
    console: {
      checks: async () => ({
        clock: { state: 'ok', text: '3 ms from the database’s' },
        backups: { state: 'failed', text: 'none of this database in /backups' },
        disk: { state: 'skipped', text: 'not seen from here' },
      }),
    },
  }),
)

const operator = sharedOperator(service, town)

/** Sum of one figure over all days. */
const sumOf = (
  days: Awaited<ReturnType<typeof countFigures>>,
  name: 'sold' | 'givenFree' | 'spent',
) => days.reduce((sum, day) => sum + day[name], 0)

test('shows orders that wait, checks with what they found, and days', async () => {
  const { accountId, userId } = await town.customer(0, 'free')
  const order = await openPayment(service.database, accountId, userId, { plan: 'pro' })
  const html = await operator.text('/operator')
  const text = textIn(html)
  for (const said of [
    ...['Orders that wait 1', 'Pro plan', '$99 a month', 'ready', 'Clock', 'ok 3 ms from'],
    ...['problem none of this database in /backups', 'Disk not seen from here'],
  ]) {
    expect(text).toContain(said)
  }
  expect(html).toContain(`<a href="/operator/payments/${order}">Pro plan`)
  for (const path of ['accounts', 'audit', 'backups'])
    expect(html.match(new RegExp(`href="/operator/${path}"`, 'g'))?.length).toBeGreaterThan(1)
  const rows = tableIn(html, 'Figures by day, newest first')
  expect(rows.length).toBeWithin(1, FIGURE_DAYS + 1)
  const made = rows.reduce((sum, [, accounts]) => sum + Number(accounts), 0)
  expect(made).toBeGreaterThan(1)
  expect(tableIn(html, 'Newest accounts').length).toBeGreaterThan(0)
})

test('says how many privacy requests wait, and leads to them', async () => {
  const waiting = async () =>
    Number(/Privacy requests that wait (\d+)/.exec(textIn(await operator.text('/operator')))?.[1])
  const before = await waiting()
  await service.sql`
    insert into privacy_requests (kind, state, email, person, asked_at)
    values ('show', 'open', 'ada@example.com', 'Ada', now()), ('show', 'unconfirmed', 'eve@example.com', 'Eve', now())`
  expect(await waiting()).toBe(before + 1)
  expect(await operator.text('/operator')).toContain('href="/operator/directory/requests"')
})

test('credits sold, given free and spent are the sums of grants and of the ledger, whether its days are summed up or not', async () => {
  const one = await town.customer(400, 'pro')
  const { accountId } = one
  const before = await countFigures(service.database)
  await service.sql`select meter_grant(${accountId}, 'topup', 70, null, null)`
  await service.sql`select meter_grant(${accountId}, 'referral', 30, null, null)`
  const charge = () => service.sql`
    with spent as (update accounts set balance = balance - 5, unallotted = unallotted + 5
                    where id = ${accountId} returning balance)
    insert into ledger (account_id, at, kind, credits, balance_after, key_id, endpoint)
    select ${accountId}, now(), 'charge', -5, balance, ${accountId}, '/v1/people' from spent`
  for (let i = 0; i < 4; i++) await charge()
  const sumUp = () => service.sql`select ledger_sum(no_key(), 10000, 1000)`
  await sumUp()
  for (let i = 0; i < 3; i++) await charge()
  const after = await countFigures(service.database)
  expect(after.map(({ day }) => day)).toEqual(
    [...new Set(after.map(({ day }) => day))].sort().reverse(),
  )
  const rose = (name: 'sold' | 'givenFree' | 'spent') => sumOf(after, name) - sumOf(before, name)
  expect([rose('sold'), rose('givenFree'), rose('spent')]).toEqual([70, 30, 35])
  await sumUp()
  expect(sumOf(await countFigures(service.database), 'spent')).toBe(sumOf(after, 'spent'))
})

test('the audit log leads to what each act was done to and to its change, and finds acts by name', async () => {
  const { accountId, userId } = await town.customer(0, 'free')
  const payment = await openPayment(service.database, accountId, userId, { topUp: 'small' })
  await operator.submit('/operator/payments', { ids: payment ?? '', action: 'accept' })
  await importRows(service.database, 'companies', [
    { externalId: 'audited', name: 'Audited', companyType: 'project' },
  ])
  const { id, change } = await setRecord(
    ...([service.database, 'company', 'audited', { createdAt: '2021-01-05 10:20:30' }] as const),
    { via: 'page', userId: operator.userId, who: operator.email, address: null },
  )
  const html = await operator.text('/operator/audit')
  for (const path of [
    ...[`accounts/${accountId}`, `payments/${payment}`],
    ...[`directory/companies/${id}`, `directory/journal?change=${change}`],
  ])
    expect(html).toContain(`href="/operator/${path}"`)
  expect(textIn(html)).not.toMatch(/\d{4}-\d\d-\d\dT|Change: none/)
  const imported = tableIn(html, 'What was done, newest first').find(
    ([, , act]) => act === 'directory.import',
  )
  expect(imported?.[1]).toBe('via command')
  const ofOne = await operator.text('/operator/audit?act=payment.accept')
  expect(tableIn(ofOne, 'What was done, newest first').map(([, , act]) => act)).toEqual([
    'payment.accept',
  ])
  const [row] = tableIn(
    await operator.text(`/operator/directory/journal?change=${change}`),
    'Changes, newest first',
  )
  expect(row?.[2]).toBe(`${change}: set`)
})

test('the page that asks once more is of the part of the menu that leads to it', async () => {
  const { accountId, userId } = await town.customer(0, 'free')
  const html = await operator.text(`/operator/confirm?act=reset-link&on=${accountId}&of=${userId}`)
  expect(html).toMatch(/<a href="\/operator\/accounts" aria-current="true"/)
})

test('figures are counted once for whoever asks within a minute, so that operators hold up no charges', async () => {
  const [one, other] = [figuresByDay(service.database), figuresByDay(service.database)]
  expect(one).toBe(other)
  expect(await one).toHaveLength(FIGURE_DAYS)
})
