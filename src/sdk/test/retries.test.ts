/** Lost answers, faults and limits: what the client repeats, that a call is charged once, and what it says of it. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { rejection } from '../../../test/helpers/rejection.ts'
import {
  fixtures,
  startDirectory,
  type TestAccount,
  type TestDirectory,
} from '../../testing/start.ts'
import { Chainkin, type ChainkinOptions, type FetchResponse, isChainkinError } from '../chainkin.ts'

const { ada } = fixtures.people

let dir: TestDirectory
beforeAll(async () => {
  dir = await startDirectory({ listen: false })
  // The first call of all takes the longest.
  await (await setUp([])).client.getPerson(ada.slug)
})
afterAll(() => dir.stop())

/** Fate of an attempt: `ask` sends it to the service, which charges it. */
type Fault = (ask: () => Promise<FetchResponse>, signal: AbortSignal) => Promise<FetchResponse>

const never = (signal: AbortSignal) =>
  new Promise<never>((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)))
const answer = (status: number, text: string, headers: Record<string, string> = {}) =>
  new Response(text, { status, headers })

const FAULTS: Record<string, Fault> = {
  'no connection': async () => {
    throw new TypeError('fetch failed')
  },
  'an answer that is lost': async (ask) => {
    await ask()
    throw new TypeError('socket hang up')
  },
  'a body that breaks off': async (ask) => {
    const response = await ask()
    const text = async () => {
      await response.text()
      throw new TypeError('terminated')
    }
    return { ...response, status: response.status, headers: response.headers, text }
  },
  'a body that is cut without an error': async (ask) => {
    const response = await ask()
    const text = await response.text()
    return answer(200, text.slice(0, -9), { 'content-type': 'application/json' })
  },
  'a proxy’s 502': async () => answer(502, '<h1>Bad gateway</h1>'),
  'a proxy’s 504 after the charge': async (ask) => {
    await ask()
    return answer(504, '<h1>Gateway timeout</h1>')
  },
  'a proxy’s 429': async () => answer(429, 'slow down', { 'retry-after': '1' }),
  'a 503 of the service': async (ask) => {
    dir.outage(60_000)
    const response = await ask()
    await dir.advance('61s')
    return response
  },
  'a 500 of the service': async (ask) => {
    dir.failNext()
    return ask()
  },
}

/** Faults that only the time limit of an attempt ends. */
const SILENCES: Record<string, Fault> = {
  'an answer that never comes': async (ask, signal) => {
    await ask()
    return never(signal)
  },
  'a fetch that does not heed its signal': async (ask) => {
    await ask()
    return new Promise<never>(() => {})
  },
}

interface Setting {
  client: Chainkin
  account: TestAccount
  slept: number[]
  requests: { url: string; key: string | undefined }[]
}

/** A client whose attempts meet these faults in turn, and then none. Its sleeps are noted and take no time. */
async function setUp(faults: Fault[], options: Partial<ChainkinOptions> = {}): Promise<Setting> {
  const account = await dir.account({ tier: 'pro', credits: 100 })
  const slept: number[] = []
  const requests: Setting['requests'] = []
  const client = new Chainkin({
    url: dir.url,
    key: account.key,
    timeoutMs: 20_000,
    sleep: async (milliseconds) => {
      slept.push(milliseconds)
    },
    fetch: (url, init) => {
      requests.push({ url, key: init.headers['idempotency-key'] })
      const { signal: _, ...rest } = init
      const ask = () => dir.fetch(url, rest)
      return (faults.shift() ?? ask)(ask, init.signal)
    },
    ...options,
  })
  return { client, account, slept, requests }
}

async function failureOf(call: Promise<unknown>) {
  const error = await rejection(call)
  if (!isChainkinError(error)) throw error
  return error
}

const charges = async (account: TestAccount) =>
  (await account.ledger()).filter(({ kind }) => kind === 'charge').map(({ credits }) => credits)

describe('a call is charged once, whatever becomes of its attempts', () => {
  for (const [name, fault] of Object.entries(FAULTS)) {
    test(name, async () => {
      const { client, account, slept, requests } = await setUp([fault, fault])
      const { call } = await client.getPerson(ada.slug)
      expect([call.attempts, call.charged, call.balance]).toEqual([3, 5, 95])
      expect([await charges(account), client.spent, slept.length]).toEqual([[-5], 5, 2])
      expect(new Set(requests.map(({ key }) => key))).toEqual(new Set([call.idempotencyKey ?? '']))
    })
  }

  for (const [name, silence] of Object.entries(SILENCES)) {
    test(name, async () => {
      const { client, account } = await setUp([silence], { timeoutMs: 1_000, retries: 5 })
      const { call } = await client.getPerson(ada.slug)
      expect(call.attempts).toBeGreaterThan(1)
      expect([call.charged, call.replayed, await charges(account)]).toEqual([5, true, [-5]])
    })
  }

  test('a fetch that sends a call again by itself: the repeat that is answered is known to be paid', async () => {
    const twice: Fault = async (ask) => {
      await ask()
      return ask()
    }
    const { client, account } = await setUp([twice])
    const { call } = await client.getPerson(ada.slug)
    expect([call.attempts, call.replayed, call.charged]).toEqual([1, true, 5])
    expect([client.spent, await charges(account)]).toEqual([5, [-5]])
  })

  test('a reveal whose answer was lost says that its price is not known, and counts at its highest', async () => {
    const lost = FAULTS['an answer that is lost']!
    const { client, account } = await setUp([lost])
    const { call, data } = await client.getPerson(ada.slug, { include: 'private' })
    expect([call.charged, call.replayed, data.person.email]).toEqual([null, true, ada.email])
    expect([await charges(account), client.spent]).toEqual([[-10], 10])
  })
})

describe('giving up', () => {
  test('after its retries the error says what is known of the charge, and going on with its key is free', async () => {
    const lost = FAULTS['an answer that is lost']!
    const { client, account } = await setUp([lost, lost], { retries: 1 })
    const error = await failureOf(client.getPerson(ada.slug))
    expect(error).toMatchObject({ code: 'no_answer', status: null, charged: null, attempts: 2 })
    expect(error.cause).toBeInstanceOf(TypeError)
    expect(client.spent).toBe(5)
    const { idempotencyKey } = error
    const { call } = await client.getPerson(ada.slug, {}, { idempotencyKey: idempotencyKey ?? '' })
    expect([call.replayed, call.charged, await charges(account)]).toEqual([true, 0, [-5]])
    expect(client.spent).toBe(5)
    const { client: other } = await setUp([], { key: account.key })
    const again = await other.getPerson(ada.slug, {}, { idempotencyKey: idempotencyKey ?? '' })
    // This client can't know whether the key was charged by its own call.
    expect([again.call.replayed, again.call.charged, other.spent]).toEqual([true, null, 5])
  })

  test('what was counted for a call pays for it when it is gone on with, charged before or now', async () => {
    const lost = FAULTS['an answer that is lost']!
    const refused = FAULTS['no connection']!
    for (const fault of [lost, refused]) {
      const { client, account } = await setUp([fault], { retries: 0, maxCredits: 5 })
      const error = await failureOf(client.getPerson(ada.slug))
      expect([error.charged, client.spent]).toEqual([null, 5])
      expect((await failureOf(client.getPerson(ada.slug))).code).toBe('credit_limit_reached')
      const idempotencyKey = error.idempotencyKey ?? ''
      await client.getPerson(ada.slug, {}, { idempotencyKey })
      expect([client.spent, await charges(account)]).toEqual([5, [-5]])
      // Paid for, the key is a repeat's, and pays for nothing more.
      const again = await client
        .getPerson(ada.slug, {}, { idempotencyKey })
        .catch((caught) => caught)
      expect([again.code, client.spent]).toEqual(['credit_limit_reached', 5])
    }
  })

  test('faults of which the service says that they cost nothing leave `charged: 0`', async () => {
    const failure = FAULTS['a 500 of the service']!
    const { client } = await setUp([failure, failure], { retries: 1 })
    const error = await failureOf(client.listPeople())
    expect(error).toMatchObject({ code: 'internal_error', status: 500, charged: 0, attempts: 2 })
    expect(client.spent).toBe(0)
  })

  test('a refusal after a lost answer does not claim that nothing was charged', async () => {
    const { client, account } = await setUp([FAULTS['an answer that is lost']!])
    const { idempotencyKey } = (await client.listPeople()).call
    const error = await failureOf(client.listProjects({}, { idempotencyKey: idempotencyKey ?? '' }))
    expect([error.code, error.charged]).toEqual(['idempotency_key_reused', 0])
    const { client: other } = await setUp([
      FAULTS['an answer that is lost']!,
      async () =>
        answer(402, '{"error":{"code":"insufficient_credits","message":"x","charged":0}}'),
    ])
    const unknown = await failureOf(other.listPeople())
    expect([unknown.code, unknown.charged]).toEqual(['insufficient_credits', null])
    expect(unknown.message).toContain('not known')
    expect(await charges(account)).toEqual([-5])
  })

  test('calls that are free carry no Idempotency-Key, are repeated as well, and are never unknown', async () => {
    const lost = FAULTS['an answer that is lost']!
    const { client, requests } = await setUp([lost, lost, lost, lost])
    const error = await failureOf(client.getAccount())
    expect([error.charged, error.idempotencyKey, error.attempts]).toEqual([0, null, 4])
    expect(requests.map(({ key }) => key)).toEqual([undefined, undefined, undefined, undefined])
  })

  test('what a repeat can’t mend is not repeated', async () => {
    const { client, requests } = await setUp([])
    await failureOf(client.getProject('nobody'))
    await failureOf(client.search({ q: '' }))
    expect(requests).toHaveLength(2)
  })
})

describe('pauses', () => {
  test('grow with each fault, vary, and are never shorter than Retry-After', async () => {
    const { client, slept } = await setUp(Array(5).fill(FAULTS['no connection']), { retries: 5 })
    await client.listPeople()
    const least = [125, 250, 500, 1_000, 2_000]
    expect(slept.map((pause, n) => pause >= least[n]! && pause < least[n]! + 2_000)).toEqual(
      least.map(() => true),
    )
    const asked = async () => answer(503, 'later', { 'retry-after': '7' })
    const { client: other, slept: pauses } = await setUp([asked])
    await other.listPeople()
    expect(pauses[0]).toBeGreaterThanOrEqual(7_000)
  })

  test('a wait longer than maxWaitMs is not begun', async () => {
    const asked = async () => answer(503, 'later', { 'retry-after': '3600' })
    const { client, slept } = await setUp([asked])
    const error = await failureOf(client.listPeople())
    expect([error.code, error.retryAfter, error.attempts]).toEqual(['unexpected_answer', 3_600, 1])
    expect(slept).toEqual([])
  })
})

describe('cancelling', () => {
  test('ends a call before it is sent, while it is sent, and while it waits', async () => {
    const { client, account, requests } = await setUp([])
    const before = await failureOf(client.listPeople({}, { signal: AbortSignal.abort('no') }))
    expect([before.code, before.cause, before.charged]).toEqual(['aborted', 'no', 0])
    expect(requests).toEqual([])

    const sending = new AbortController()
    const silence: Fault = async (ask) => {
      await ask()
      sending.abort()
      return new Promise<never>(() => {})
    }
    const { client: hung } = await setUp([silence])
    const during = await failureOf(hung.listPeople({}, { signal: sending.signal }))
    expect([during.code, during.charged, during.attempts]).toEqual(['aborted', null, 1])

    const waiting = new AbortController()
    const { client: paused } = await setUp([FAULTS['no connection']!], {
      sleep: (_, signal) => {
        waiting.abort()
        return never(signal)
      },
    })
    const wait = await failureOf(paused.listPeople({}, { signal: waiting.signal }))
    expect([wait.code, wait.charged]).toEqual(['aborted', null])
    expect(await charges(account)).toEqual([])
  })
})
