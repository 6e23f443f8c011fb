/** The credits page: what it shows is the ledger, to the credit, however it is filtered, paged or saved. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { parse } from 'csv-parse/sync'
import { SCOPES } from '../../src/contract/endpoints.ts'
import { setAccount } from '../../src/money/accounts/accounts.ts'
import { grantCredits, startPlan } from '../../src/money/accounts/credits.ts'
import { createKey } from '../../src/money/accounts/keys.ts'
import { type Clock, startClock } from '../helpers/clock.ts'
import { BILLED_CALLS, fixtures } from '../helpers/fixtures.ts'
import { postgresService, type TestService } from '../helpers/service.ts'
import { expectBooksToBalance } from '../money/charge/fixtures.ts'
import { columnsIn, factIn, formIn, numberIn, tableIn, textIn } from './reading.ts'
import { csrfIn, type Person, startTown, type Town } from './visitor.ts'

const DAY_S = 86_400
const LEDGER = 'Transactions, newest first'

let service: TestService
let town: Town
let clock: Clock
let busy: Person
let keys: { id: string; key: string }[]

beforeAll(async () => {
  service = await postgresService(fixtures)
  town = await startTown(service)
  clock = await startClock(service.sql, Date.now())
  busy = await town.person('Busy')
  await grantCredits(service.database, busy.accountId, 1_000, 'topup')
  keys = [
    await createKey(service.database, busy.accountId, 'nightly', SCOPES),
    await createKey(service.database, busy.accountId, '=cmd', SCOPES),
  ]
  // Three days of calls to more endpoints than the chart has series, each another number of times.
  for (const _ of [1, 2, 3]) {
    for (const [position, path] of BILLED_CALLS.entries()) {
      for (let call = 0; call <= position % 4; call++) {
        const { key = '' } = keys[call % 2] ?? {}
        const headers = { authorization: `Bearer ${key}` }
        expect((await service.request(path, { headers })).status).toBe(200)
      }
    }
    await clock.advance(DAY_S)
    await busy.get('/balance')
  }
})
afterAll(async () => {
  await expectBooksToBalance(service.sql)
  await service.stop()
})

interface Booked {
  kind: string
  endpoint: string | null
  key: string | null
  day: string
  credits: number
  balance: number
  request: string | null
}

/** The books, newest first. */
const booked = async ({ accountId }: Person): Promise<Booked[]> => [
  ...(await service.sql<Booked[]>`
    select kind, endpoint, key_id as key, to_char(at at time zone 'UTC', 'YYYY-MM-DD') as day,
           credits::integer, balance_after::integer as balance, request_id as request
      from ledger where account_id = ${accountId} order by sequence desc`),
]
const sumOf = (entries: readonly { credits: number }[]) =>
  entries.reduce((sum, { credits }) => sum + credits, 0)
const balanceOf = async ({ accountId }: Person) => await service.balance(accountId)

const NEXT = /rel="next" href="([^"#]+)/

/** Every line that the page shows, following its link to older ones. */
async function shownLines(
  person: Person,
  query = '',
): Promise<{ lines: string[][]; pages: number }> {
  const lines: string[][] = []
  let next: string | undefined = `/balance${query}`
  let pages = 0
  while (next) {
    const page: string = await person.text(next)
    const rows = tableIn(page, LEDGER)
    lines.push(...rows)
    pages++
    if (rows.length > 0) {
      const shown = rows.reduce((sum, [, , credits = '']) => sum + numberIn(credits), 0)
      // A sum of some is not called that of all.
      const isAll = pages === 1 && !NEXT.test(page) && !query.includes('before')
      const said = `${Math.abs(shown).toLocaleString('en-US')} credits ${isAll ? 'in total' : 'together'}.`
      expect(textIn(page)).toContain(said)
    }
    next = NEXT.exec(page)?.[1]?.replaceAll('&amp;', '&')
  }
  return { lines, pages }
}

const asBooked = (entries: readonly Booked[]) =>
  entries.map(({ credits, balance, request }) => [credits, balance, request ?? ''])
const asShown = (lines: readonly string[][]) =>
  lines.map(([, , credits = '', balance = '', , request]) => [
    numberIn(credits),
    numberIn(balance),
    request,
  ])

async function csvOf(person: Person, query = '') {
  const response = await person.get(`/balance/ledger.csv${query}`)
  expect(response.headers.get('content-disposition')).toBe('attachment; filename="ledger.csv"')
  return parse(await response.text(), { columns: true }) as Record<string, string>[]
}

describe('the ledger shown', () => {
  test('is the ledger line by line over all its pages, and adds up to the balance', async () => {
    const books = await booked(busy)
    expect(books.length).toBeGreaterThan(25)
    const { lines, pages } = await shownLines(busy)
    expect(pages).toBe(Math.ceil(books.length / 25))
    expect(asShown(lines)).toEqual(asBooked(books))
    const page = await busy.text('/balance')
    const [, figure = ''] = /<p class="figure">(.*?)<\/p>/s.exec(page) ?? []
    expect(numberIn(textIn(figure))).toBe(sumOf(books))
    expect(sumOf(books)).toBe(await balanceOf(busy))
  })

  test('its pages miss and repeat nothing while calls go on', async () => {
    const before = await booked(busy)
    const first = await busy.text('/balance')
    const { key = '' } = keys[0] ?? {}
    await service.request('/v1/people', { headers: { authorization: `Bearer ${key}` } })
    const next = /rel="next" href="([^"#]+)/.exec(first)?.[1]?.replaceAll('&amp;', '&') ?? ''
    const { lines } = await shownLines(busy, next.replace('/balance', ''))
    expect(asShown([...tableIn(first, LEDGER), ...lines])).toEqual(asBooked(before))
  })

  test('filtered by key, endpoint, day, request or several, it is those entries and their sum', async () => {
    const books = await booked(busy)
    const charge = books.find(({ kind }) => kind === 'charge')
    const day = books.at(-1)?.day ?? ''
    const key = keys[1]?.id ?? ''
    const filters: [Record<string, string>, (entry: Booked) => boolean][] = [
      [{ key }, (it) => it.key === key],
      [{ endpoint: '/v1/people/{id}' }, (it) => it.endpoint === '/v1/people/{id}'],
      [{ day }, (it) => it.day === day],
      [{ request: charge?.request ?? '' }, (it) => it.request === charge?.request],
      [
        { key, endpoint: '/v1/people/{id}', day },
        (it) => it.key === key && it.endpoint === '/v1/people/{id}' && it.day === day,
      ],
      [{ key: '', endpoint: '', day: '' }, () => true],
    ]
    for (const [filter, matches] of filters) {
      const query = `?${new URLSearchParams(filter)}`
      const wanted = books.filter(matches)
      expect([query, wanted.length > 0]).toEqual([query, true])
      const { lines } = await shownLines(busy, query)
      expect([query, asShown(lines)]).toEqual([query, asBooked(wanted)])
      const saved = await csvOf(busy, query)
      expect([
        query,
        saved.map((row) => [Number(row.credits), Number(row.balanceAfter), row.requestId]),
      ]).toEqual([query, asBooked(wanted)])
    }
  })

  test('as CSV it is the whole of it, and a label that a spreadsheet would run is text', async () => {
    const saved = await csvOf(busy)
    expect(saved.reduce((sum, { credits }) => sum + Number(credits), 0)).toBe(await balanceOf(busy))
    expect(saved.map(({ via }) => via)).toContain(`'=cmd`)
    expect(saved.some(({ via }) => via === '=cmd')).toBe(false)
  })

  test.each(['key=x', 'day=2025-02-30', 'day=x', `endpoint=${'x'.repeat(3_000)}`])(
    'what no entry can match, %#, finds none',
    async (query) => {
      const response = await busy.get(`/balance?${query}`)
      expect(response.status).toBe(200)
      expect(await response.text()).toContain('No transactions match.')
      expect(await csvOf(busy, `?${query}`)).toEqual([])
    },
  )

  test('a cursor that is none is the first page', async () => {
    const first = tableIn(await busy.text('/balance'), LEDGER)
    for (const before of ['x', '-1', '1e9', '9'.repeat(40), '']) {
      expect(tableIn(await busy.text(`/balance?before=${before}`), LEDGER)).toEqual(first)
    }
  })
})

test('where months are in the archive, their sum is a line of the list, and its end says from when transactions are listed', async () => {
  const old = await town.person('Old')
  await service.sql`update accounts set created_at = '2020-01-01Z' where id = ${old.accountId}`
  await service.sql`
    insert into ledger_archives values ('2020-05-01Z', 'ledger-until-2020-04.csv.gz', 1, 0, '', now())`
  await service.sql`
    insert into ledger (account_id, at, kind, credits, balance_after) values (${old.accountId}, '2020-05-01Z', 'carried', 0, ${await balanceOf(old)})`
  const note = 'Transactions before 2020-05-01 are archived and not listed here.'
  const page = await old.text('/balance')
  expect(tableIn(page, LEDGER).flat()).toContain(
    'Carried forward: the sum of all transactions before 2020-05-01',
  )
  expect(textIn(page)).toContain(note)
  expect(textIn(await old.text('/balance?day=2020-04-30'))).toContain(note)
  expect(textIn(await old.text('/balance?day=2020-05-01'))).not.toContain(note)
  // Who came later has nothing there.
  expect(textIn(await busy.text('/balance'))).not.toContain('archived')
  await service.sql`delete from ledger_archives`
})

describe('the chart', () => {
  test('has the sums of its table, of the note above it, and of the ledger, by day and endpoint', async () => {
    const page = await busy.text('/balance')
    const [, ...series] = columnsIn(page, 'Credits per day')
    const rows = tableIn(page, 'Credits per day')
    const totals = rows.at(-1)?.slice(1).map(numberIn) ?? []
    const charges = (await booked(busy)).filter(({ kind }) => kind === 'charge')
    expect(series).toHaveLength(7)
    expect(series.slice(-2)).toEqual(['Others', 'All'])
    for (const [i, name] of series.slice(0, 5).entries()) {
      expect([name, totals[i]]).toEqual([
        name,
        -sumOf(charges.filter((it) => it.endpoint === name)),
      ])
    }
    expect(totals.at(-1)).toBe(-sumOf(charges))
    expect(totals.slice(0, -1).reduce((sum, it) => sum + it, 0)).toBe(-sumOf(charges))
    const days = rows.slice(0, -1).map((cells) => numberIn(cells.at(-1) ?? ''))
    const booksByDay = [...new Set(charges.map(({ day }) => day))].map(
      (day) => -sumOf(charges.filter((it) => it.day === day)),
    )
    expect(days).toEqual(booksByDay)
    expect(textIn(page)).toContain(`${-sumOf(charges)} credits in ${charges.length} calls`)

    const bars = page.matchAll(/<title>(\d+ \w+ \d+): ([^,]+), ([\d,]+) credits?<\/title>/g)
    const drawn = [...bars].map(([, day, name, credits = '']) => ({
      day,
      name,
      n: numberIn(credits),
    }))
    const tabled = rows.slice(0, -1).flatMap(([day, ...cells]) =>
      series.slice(0, -1).flatMap((name, i) => {
        const n = numberIn(cells[i] ?? '')
        return n > 0 ? [{ day, name, n }] : []
      }),
    )
    const sorted = (bars: { day: string | undefined; name: string | undefined; n: number }[]) =>
      bars.map(({ day, name, n }) => `${day} ${name} ${n}`).sort()
    expect(sorted(drawn)).toEqual(sorted(tabled))
  })

  test('an account that was charged nothing has none', async () => {
    const fresh = await town.person()
    const page = await fresh.text('/balance')
    expect(page).toContain('Nothing was charged in the last 30 days.')
    expect(page).not.toContain('class="chart"')
  })
})

describe('what is left', () => {
  test('each grant says until when, and they add up to the balance', async () => {
    const someone = await town.person()
    await startPlan(service.database, someone.accountId, 'pro', true)
    await grantCredits(service.database, someone.accountId, 40, 'topup')
    const page = await someone.text('/balance')
    expect(factIn(page, 'Trial')).toMatch(/^250 of 250, expires \d+ \w+ \d{4}$/)
    expect(factIn(page, 'Plan')).toMatch(/^6,000 of 6,000, expires \d+ \w+ \d{4}$/)
    expect(factIn(page, 'Top-up')).toBe('40 of 40, never expires')
    expect(await balanceOf(someone)).toBe(6_290)
  })

  test('what has expired is gone from the page that is looked at next, and the ledger says so', async () => {
    const someone = await town.person()
    await grantCredits(service.database, someone.accountId, 70, 'trial', { lastsSeconds: 60 })
    expect(textIn(await someone.text('/balance'))).toContain('320 credits')
    await clock.advance(61)
    const page = await someone.text('/balance')
    expect(tableIn(page, LEDGER)[0]?.slice(1, 5)).toEqual(['Expired: trial', '−70', '250', ''])
    expect(textIn(page)).toContain('250 credits')
    expect(factIn(page, 'Trial')).toStartWith('250 of 250')
  })

  test('where there is no ceiling it says so, also below zero', async () => {
    const someone = await town.person()
    await setAccount(service.database, someone.accountId, { tier: 'enterprise' })
    const { key } = await createKey(service.database, someone.accountId, 'k', SCOPES)
    for (let call = 0; call < 51; call++) {
      await clock.advance(1)
      await service.request('/v1/people', { headers: { authorization: `Bearer ${key}` } })
    }
    const page = await someone.text('/balance')
    expect(page).toContain('Your plan has no credit limit.')
    expect(/<p class="figure">(.*?)<\/p>/s.exec(page)?.[1]).toStartWith('−5 ')
    expect(tableIn(page, LEDGER)[0]?.[3]).toBe('−5')
  })
})

describe('stopping a plan', () => {
  test('is asked first, done with a press, and leaves its credits until it ends', async () => {
    const someone = await town.person()
    await startPlan(service.database, someone.accountId, 'essential', true)
    expect(await someone.text('/balance')).toContain('Renews on')
    expect(textIn(await someone.text('/balance/stop-plan'))).toContain('Cancel the Essential plan?')
    expect(await someone.text('/balance')).toContain('Renews on')
    const stopped = await someone.submit('/balance/stop-plan', {})
    expect(stopped.headers.get('location')).toBe('/balance?said=stopped')
    const page = await someone.text('/balance?said=stopped')
    expect(textIn(page)).toContain('Your plan is cancelled.')
    expect(textIn(page)).toContain('Ends on')
    expect(await balanceOf(someone)).toBe(3_250)
    expect((await someone.get('/balance/stop-plan')).status).toBe(404)
  })

  test('what there is nothing to stop of, or is not one’s own to stop, is not there', async () => {
    const host = await town.person('Host')
    expect((await host.get('/balance/stop-plan')).status).toBe(404)
    expect((await host.submit('/keys', {}, '/balance/stop-plan')).status).toBe(404)
    await startPlan(service.database, host.accountId, 'team', true)
    const guest = await town.person('Guest')
    await service.sql`
      insert into members (account_id, user_id, role, joined_at)
      values (${host.accountId}, ${guest.userId}, 'member', meter_now())`
    await service.sql`update sessions set account_id = ${host.accountId} where user_id = ${guest.userId}`
    const page = await guest.text('/balance')
    expect(textIn(page)).toContain('Renews on')
    expect(page).not.toContain('/balance/stop-plan')
    expect((await guest.get('/balance/stop-plan')).status).toBe(404)
    const csrf = csrfIn(page)
    expect((await guest.post('/balance/stop-plan', [['csrf', csrf]])).status).toBe(404)
    expect(formIn(await host.text('/balance/stop-plan'), '/balance/stop-plan')).toBeDefined()
  })
})
