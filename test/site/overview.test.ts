/** The first page of whoever is signed in. */
import { describe, expect, test } from 'bun:test'
import { grantCredits } from '../../src/money/accounts/credits.ts'
import { createKey } from '../../src/money/accounts/keys.ts'
import { overviewOf } from '../../src/money/accounts/overview.ts'
import { sumLedger } from '../../src/money/charge/ledger-days.ts'
import { openPayment } from '../../src/money/payments/payments.ts'
import { paceText } from '../../src/site/pages/overview/overview.tsx'
import { fixtures } from '../helpers/fixtures.ts'
import { shared, sharedPostgresService } from '../helpers/shared.ts'
import { tableIn, textIn } from './reading.ts'
import { startTown } from './visitor.ts'

const service = sharedPostgresService(fixtures)
const town = shared(() => startTown(service, { application: { requests: service.requests } }))

describe('the overview', () => {
  test('is where somebody who is signed in begins; a stranger sees the home page', async () => {
    const ada = await town.person()
    const first = await ada.get('/')
    expect([first.status, first.headers.get('location')]).toEqual([303, '/overview'])
    const home = await town.visitor().get('/')
    expect([home.status, await home.text()]).toMatchObject([
      200,
      expect.stringContaining('<h1>The people of'),
    ])
    expect((await town.visitor().get('/overview')).headers.get('location')).toContain('/sign-in')
  })

  test('shows first steps until the first live call, then calls by outcome, errors with cures, keys', async () => {
    const ada = await town.person()
    await grantCredits(service.database, ada.accountId, 1_000, 'topup')
    const steps = await ada.text('/overview')
    expect(textIn(steps)).toContain('First steps')
    expect(textIn(steps)).toContain(
      'Nothing was charged in the last hour, so there is no pace to go by.',
    )
    const { key, prefix } = await createKey(service.database, ada.accountId, 'nightly', [
      'read:metadata',
    ])
    const call = (path: string) =>
      service.request(path, { headers: { authorization: `Bearer ${key}` } })
    await call('/v1/me')
    expect(textIn(await ada.text('/overview'))).toContain('First steps')
    await call('/v1/people')
    await call('/v1/people/nobody-there')
    await call('/v1/search')
    const page = await ada.text('/overview')
    expect(textIn(page)).not.toContain('First steps')
    expect(tableIn(page, 'Calls per day').at(-1)).toEqual(['All days', '2', '1', '1', '4'])
    expect(tableIn(page, 'Latest errors').map(([, asked]) => asked)).toEqual([
      'GET /v1/search',
      'GET /v1/people/{id}',
    ])
    expect(page).toContain('/docs/errors#missing_parameter')
    expect(textIn(page)).toContain(`nightly ${prefix}… Last used`)
    expect(textIn(page)).toContain('You spent 5 credits in the last hour, too short a time')
  })

  test('names orders that wait, and nothing of other accounts', async () => {
    const [ada, eve] = [await town.person(), await town.person('Eve')]
    await openPayment(service.database, ada.accountId, ada.userId, { plan: 'pro' })
    expect(textIn(await ada.text('/overview'))).toContain('1 order waits for its payment')
    expect(textIn(await eve.text('/overview'))).not.toContain('order waits')
  })

  test('says of a tier that the operator set what Usage says', async () => {
    const ada = await town.customer(100, 'enterprise')
    const said = 'The operator has set this account to the Enterprise tier.'
    expect(textIn(await ada.text('/overview'))).toContain(said)
    expect(textIn(await ada.text('/balance'))).toContain(said)
  })

  test('claims nothing of calls where the operator keeps no log of requests', async () => {
    const without = await startTown(service)
    const ada = await without.person('Nolog')
    await createKey(service.database, ada.accountId, 'nightly', ['read:metadata'])
    await service.sql`
      insert into ledger (account_id, at, kind, credits, balance_after, endpoint, key_id)
      values (${ada.accountId}, now(), 'charge', -5, 245, '/v1/people', gen_random_uuid())`
    const page = textIn(await ada.text('/overview'))
    expect(page).toContain('The operator keeps no log of requests')
    for (const claim of ['No key made a call', 'None of the latest', 'not used in the latest']) {
      expect(page).not.toContain(claim)
    }
    expect(textIn(await ada.text('/requests'))).not.toContain('No calls yet.')
  })

  test('shows no first steps to an account whose first calls lie behind many charges of the application', async () => {
    const { accountId } = await town.person()
    await service.sql`
      insert into ledger (account_id, at, kind, credits, balance_after, endpoint, key_id)
      select ${accountId}, now() - interval '60 days', 'charge', -5, 0, '/people', ${accountId}
        from generate_series(1, 1001)`
    const [key] = await service.sql`
      select id from api_keys where account_id = ${accountId} and environment = 'web'`
    expect(key?.id).toBe(accountId)
    expect((await overviewOf(service.database, accountId))?.hasCalled).toBe(false)
    await sumLedger(service.database)
    expect((await overviewOf(service.database, accountId))?.hasCalled).toBe(false)
    await service.sql`
      insert into ledger (account_id, at, kind, credits, balance_after, endpoint, key_id)
      values (${accountId}, now() - interval '40 days', 'charge', -5, 0, '/v1/people', gen_random_uuid())`
    expect((await overviewOf(service.database, accountId))?.hasCalled).toBe(true)
    await sumLedger(service.database)
    expect((await overviewOf(service.database, accountId))?.hasCalled).toBe(true)
  })
})

test('how long credits last claims no more than is known', () => {
  const said = (balance: number, credits: number, days: number) =>
    paceText({ balance, unlimited: false }, { credits, days })
  expect(said(1_000, 700, 7)).toBe(
    'You spent 700 credits in the last 7 days. At this pace the balance lasts about 10 days.',
  )
  expect(said(1_000, 700, 6.1)).toBe(
    'You spent 700 credits in the last 7 days. At this pace the balance lasts about 8 days.',
  )
  expect(said(1_000, 0, 7)).toContain('no pace to go by')
  expect(said(0, 700, 7)).toStartWith('No credits are left.')
  expect(said(10, 700, 7)).toContain('less than a day')
  expect(said(1_000_000, 7, 7)).toContain('more than a year')
  expect(said(1_000, 5, 0.01)).toContain('in the last hour, too short a time')
  expect(paceText({ balance: 1, unlimited: true }, { credits: 1, days: 1 })).toContain(
    'no credit limit',
  )
})
