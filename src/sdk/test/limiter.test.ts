/** The account's rate, kept by the client: calls wait here instead of being refused there. */
import { describe, expect, test } from 'bun:test'
import { rejection } from '../../../test/helpers/rejection.ts'
import { startDirectory } from '../../testing/start.ts'
import { Chainkin, type ChainkinOptions, isChainkinError } from '../chainkin.ts'

/** Fixed windows as the service has them, with a clock that goes and jumps over the clients' sleeps. */
class Windows {
  /** How far the clock is from this process's. */
  #aheadMs: number
  readonly limit: number
  readonly windowMs: number
  #endsMs = 0
  #used = 0
  readonly statuses: number[] = []

  constructor(limit: number, seconds: number, aheadMs = 0) {
    this.limit = limit
    this.windowMs = seconds * 1_000
    this.#aheadMs = aheadMs
  }

  get nowMs(): number {
    return Date.now() + this.#aheadMs
  }

  fetch = async () => {
    // Answers take turns, and don't come in the order of their calls.
    for (let turns = Math.random() * 9; turns > 0; turns--) await Promise.resolve()
    if (this.nowMs >= this.#endsMs) {
      this.#endsMs = this.nowMs + this.windowMs
      this.#used = 0
    }
    const isOver = this.#used >= this.limit
    if (!isOver) this.#used++
    const status = isOver ? 429 : 200
    this.statuses.push(status)
    const retryAfter = Math.max(1, Math.ceil((this.#endsMs - this.nowMs) / 1_000))
    const error = { code: 'rate_limited', message: 'Wait.', charged: 0, retryAfter }
    const meta = { creditsCharged: 0, creditsBalance: 9 }
    return new Response(JSON.stringify(isOver ? { error } : { meta }), {
      status,
      headers: {
        'x-ratelimit-limit': String(this.limit),
        'x-ratelimit-remaining': String(this.limit - this.#used),
        'x-ratelimit-reset': String(Math.ceil(this.#endsMs / 1_000)),
        ...(isOver && { 'retry-after': String(retryAfter) }),
      },
    })
  }

  sleep = async (milliseconds: number) => {
    this.#aheadMs += milliseconds
  }

  client(options: Partial<ChainkinOptions> = {}): Chainkin {
    const { fetch, sleep } = this
    return new Chainkin({ url: 'https://api.example', key: 'ck_live_x', fetch, sleep, ...options })
  }

  get refusals(): number {
    return this.statuses.filter((status) => status === 429).length
  }
}

const times = <T>(count: number, work: () => Promise<T>) =>
  Promise.all(Array.from({ length: count }, work))

/** A wait that only its signal ends. */
const forever = (_: number, signal: AbortSignal) =>
  new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve()))

describe('the rate', () => {
  test('1,000 calls at once over nine windows are all answered, and none is refused', async () => {
    const windows = new Windows(120, 60)
    const client = windows.client()
    await times(1_000, () => client.getAccount())
    expect(windows.statuses).toEqual(Array(1_000).fill(200))
    expect(client.rate?.limit).toBe(120)
  })

  test('five a second of an enterprise are kept as well', async () => {
    const windows = new Windows(5, 1)
    const client = windows.client({ maxWaitMs: 600_000 })
    await times(100, () => client.getAccount())
    expect(windows.refusals).toBe(0)
  })

  test('the real service’s headers are read: none of 125 calls at once is refused', async () => {
    await using dir = await startDirectory({ listen: false })
    const { key } = await dir.account({ tier: 'pro' })
    const statuses: number[] = []
    const fetch = async (url: string, init: RequestInit) => {
      const response = await dir.fetch(url, init)
      statuses.push(response.status)
      return response
    }
    const sleep = (milliseconds: number) => dir.advance(`${Math.ceil(milliseconds / 1_000)}s`)
    const client = new Chainkin({ url: dir.url, key, fetch, sleep })
    await times(125, () => client.getAccount())
    expect(statuses).toEqual(Array(125).fill(200))
  })

  test('with a clock that is months off, few calls are refused and all are answered', async () => {
    for (const months of [-9, 9]) {
      const windows = new Windows(120, 60, months * 30 * 86_400_000)
      const client = windows.client()
      await times(500, () => client.getAccount())
      expect(windows.statuses.length - windows.refusals).toBe(500)
      expect(windows.refusals).toBeLessThanOrEqual(8)
    }
  })

  test('where other programs use up the window, a refusal is waited out and counts as no retry', async () => {
    const windows = new Windows(120, 60)
    const clients = [1, 2, 3].map(() => windows.client({ retries: 0 }))
    await Promise.all(clients.map((client) => times(100, () => client.getAccount())))
    expect(windows.statuses.length - windows.refusals).toBe(300)
    // At each end of a window no more than the others had in flight.
    expect(windows.refusals).toBeLessThanOrEqual(3 * 3 * 8)
  })
})

describe('waiting', () => {
  test('longer than maxWaitMs ends with the error of the rate, and with how long to wait', async () => {
    const windows = new Windows(120, 60)
    const client = windows.client({ maxWaitMs: 20_000, sleep: forever })
    await times(120, () => client.getAccount())
    const error = await rejection(client.listPeople())
    if (!isChainkinError(error) || error.code !== 'rate_limited') throw error
    const { charged, status, attempts, retryAfter } = error
    expect([charged, status, attempts, windows.statuses.length]).toEqual([0, null, 0, 120])
    expect(retryAfter).toBeGreaterThan(20)
    expect(retryAfter).toBeLessThanOrEqual(60)
  })

  test('a call that is aborted in the queue leaves it, and the next one goes', async () => {
    const windows = new Windows(120, 60)
    const opened = Promise.withResolvers<void>()
    const sleep = async (milliseconds: number) => {
      await opened.promise
      await windows.sleep(milliseconds)
    }
    const client = windows.client({ sleep })
    await times(120, () => client.getAccount())
    const leaving = new AbortController()
    const left = rejection(client.getAccount({ signal: leaving.signal }))
    const staying = client.getAccount()
    leaving.abort()
    expect(await left).toMatchObject({ code: 'aborted', charged: 0, attempts: 0 })
    opened.resolve()
    expect((await staying).call.attempts).toBe(1)
    expect(windows.refusals).toBe(0)
  })

  test('nothing waits on when the last call has left: a program can end', async () => {
    const windows = new Windows(120, 60)
    let sleeping = 0
    const sleep = async (_: number, signal: AbortSignal) => {
      sleeping++
      await forever(_, signal)
      sleeping--
    }
    const client = windows.client({ sleep })
    await times(120, () => client.getAccount())
    const leaving = new AbortController()
    const left = rejection(client.getAccount({ signal: leaving.signal }))
    await Promise.resolve()
    leaving.abort()
    await left
    await Promise.resolve()
    expect(sleeping).toBe(0)
  })
})
