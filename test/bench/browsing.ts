/**
 * The API's latency while people browse the application of the same server, and while nobody does: alternating rounds of one
 * run, so that other work of the machine falls on both. This process makes the calls, another one browses. A p99 is made of few
 * calls (30 of 20 s at 150 a second), so compare medians of several rounds.
 */
import { constants, setPriority } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { median, rounded } from './figures.ts'
import type { Reader } from './full-account.ts'
import { cpuSeconds, type LoadRequest } from './load.ts'
import type { Kinds } from './page-kinds.ts'
import type { Browsing } from './readers.ts'
import { type SteadyFigures, startSteadyLoad } from './steady-load.ts'

export interface BrowsingOptions {
  apiUrl: string
  appUrl: string
  requests: readonly LoadRequest[]
  /** Calls of the API a second. */
  perSecond: number
  readers: readonly Reader[]
  /** Pages that the readers open, each kind equally often. */
  kinds: Kinds
  /** Time that each reader stays on a page. */
  lookMs: number
  /** Pages to serve before the first round. */
  served: number
  rounds: number
  /** Length of one round. */
  seconds: number
  pids: Readonly<{ server: number; postgres: number }>
}

interface Round extends SteadyFigures {
  isBrowsed: boolean
  pages: number
  /** Processor time by the second, 1 for one core. */
  serverCpu: number
  postgresCpu: number
}

const ADDRESSES_OF_KIND = 200
/** Time on a page before the first round: 125 pages a second of fifty people. */
const SERVED_LOOK_MS = 400
/** Not counted: people who browse open some kinds of pages once a minute. */
const WARM_UP_ROUNDS = 4
const SETTLE_MS = 2_000

/** Alternating rounds, without and with people who browse. @throws where a page is no 200 */
export async function measureBrowsing(options: BrowsingOptions): Promise<Round[]> {
  if (options.served > 0) await servePages(options)
  for (let number = 0; number < WARM_UP_ROUNDS; number++) await measureRound(options, true)
  const measured: Round[] = []
  for (let number = 0; number < options.rounds; number++) {
    // The first one changes, so that neither always follows the other.
    for (const isBrowsed of number % 2 === 0 ? [false, true] : [true, false])
      measured.push(await measureRound(options, isBrowsed))
  }
  return measured
}

/**
 * Has the server serve pages with calls beside them. At ten pages a second each kind is opened seldom, so a server that has
 * just started compiles their code for minutes, which takes the processor from the calls.
 */
async function servePages(options: BrowsingOptions): Promise<void> {
  const readers = await startReaders(options, SERVED_LOOK_MS)
  const load = startSteadyLoad(options.apiUrl, options.requests, options.perSecond)
  while (readers.pages() < options.served) await pause(100)
  await readers.stop()
  await load.stop()
}

async function measureRound(options: BrowsingOptions, isBrowsed: boolean): Promise<Round> {
  const { apiUrl, requests, perSecond, seconds, pids } = options
  const readers = isBrowsed ? await startReaders(options, options.lookMs) : undefined
  const used = () => [cpuSeconds(pids.server), cpuSeconds(pids.postgres)] as const
  const before = used()
  const load = startSteadyLoad(apiUrl, requests, perSecond)
  await pause(seconds * 1_000)
  const after = used()
  const figures = await load.stop()
  await readers?.stop()
  await pause(SETTLE_MS)
  return {
    isBrowsed,
    pages: readers?.pages() ?? 0,
    ...figures,
    serverCpu: rounded((after[0] - before[0]) / seconds),
    postgresCpu: rounded((after[1] - before[1]) / seconds),
  }
}

/** Starts the process of the readers. Resolves at its first page. */
async function startReaders({ appUrl, readers, kinds }: BrowsingOptions, lookMs: number) {
  let pages = 0
  let isStopping = false
  const first = Promise.withResolvers<void>()
  const browsing = Bun.spawn([process.execPath, join(import.meta.dirname, 'readers.ts')], {
    stdio: ['ignore', 'inherit', 'inherit'],
    ipc() {
      pages++
      first.resolve()
    },
    onExit(_, code) {
      if (!isStopping) throw new Error(`readers.ts ended with ${code}`)
    },
  })
  // The readers have machines of their own in service, so they must not take the server's core.
  setPriority(browsing.pid, constants.priority.PRIORITY_LOW)
  browsing.send({
    appUrl,
    lookMs,
    cookies: readers.map(({ cookie }) => cookie),
    kinds: Object.values(kinds).map((addressOf) =>
      Array.from({ length: ADDRESSES_OF_KIND }, addressOf),
    ),
  } satisfies Browsing)
  await first.promise
  return {
    pages: () => pages,
    async stop() {
      isStopping = true
      browsing.kill('SIGTERM')
      await browsing.exited
    },
  }
}

/** Prints the rounds, and how many times the latency with readers is that without. */
export function printRounds(rounds: readonly Round[], targetTimes: number): void {
  console.table(
    rounds.map(({ isBrowsed, pages, calls, failed, serverCpu, postgresCpu, ...times }) => ({
      isBrowsed,
      pages,
      calls,
      failed,
      p50Ms: rounded(times.p50Ms),
      p99Ms: rounded(times.p99Ms),
      longestMs: rounded(times.longestMs),
      lateP99Ms: rounded(times.lateP99Ms),
      serverCpu,
      postgresCpu,
    })),
  )
  for (const figure of ['p50Ms', 'p99Ms'] as const) {
    const of = (isBrowsed: boolean) =>
      median(rounds.filter((one) => one.isBrowsed === isBrowsed).map((one) => one[figure]))
    const [alone, beside] = [of(false), of(true)]
    console.log(
      `${figure.slice(0, 3)} of the API: ${rounded(alone)} ms alone, ${rounded(beside)} ms beside readers: ${rounded(beside / alone)} times`,
    )
  }
  console.log(`the target is a p99 of at most ${targetTimes} times`)
}
