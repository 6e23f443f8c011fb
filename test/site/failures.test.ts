/** Pages of what went wrong: each says what is known of a charge, and never more. */
import { describe, expect, test } from 'bun:test'
import { createConnection } from 'node:net'
import { DatabaseUnavailable } from '../../src/database/client.ts'
import { createLog } from '../../src/log.ts'
import { createMeter, type Meter } from '../../src/money/charge/meter.ts'
import { TooBusy } from '../../src/people/users/answers.ts'
import { failureOf } from '../../src/site/frame/failures.tsx'
import { renderHtml } from '../../src/site/http/html.ts'
import { openTestDirectory } from '../../src/testing/directory.ts'
import { ADA, fixtures } from '../helpers/fixtures.ts'
import { PATIENCE_MS } from '../helpers/limit.ts'
import { shared, sharedPostgresService } from '../helpers/shared.ts'
import { expectBooksToBalance } from '../money/charge/fixtures.ts'
import { formIn, textIn } from './reading.ts'
import { SITE } from './site.ts'
import { type Person, startTown } from './visitor.ts'

const ADAS = `/people/${ADA.slug}`
const UNKNOWN =
  "We don't know whether this was charged: Usage shows it. Reload this page to send the same form again; it is charged once at most."

const unsent = () => new DatabaseUnavailable('no connection')
const unanswered = () => new DatabaseUnavailable('no answer', { isUnknown: true })

/** Thrown before the meter is asked, or after it has answered. */
let before: (() => Error) | undefined
let after: (() => Error) | undefined

const service = sharedPostgresService(fixtures)
const town = shared(
  async () => {
    const meter = createMeter(service.database, { maxWaitMs: PATIENCE_MS })
    const charge: Meter['charge'] = async (call) => {
      if (before) throw before()
      const outcome = await meter.charge(call)
      if (after) throw after()
      return outcome
    }
    const application = { meter: { ...meter, charge } }
    return startTown(service, { trialCredits: 0, application })
  },
  () => expectBooksToBalance(service.sql),
)

async function reveal(someone: Person, form?: URLSearchParams) {
  const sent = form ?? formIn(await someone.text(ADAS), ADAS) ?? new URLSearchParams()
  const response = await someone.post(ADAS, sent)
  before = after = undefined
  return { form: sent, response, text: textIn(await response.text()) }
}

const balanceOf = async ({ accountId }: Person) => {
  const [row] = await service.sql`select balance::integer from accounts where id = ${accountId}`
  return row?.balance
}

describe('a reveal that fails', () => {
  test('before its charge was sent says that nothing was charged', async () => {
    const someone = await town.customer(20, 'starter')
    before = unsent
    const { response, text } = await reveal(someone)
    expect([response.status, response.headers.get('retry-after')]).toEqual([503, '2'])
    expect(text).toContain('Nothing was charged.')
    expect(text).not.toContain("We don't know")
  })

  test.each<[string, () => Error, number]>([
    ['without an answer from the database', unanswered, 503],
    ['with a fault of the service', () => new TypeError('a fault'), 500],
  ])('%s says that its charge is unknown', async (_, error, status) => {
    for (const isCharged of [false, true]) {
      const someone = await town.customer(20, 'starter')
      if (isCharged) after = error
      else before = error
      const failed = await reveal(someone)
      expect([failed.response.status, failed.text.includes(UNKNOWN)]).toEqual([status, true])
      expect(failed.text).not.toContain('othing was charged')
    }
  })

  test('is charged once when its page is reloaded, which sends the same form', async () => {
    const someone = await town.customer(20, 'starter')
    after = unanswered
    const { form } = await reveal(someone)
    const { response, text } = await reveal(someone, form)
    expect(response.status).toBe(200)
    expect(text).toContain(ADA.email)
    expect(await balanceOf(someone)).toBe(10)
  })
})

const KEYED = new URLSearchParams({ idempotencyKey: crypto.randomUUID() })
const fault = () => new TypeError('a fault')
const busy = () => new TooBusy('too many passwords wait')

test.each<[string, () => Error, URLSearchParams | undefined, boolean]>([
  ['a page that is only read', unanswered, undefined, true],
  ['a fault in a page that is only read', fault, undefined, true],
  ['a form that charges nothing', unanswered, new URLSearchParams({ name: 'Ada' }), true],
  ['a fault in a form that charges nothing', fault, new URLSearchParams({ name: 'Ada' }), true],
  ['too many passwords', busy, KEYED, true],
  ['a charge that was not sent', unsent, KEYED, true],
  ['a charge without an answer', unanswered, KEYED, false],
  ['a fault in a form that charges', fault, KEYED, false],
])('%s says truly what was charged', async (_, error, form, isUncharged) => {
  const { page } = failureOf(SITE, error(), 'a-request', form)
  const text = textIn(await renderHtml(page.main))
  expect([text.includes('Nothing was charged.'), text.includes(UNKNOWN)]).toEqual([
    isUncharged,
    !isUncharged,
  ])
})

test('too much at once is said of whatever form it was, not of signing in alone', async () => {
  const { page } = failureOf(SITE, busy(), 'a-request', undefined)
  expect([page.status, page.title]).toEqual([503, 'Very much is being asked at once'])
})

test.each<[string, string | undefined, string]>([
  ['the page that its browser names', `${SITE.appUrl}/people?q=a&page=2`, '/people?q=a&amp;page=2'],
  ['where it was sent, from another host', 'https://elsewhere.example/people', '/sign-in?x=1'],
  ['where it was sent, from what is no page', `blob:${SITE.appUrl}/people`, '/sign-in?x=1'],
  ['where it was sent, from a browser that names none', undefined, '/sign-in?x=1'],
])('a form that is refused leads back to %s', async (_, referer, path) => {
  const refused = await town
    .visitor()
    .post('/sign-in?x=1', [['csrf', 'of another form']], referer === undefined ? {} : { referer })
  expect(refused.status).toBe(403)
  const [, href] = /href="([^"]+)"[^>]*>Go back</.exec(await refused.text()) ?? []
  expect(href?.replace(SITE.appUrl, '')).toBe(path)
})

test('a client that leaves in the middle of its form is noted for who debugs, and is no error', async () => {
  const logged: string[] = []
  const log = createLog('debug', (line) => logged.push(line))
  const { directory } = await openTestDirectory({ companies: [] }, { log })
  await using dir = directory
  const { hostname, port } = new URL(dir.appUrl)
  const form = ['Content-Type: application/x-www-form-urlencoded', 'Content-Length: 1000']
  const socket = createConnection({ host: hostname, port: Number(port) })
  socket.write(['POST /sign-in HTTP/1.1', 'Host: x', ...form, '', 'email=a'].join('\r\n'))
  // What is sent arrives before the hanging up.
  socket.end()
  while (!logged.some((line) => line.includes('a client left'))) await Bun.sleep(5)
  socket.destroy()
  const entries = logged.map((line) => JSON.parse(line))
  expect(entries.filter(({ level }) => level === 'warn' || level === 'error')).toEqual([])
  expect(entries.find(({ message }) => message === 'a client left')?.level).toBe('debug')
})
