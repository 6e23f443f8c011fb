/** The client against the real service: methods, types, samples, pages, limits on credits, and what it refuses. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { rejection } from '../../../test/helpers/rejection.ts'
import { ENDPOINTS } from '../../contract/endpoints.ts'
import { ERRORS } from '../../contract/errors.ts'
import {
  type AccountOptions,
  fixtures,
  startDirectory,
  type TestDirectory,
} from '../../testing/start.ts'
import { Chainkin, type ChainkinOptions, isChainkinError } from '../chainkin.ts'
import type { Samples } from '../options.ts'

const { people, companies } = fixtures

let dir: TestDirectory
beforeAll(async () => {
  dir = await startDirectory({ listen: false })
})
afterAll(() => dir.stop())

/** Requests that were sent, newest last. */
const sent: { url: string; headers: Record<string, string> }[] = []

async function clientOf<S extends Samples = 'refuse'>(
  account: AccountOptions,
  options: Partial<ChainkinOptions<S>> = {},
) {
  const made = await dir.account(account)
  const client = new Chainkin<S>({
    url: dir.url,
    key: made.key,
    fetch: (url, init) => {
      sent.push({ url, headers: init.headers })
      return dir.fetch(url, init)
    },
    ...options,
  })
  return { client, account: made }
}

/** The error of a call. */
async function failureOf(call: Promise<unknown>) {
  const error = await rejection(call)
  if (!isChainkinError(error)) throw error
  return error
}

describe('methods', () => {
  test('every operation of the document is a method, and answers what the API does with its types', async () => {
    const { client } = await clientOf({ tier: 'pro', credits: 200 })
    sent.length = 0

    const me = await client.getAccount()
    const tier: 'free' | 'starter' | 'pro' | 'team' | 'enterprise' = me.tier
    const list = await client.listPeople({
      roles: ['founder', 'investor'],
      channels: 'email',
      sort: 'name',
    })
    const firstName: string | null | undefined = list.data[0]?.firstName
    const reveal = await client.getPerson(people.ada.slug, { include: 'private' })
    const email: string | null = reveal.data.person.email
    const projects = await client.listProjects({ sector: ['Lending', 'Wallet'], token: 'launched' })
    const launched: boolean | null | undefined = projects.data[0]?.tokenLaunched
    const { project, team } = await client.getProject(companies.aurora.id)
    const amount: number | null | undefined = project.fundingRounds[0]?.amountUsd
    const investors = await client.listInvestors({ sort: 'roi', trustTier: 'B' })
    const roi: number | null | undefined = investors.data[0]?.fundAllTimeRoiPct
    const fund = await client.getInvestor(companies.ember.slug)
    const backed: string | undefined = fund.portfolio[0]?.company.name
    const services = await client.listServices({ q: 'harbor', limit: 1, page: undefined })
    const { service } = await client.getService(companies.iris.slug)
    const found = await client.search({ q: 'aurora & co?' })
    const q: string = found.q

    expect([tier, firstName, email, launched]).toEqual(['pro', 'Ada', people.ada.email, true])
    expect([amount, team[0]?.email, roi]).toEqual([10_000_000, people.ada.email, 300])
    expect([backed, services.data[0]?.slug]).toEqual([
      companies.borealis.name,
      companies.harbor.slug,
    ])
    expect([service.ticker, q]).toEqual([companies.iris.ticker, 'aurora & co?'])

    const paths = Object.values(ENDPOINTS).map(({ path }) => path.replace(/:\w+$/, ''))
    expect(paths.filter((path) => !sent.some(({ url }) => url.includes(path)))).toEqual([])
    for (const { operationId } of Object.values(ENDPOINTS)) {
      expect(client[operationId]).toBeInstanceOf(Function)
    }
  })

  test('each call says what it took, and the client what is left', async () => {
    const { client, account } = await clientOf({ tier: 'pro', credits: 100 })
    expect([client.balance, client.rate, client.spent]).toEqual([null, null, 0])
    const { call, ...body } = await client.getPerson(people.ada.slug, { include: 'private' })
    expect(call).toMatchObject({ attempts: 1, replayed: false, charged: 10, balance: 90 })
    expect(call.rate).toMatchObject({ limit: 120, remaining: 119 })
    // Copies and prints show the API's own answer.
    expect(Object.keys(body).sort()).toEqual(['creditsBalance', 'creditsCharged', 'data', 'meta'])
    expect([client.balance, client.rate?.remaining, client.spent]).toEqual([90, 119, 10])
    const ledger = await account.ledger()
    expect(ledger.map(({ requestId }) => requestId)).toEqual([null, call.requestId])
  })

  test('an answer with the caller’s own Idempotency-Key is a repeat the second time', async () => {
    const { client } = await clientOf({ tier: 'pro', credits: 100 })
    const options = { idempotencyKey: 'people-page-1' }
    expect((await client.listPeople({}, options)).call.charged).toBe(5)
    const { call } = await client.listPeople({}, options)
    expect(call).toMatchObject({ replayed: true, charged: 0, idempotencyKey: 'people-page-1' })
    expect(client.spent).toBe(5)
  })

  test('the key is in the header alone, and in nothing that is printed', async () => {
    const { client, account } = await clientOf({ tier: 'pro' })
    sent.length = 0
    const error = await failureOf(client.listPeople({ q: 'ada' }))
    expect(sent[0]?.headers.authorization).toBe(`Bearer ${account.key}`)
    expect(sent[0]?.url).not.toContain(account.key)
    const printed = Bun.inspect({ client, error }) + JSON.stringify({ client, error }) + error.stack
    expect(printed).not.toContain(account.key)
  })
})

describe('samples', () => {
  test('a sample is an error, unless the caller has allowed samples', async () => {
    const { client } = await clientOf({ tier: 'free' })
    const error = await failureOf(client.listPeople())
    if (error.code !== 'sample_refused') throw error
    expect([error.charged, error.creditsRequired, error.creditsBalance]).toEqual([0, 5, 0])
    expect(error.message).toContain('NOT REAL DATA')
  })

  test('where samples are allowed, the type makes the caller look which it is', async () => {
    const { client } = await clientOf({ tier: 'free' }, { samples: 'allow' })
    const answer = await client.getProject('nobody')
    // @ts-expect-error: a sample's notice is not there before the answer is known to be one
    expect(answer.notice).toBeString()
    if (!answer.sample) throw new Error('no sample')
    const notice: string = answer.notice
    expect([notice.slice(0, 13), answer.call.charged]).toEqual(['NOT REAL DATA', 0])
    for await (const page of client.pages('listPeople')) expect(page.sample).toBe(true)
    // A record alone has no mark.
    const walk = client.records('listPeople').next()
    expect((await failureOf(walk)).code).toBe('sample_refused')
  })
})

describe('pages', () => {
  test('pages and records are walked to the end, each page one call', async () => {
    const { client } = await clientOf({ tier: 'pro', credits: 100 })
    const sizes: number[] = []
    for await (const page of client.pages('listPeople', { limit: 3 })) sizes.push(page.data.length)
    expect([sizes, client.spent]).toEqual([[3, 3, 1], 15])
    const names: string[] = []
    for await (const { name } of client.records('listProjects', { sort: 'name' })) names.push(name)
    expect([names.length, names[0], client.spent]).toEqual([4, 'Aurora Protocol', 20])
  })

  test('a walk begins where it is told, and a page below the first is the first', async () => {
    const { client } = await clientOf({ tier: 'pro', credits: 100 })
    const pages = async (page: number) => {
      const found: number[] = []
      for await (const each of client.pages('listPeople', { limit: 3, page })) found.push(each.page)
      return found
    }
    expect([await pages(2), await pages(0), await pages(9)]).toEqual([[2, 3], [1, 2, 3], [9]])
  })

  test('a walk ends with an error before the page that could pass its limit on credits', async () => {
    const { client, account } = await clientOf({ tier: 'pro', credits: 100 })
    let pages = 0
    const walk = async () => {
      for await (const _ of client.pages('listPeople', { limit: 1 }, { maxCredits: 14 })) pages++
    }
    const error = await failureOf(walk())
    expect([error.code, pages, await account.balance()]).toEqual(['credit_limit_reached', 2, 90])
  })
})

describe('credits', () => {
  test('calls at once never pass maxCredits, and what a call didn’t take is free for others', async () => {
    const { client, account } = await clientOf({ tier: 'pro', credits: 100 }, { maxCredits: 22 })
    const calls = Array.from({ length: 9 }, () => rejection(client.listPeople()).catch(() => null))
    const ends = await Promise.all(calls)
    expect(ends.filter((end) => end === null)).toHaveLength(4)
    expect(await account.balance()).toBe(80)
    // 404: nothing was taken of the two credits that are left, nor of those that it held.
    expect((await failureOf(client.getProject('nobody'))).code).toBe('credit_limit_reached')
    expect((await client.getAccount()).creditsBalance).toBe(80)
  })

  test('a reveal holds its full price, and gives back what it did not cost', async () => {
    const { client } = await clientOf({ tier: 'pro', credits: 100 }, { maxCredits: 20 })
    await client.getPerson(people.ada.slug, { include: 'private' })
    await client.getPerson(people.ada.slug, { include: 'private' })
    expect(client.spent).toBe(15)
    const again = client.getPerson(people.ada.slug, { include: 'private' })
    expect((await failureOf(again)).code).toBe('credit_limit_reached')
  })
})

describe('errors', () => {
  test('each refusal has the API’s code, status, cure and charge', async () => {
    const { client } = await clientOf({ tier: 'pro', credits: 4 })
    const poor = await failureOf(client.listPeople())
    if (poor.code !== 'insufficient_credits') throw poor
    const missing: number = poor.creditsRequired - poor.creditsBalance
    expect([missing, poor.status, poor.charged, poor.attempts]).toEqual([1, 402, 0, 1])
    const unknown = await failureOf(client.listPeople({ rolls: 'x' } as never))
    expect(unknown).toMatchObject({ code: 'unknown_parameter', status: 400, parameter: 'rolls' })
    expect(unknown.docs).toEndWith('/docs/errors#unknown_parameter')
    const { client: rich } = await clientOf({ tier: 'pro', credits: 50 })
    const absent = await failureOf(rich.getInvestor(companies.aurora.slug))
    expect([absent.code, absent.status, rich.spent]).toEqual(['not_found', 404, 0])
    const wrong = new Chainkin({ url: dir.url, key: 'ck_live_wrong', fetch: dir.fetch })
    expect((await failureOf(wrong.getAccount())).code).toBe('unauthorized')
    expect(wrong.rate).toBeNull()
  })

  test('what would lead to another path is refused and not sent', async () => {
    const { client, account } = await clientOf({ tier: 'pro', credits: 50 })
    sent.length = 0
    for (const id of ['', ' ', '.', '..', '\ud800', undefined as never]) {
      const error = await failureOf(client.getPerson(id))
      expect([id, error.code, error.charged]).toEqual([id, 'invalid_parameter', 0])
    }
    const wrong = [
      client.listPeople({ q: null } as never),
      client.listPeople({ roles: [{}] } as never),
      client.listPeople('ada' as never),
      client.listPeople({}, { idempotencyKey: 'a b' }),
      client.pages('listPeople', {}, { maxCredits: Number.NaN }).next(),
    ]
    for (const call of wrong) expect((await failureOf(call)).code).toBe('invalid_parameter')
    expect([sent.length, await account.balance()]).toEqual([0, 50])
    // A slash or a question mark of an id stays in the id.
    const odd = await failureOf(client.getPerson('../me?x=1#y'))
    expect([odd.code, sent.length]).toEqual(['not_found', 1])
  })

  test('the application’s address is named as the likely mistake', async () => {
    const { key } = await dir.account({ tier: 'pro', credits: 50 })
    const client = new Chainkin({ url: dir.appUrl, key, fetch: dir.fetch })
    const error = await failureOf(client.listPeople())
    expect([error.code, error.status, error.attempts]).toEqual(['unexpected_answer', 404, 1])
    expect(error.message).toContain('application')
  })

  test('codes of the API and their statuses are those of its table', async () => {
    const { client } = await clientOf({ tier: 'pro', credits: 5 })
    const error = await failureOf(client.listPeople({ sort: 'age' } as never))
    expect(error.status).toBe(ERRORS.invalid_parameter.status)
  })
})

describe('options', () => {
  const good = { url: 'https://api.example', key: 'ck_live_secret' }

  test('a wrong or unknown option is named with what is allowed, and the key never is', () => {
    const wrong: [object, string][] = [
      [{ ...good, url: 'api.example' }, 'url: expected'],
      [{ ...good, url: 'https://api.example/v1' }, 'without /v1'],
      [{ ...good, url: 'https://me:pw@api.example' }, 'credentials'],
      [{ ...good, url: 'ftp://api.example' }, 'url: expected'],
      [{ ...good, key: 'ck_live_secret\n' }, 'key: expected'],
      [{ ...good, key: '' }, 'key: expected'],
      [{ ...good, retries: 6 }, 'retries: expected a whole number from 0 to 5'],
      [{ ...good, timeoutMs: 0 }, 'timeoutMs: expected'],
      [{ ...good, maxWaitMs: -1 }, 'maxWaitMs: expected'],
      [{ ...good, maxCredits: 1.5 }, 'maxCredits: expected'],
      [{ ...good, samples: 'yes' }, 'samples: expected refuse or allow'],
      [{ ...good, fetch: 'x' }, 'fetch: expected a function'],
      [{ ...good, maxCredit: 5 }, 'maxCredit: expected no option of this name'],
    ]
    for (const [options, message] of wrong) {
      const make = () => new Chainkin(options as typeof good)
      expect(make).toThrow(TypeError)
      expect(make).toThrow(message)
      expect(make).not.toThrow('secret')
    }
  })

  test('an address may end in a slash and have a path', async () => {
    const asked: string[] = []
    for (const url of ['https://api.example/', new URL('https://api.example/crypto/')]) {
      const fetch = async (address: string) => {
        asked.push(address)
        throw new TypeError('no network')
      }
      await failureOf(new Chainkin({ ...good, url, fetch, retries: 0 }).getAccount())
    }
    expect(asked).toEqual(['https://api.example/v1/me', 'https://api.example/crypto/v1/me'])
  })
})
