/**
 * The API's latency while people browse the application of the same server, and while nobody does: in turns
 * within one run, so that whatever else the machine does falls on both.
 */
import { setTimeout as pause } from 'node:timers/promises'
import type { LoadRequest } from './http-load.ts'
import type { Reader } from './page-kinds.ts'
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
  addressOf(): string
  rounds: number
  /** Of one round. */
  seconds: number
}

export interface BrowsingRound extends SteadyFigures {
  /** Whether people browsed. */
  browsed: boolean
  /** Pages that they got. */
  pages: number
}

/** Rounds in turns, without and with people who browse. @throws where a page is no 200 */
export async function measureBrowsing(options: BrowsingOptions): Promise<BrowsingRound[]> {
  const { apiUrl, requests, perSecond, rounds, seconds } = options
  const round = async (browsed: boolean): Promise<BrowsingRound> => {
    const browsing = browsed ? startBrowsing(options) : undefined
    const load = startSteadyLoad(apiUrl, requests, perSecond)
    await pause(seconds * 1_000)
    const figures = await load.stop()
    return { browsed, pages: (await browsing?.stop()) ?? 0, ...figures }
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

function startBrowsing({ appUrl, readers, addressOf, lookMs }: BrowsingOptions) {
  let pages = 0
  let isOver = false
  async function read({ cookie }: Reader, number: number) {
    // Not all at the same moment.
    await pause((number * lookMs) / readers.length)
    while (!isOver) {
      const from = performance.now()
      const response = await fetch(appUrl + addressOf(), { headers: { cookie } })
      await response.arrayBuffer()
      if (response.status !== 200) throw new Error(`${response.url}: ${response.status}`)
      pages++
      await pause(Math.max(0, lookMs - (performance.now() - from)))
    }
  }
  const reading = Promise.all(readers.map(read))
  return {
    async stop(): Promise<number> {
      isOver = true
      await reading
      return pages
    },
  }
}
