/**
 * Keeps a loaded directory up to date (D38): a NOTIFY wakes it, a look each second makes sure, and a
 * reconnect reads on from where it was. What it can't follow any more is loaded anew beside, then
 * swapped in whole.
 */
import type { Database } from '../database/client.ts'
import type { Log } from '../log.ts'
import { takeTurns } from '../mutex.ts'
import {
  CHANGES_CHANNEL,
  changesAfter,
  logBounds,
  requestRebuild,
  trimChangeLog,
} from './changes.ts'
import { applyChanges, loadState, type Pace, type State } from './load.ts'

export interface Follower {
  /** What is served now. */
  readonly state: State
  refresh(): Promise<void>
  rebuild(): Promise<void>
  stop(): Promise<void>
}

/** Log rows read and applied in one go. */
const CHANGES_MAX = 1_000
const POLL_MS = 1_000
const TRIM_MS = 60_000
const TRIM_ROWS = 10_000

/** @param pace as it is now: a start is in no need of rests. */
export async function follow(
  database: Database,
  initial: State,
  log: Log,
  pace: () => Pace,
): Promise<Follower> {
  let state = initial
  let stopped = false
  /** A state's changes are applied by one reader at a time. */
  const inTurn = takeTurns()
  /** The state being loaded, by the log position that it will hold at least. */
  let loading: { since: number; done: Promise<void> } | null = null

  /** Reads on to the log's end. @returns the sequence that only a full load gets past, if there is one. */
  async function catchUp(follower: State): Promise<number | null> {
    let rebuildAt: number | null = null
    for (;;) {
      const { position } = follower
      const { changes, isComplete } = await database.use(({ sql }) =>
        changesAfter(sql, position, CHANGES_MAX),
      )
      if (!isComplete) return (await database.use(({ sql }) => logBounds(sql))).last
      const lastChange = changes.at(-1)
      if (!lastChange || stopped) return rebuildAt
      await applyChanges(database, follower.memory, changes, pace())
      follower.position = lastChange.sequence
      rebuildAt = changes.findLast(({ kind }) => kind === 'rebuild')?.sequence ?? rebuildAt
    }
  }

  async function refresh() {
    const rebuildAt = await inTurn(() => catchUp(state))
    if (rebuildAt !== null) reload(rebuildAt).catch(logFailure)
  }

  /** Loads a state that holds everything up to `since`, while the old one serves and follows on. */
  function reload(since: number): Promise<void> {
    if (loading && loading.since >= since) return loading.done
    const before = loading?.done ?? Promise.resolve()
    const done = before.catch(() => {}).then(loadBeside)
    const current = { since, done }
    loading = current
    const finished = () => {
      if (loading === current) loading = null
    }
    done.then(finished, finished)
    return done
  }

  async function loadBeside() {
    const startedAt = performance.now()
    const next = await loadState(database, pace())
    await inTurn(async () => {
      await catchUp(next)
      if (!stopped) state = next
    })
    log.info('directory rebuilt', { ms: Math.round(performance.now() - startedAt) })
  }

  async function rebuild() {
    const since = await database.use(({ sql }) => requestRebuild(sql))
    await reload(since)
  }

  function logFailure(error: unknown) {
    // An outage is no news each second; what is behind shows in `position`.
    log.debug('directory could not be followed', { error: String(error) })
  }

  let waking = false
  function wake() {
    if (waking || stopped) return
    waking = true
    refresh()
      .catch(logFailure)
      .finally(() => {
        waking = false
      })
  }

  const listening = await database.listen(CHANGES_CHANNEL, wake, wake)
  const poll = setInterval(wake, POLL_MS)
  const trim = setInterval(() => {
    database.use(({ sql }) => trimChangeLog(sql, TRIM_ROWS)).catch(logFailure)
  }, TRIM_MS)

  async function stop() {
    stopped = true
    clearInterval(poll)
    clearInterval(trim)
    await listening.stop()
    await inTurn(async () => {})
  }

  return {
    get state() {
      return state
    },
    refresh,
    rebuild,
    stop,
  }
}
