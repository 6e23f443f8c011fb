/** Fetches the pictures that are due, a few at a time and one at a time from each host, and keeps them. */
import type { Database } from '../../database/client.ts'
import type { Reach } from './addresses.ts'
import { type Fetched, fetchPicture } from './fetch.ts'
import { createResizer, type Resizer } from './resize.ts'
import { type DuePicture, duePictures, type FetchEnd, notePicture } from './store.ts'

export interface RefreshOptions {
  /** Seconds after which a picture that is kept is asked for again. */
  olderThan: number
  /** How many records at most; all that are due unless given. */
  limit?: number | undefined
  /** Ends it soon; what was got stays. */
  signal?: AbortSignal
  /** Called after each record. */
  onProgress?: (counts: RefreshCounts) => void
  /** Called with the reason why a record has no new picture. */
  onFailure?: (id: string, reason: string) => void
  reach?: Reach
  resizer?: Resizer
}

/** Records by what became of their picture. */
export interface RefreshCounts {
  got: number
  /** As its host had it before. */
  same: number
  /** Its host has none any more. */
  gone: number
  failed: number
  /** Left for the next run: its host didn't answer for others, or the record changed meanwhile. */
  left: number
}

const AT_ONCE = 4
/** Read by one statement, so that a host of many pictures doesn't hold up those of others for long. */
const BATCH = 400
/** Pictures in a row for which a host may not answer, before the rest of its pictures are left. */
const SILENCES_MAX = 3

/** @returns the counts, once all that was due is done, `limit` is reached or `signal` ended it. @throws DatabaseUnavailable */
export async function refreshPictures(
  database: Database,
  options: RefreshOptions,
): Promise<RefreshCounts> {
  const { olderThan, limit = Number.POSITIVE_INFINITY, signal } = options
  const resizer = options.resizer ?? createResizer()
  const counts: RefreshCounts = { got: 0, same: 0, gone: 0, failed: 0, left: 0 }
  const silences = new Map<string, number>()
  let after: string | null = null
  let asked = 0
  try {
    while (asked < limit && !signal?.aborted) {
      const size = Math.min(BATCH, limit - asked)
      const due: DuePicture[] = await duePictures(database, { after, limit: size, olderThan })
      const last = due.at(-1)
      if (!last) break
      await forEachByHost(due, (one) =>
        refreshOne(database, one, { ...options, resizer }, counts, silences),
      )
      asked += due.length
      after = last.id
    }
  } finally {
    if (!options.resizer) await resizer.close()
  }
  return counts
}

/** Does the work for all, a few at once, but for one host one after the other. Ends when all have ended; rejects as the first does. */
async function forEachByHost(due: readonly DuePicture[], work: (one: DuePicture) => Promise<void>) {
  const waiting = [...due]
  const busy = new Set<string>()
  const running = new Set<Promise<void>>()
  const start = (one: DuePicture) => {
    const host = hostOf(one)
    busy.add(host)
    const run: Promise<void> = work(one).finally(() => {
      busy.delete(host)
      running.delete(run)
    })
    running.add(run)
  }
  try {
    while (waiting.length > 0 || running.size > 0) {
      const next = waiting.findIndex((one) => !busy.has(hostOf(one)))
      if (next < 0 || running.size === AT_ONCE) await Promise.race(running)
      else for (const one of waiting.splice(next, 1)) start(one)
    }
  } finally {
    await Promise.allSettled(running)
  }
}

async function refreshOne(
  database: Database,
  one: DuePicture,
  { signal, reach, resizer, onProgress, onFailure }: RefreshOptions & { resizer: Resizer },
  counts: RefreshCounts,
  silences: Map<string, number>,
) {
  if (signal?.aborted) return
  const host = hostOf(one)
  if ((silences.get(host) ?? 0) >= SILENCES_MAX) {
    counts.left++
    return
  }
  const fetched = await fetchPicture(one, {
    ...(reach && { reach }),
    ...(signal && { signal }),
  }).catch((error: unknown) => {
    if (signal?.aborted) return undefined
    throw error
  })
  if (!fetched) return
  const isSilent = fetched.end === 'failed' && fetched.isSilent
  silences.set(host, isSilent ? (silences.get(host) ?? 0) + 1 : 0)
  const end = await endOf(fetched, resizer)
  if (await notePicture(database, one, end)) counts[end.end]++
  else counts.left++
  if ('error' in end) onFailure?.(one.id, end.error)
  onProgress?.(counts)
}

async function endOf(fetched: Fetched, resizer: Resizer): Promise<FetchEnd> {
  if (fetched.end !== 'got') return fetched
  const resized = await resizer.resize(fetched.bytes)
  return 'refused' in resized
    ? { end: 'failed', error: resized.refused }
    : { ...fetched, bytes: resized.bytes }
}

const hostOf = ({ url }: DuePicture) => (URL.canParse(url) ? new URL(url).host : '')
