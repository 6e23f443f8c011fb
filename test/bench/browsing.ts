/** The API's latency while people browse the application of the same server, and while nobody does (`beside.ts`). */
import { type BesideOptions, type BesideRound, measureBeside, startOthers } from './beside.ts'
import type { Reader } from './full-account.ts'
import type { Kinds } from './page-kinds.ts'
import type { Browsing } from './readers.ts'
import { startSteadyLoad } from './steady-load.ts'

export interface BrowsingOptions extends Omit<BesideOptions, 'start' | 'startElsewhere'> {
  appUrl: string
  /** Of another server, for rounds between in which they browse that one. */
  elsewhereUrl: string | undefined
  /** Everybody who browses. */
  readers: readonly Reader[]
  /** How long each looks at a page before going to another. */
  lookMs: number
  /** What they look at, each kind equally often. */
  kinds: Kinds
  /** Pages that each server serves before the first round, at `SERVED_LOOK_MS`. */
  served: number
}

/** Of each kind, of which people draw. */
const ADDRESSES = 200
/** How long a page is looked at before the first round: 125 pages a second of fifty people. */
const SERVED_LOOK_MS = 400

/** Alternating rounds, without and with people who browse. @throws where a page is no 200 */
export async function measureBrowsing(options: BrowsingOptions): Promise<BesideRound[]> {
  const { appUrl, elsewhereUrl, readers, kinds, lookMs, served, ...beside } = options
  const startAt = (appUrl: string, lookMs: number) => () =>
    startOthers('readers.ts', {
      appUrl,
      lookMs,
      cookies: readers.map(({ cookie }) => cookie),
      kinds: Object.values(kinds).map((addressOf) => Array.from({ length: ADDRESSES }, addressOf)),
    } satisfies Browsing)

  /**
   * Has a server serve pages, and the measured server calls beside them. At ten pages a second each kind is opened seldom, so a
   * server that has just started compiles their code for minutes, which takes the processor from the calls.
   */
  async function serveBefore(appUrl: string) {
    const others = await startAt(appUrl, SERVED_LOOK_MS)()
    const load = startSteadyLoad(beside.apiUrl, beside.requests, beside.perSecond)
    try {
      await others.untilDone('pages', served)
      await others.stop()
    } finally {
      const { asked, failed } = await load.stop()
      console.log(`before the first round: ${asked} calls, ${failed} failed`)
    }
  }

  if (served > 0) {
    // The measured one last: code that is not used for a while may be thrown away.
    if (elsewhereUrl !== undefined) await serveBefore(elsewhereUrl)
    await serveBefore(appUrl)
  }
  const startElsewhere = elsewhereUrl === undefined ? undefined : startAt(elsewhereUrl, lookMs)
  return measureBeside({ ...beside, start: startAt(appUrl, lookMs), startElsewhere })
}
