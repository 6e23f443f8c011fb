/** The API's latency while people browse the application of the same server, and while nobody does (`beside.ts`). */
import { type BesideOptions, type BesideRound, measureBeside, startOthers } from './beside.ts'
import type { Reader } from './full-account.ts'
import type { Kinds } from './page-kinds.ts'
import type { Browsing } from './readers.ts'

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
}

/** Of each kind, of which people draw. */
const ADDRESSES = 200

/** Alternating rounds, without and with people who browse. @throws where a page is no 200 */
export function measureBrowsing(options: BrowsingOptions): Promise<BesideRound[]> {
  const { appUrl, elsewhereUrl, readers, kinds, lookMs, ...beside } = options
  const startAt = (appUrl: string) => () =>
    startOthers('readers.ts', {
      appUrl,
      lookMs,
      cookies: readers.map(({ cookie }) => cookie),
      kinds: Object.values(kinds).map((addressOf) => Array.from({ length: ADDRESSES }, addressOf)),
    } satisfies Browsing)
  const startElsewhere = elsewhereUrl === undefined ? undefined : startAt(elsewhereUrl)
  return measureBeside({ ...beside, start: startAt(appUrl), startElsewhere })
}
