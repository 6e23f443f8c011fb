/**
 * The API's latency while people browse the application of the same server, and while nobody does:
 * alternating within one run, so that whatever else the machine does falls on both. This process makes the calls and
 * nothing beside; the people are in another (`readers.ts`), the server in a third. A p99 is made of few calls
 * (30 of 20 s at 150 a second), so compare medians of several rounds.
 */
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { cpuSeconds } from './cpu.ts'
import type { Reader } from './full-account.ts'
import type { LoadRequest } from './http-load.ts'
import type { Kinds } from './page-kinds.ts'
import type { Browsing } from './readers.ts'
import { type SteadyFigures, startSteadyLoad } from './steady-load.ts'

export interface BrowsingOptions {
  apiUrl: string
  appUrl: string
  requests: readonly LoadRequest[]
  /** Calls of the API a second. */
  perSecond: number
  /** Everybody who browses. */
  readers: readonly Reader[]
  /** How long each looks at a page before going to another. */
  lookMs: number
  /** What they look at, each kind equally often. */
  kinds: Kinds
  rounds: number
  /** Of one round. */
  seconds: number
  /** Processes whose processor time is told beside. */
  pids: Readonly<{ server: number; postgres: number }>
}

/** Processor time by the second, 1 for one core: who has how much of the machine. */
export interface Shares {
  server: number
  postgres: number
  /** Those who browse: 0 where nobody does. */
  readers: number
  /** This process, which makes the calls. */
  calls: number
}

export interface BrowsingRound extends SteadyFigures {
  /** Whether people browsed. */
  browsed: boolean
  /** Pages that they got. */
  pages: number
  cpu: Shares
}

/** Of each kind, of which people draw. */
const ADDRESSES = 200

/** Alternating rounds, without and with people who browse. @throws where a page is no 200 */
export async function measureBrowsing(options: BrowsingOptions): Promise<BrowsingRound[]> {
  const { apiUrl, requests, perSecond, rounds, seconds, pids } = options
  const round = async (browsed: boolean): Promise<BrowsingRound> => {
    const browsing = browsed ? await startBrowsing(options) : undefined
    const used = (): Shares => ({
      server: cpuSeconds(pids.server),
      postgres: cpuSeconds(pids.postgres),
      readers: browsing ? cpuSeconds(browsing.pid) : 0,
      calls: ownSeconds(),
    })
    const before = used()
    const load = startSteadyLoad(apiUrl, requests, perSecond)
    await pause(seconds * 1_000)
    const after = used()
    const figures = await load.stop()
    const share = (of: keyof Shares) => (after[of] - before[of]) / seconds
    const cpu = {
      server: share('server'),
      postgres: share('postgres'),
      readers: share('readers'),
      calls: share('calls'),
    }
    return { browsed, pages: (await browsing?.stop()) ?? 0, cpu, ...figures }
  }
  // Code runs uncompiled at first, and keys and pages are not yet known.
  await round(true)
  const measured: BrowsingRound[] = []
  for (let number = 0; number < rounds; number++) {
    // The one that goes first changes, so that neither always follows the other.
    for (const browsed of number % 2 === 0 ? [false, true] : [true, false]) {
      measured.push(await round(browsed))
    }
  }
  return measured
}

function ownSeconds(): number {
  const { user, system } = process.cpuUsage()
  return (user + system) / 1e6
}

/** Resolves when the first page has come: the process has started then. */
async function startBrowsing({ appUrl, readers, kinds, lookMs }: BrowsingOptions) {
  let pages = 0
  const first = Promise.withResolvers<void>()
  const people = Bun.spawn([process.execPath, join(import.meta.dirname, 'readers.ts')], {
    stdio: ['ignore', 'inherit', 'inherit'],
    ipc() {
      pages++
      first.resolve()
    },
  })
  people.send({
    appUrl,
    lookMs,
    cookies: readers.map(({ cookie }) => cookie),
    kinds: Object.values(kinds).map((addressOf) => Array.from({ length: ADDRESSES }, addressOf)),
  } satisfies Browsing)
  const ended = people.exited.then((code) => {
    throw new Error(`the people who browse went, with ${code}`)
  })
  // The next `stop` or the start reports it.
  ended.catch(() => {})
  await Promise.race([first.promise, ended])
  return {
    pid: people.pid,
    async stop(): Promise<number> {
      if (people.exitCode !== null) await ended
      people.kill()
      await people.exited
      return pages
    },
  }
}
