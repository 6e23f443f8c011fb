/**
 * Keeps a loaded directory up to date. It reads the change log after each NOTIFY, each second
 * and after each reconnect, from the position that it has reached. Where the log no longer reaches
 * back that far, it loads a second store while the first one serves, then swaps them.
 */
import {
  type Database,
  DatabaseUnavailable,
  describeError,
  errorCode,
} from '../../database/client.ts'
import type { Log } from '../../log.ts'
import { createMutex } from '../../mutex.ts'
import {
  CHANGES_CHANNEL,
  changesAfter,
  type LoggedChange,
  logBounds,
  requestRebuild,
  trimChangeLog,
} from './changes.ts'
import type { Following, SetAside } from './directory.ts'
import { applyChanges, loadState, type State } from './load.ts'
import { ALONE, type Pace, paceFor } from './pace.ts'
import { LOAD_DEADLINE } from './rows.ts'

// Changed records that can't be taken in. One of them must not hold up all others: it is set aside by its id, named in the log,
// and tried again after longer and longer pauses.

const FIRST_PAUSE_MS = 5_000
const MAX_PAUSE_MS = 10 * 60_000
/** More than so many are no fault of single rows. */
const MOST = 1_000

interface Entry extends SetAside {
  change: LoggedChange
  pauseMs: number
  dueMs: number
}

/** Takes changes in. @throws what it throws for one of them, or for all */
type Apply = (changes: readonly LoggedChange[]) => Promise<void>

export class SetAsideChanges {
  readonly #entries = new Map<string, Entry>()
  readonly #log: Log
  readonly #firstPauseMs: number

  constructor(log: Log, firstPauseMs = FIRST_PAUSE_MS) {
    this.#log = log
    this.#firstPauseMs = firstPauseMs
  }

  /** Changes that wait for their next try. */
  get list(): readonly SetAside[] {
    return [...this.#entries.values()].map(({ kind, id, tries }) => ({ kind, id, tries }))
  }

  /** Applies changes, and sets those aside whose own row fails. @throws what is no fault of a row, with some perhaps applied */
  async apply(changes: readonly LoggedChange[], apply: Apply): Promise<void> {
    try {
      await apply(changes)
    } catch (error) {
      if (!isOfRow(error)) throw error
      // Each record once.
      const different = new Map(changes.map((change) => [keyOf(change), change]))
      await this.#applyParts([...different.values()], apply, error)
      return
    }
    for (const change of changes) this.#forget(change)
  }

  /** Halves what failed until each row that fails stands alone. */
  async #applyParts(changes: readonly LoggedChange[], apply: Apply, failure: unknown) {
    const [first] = changes
    if (first && changes.length === 1) return this.#setAside(first, failure)
    const half = Math.ceil(changes.length / 2)
    await this.apply(changes.slice(0, half), apply)
    await this.apply(changes.slice(half), apply)
  }

  #setAside(change: LoggedChange, error: unknown) {
    const key = keyOf(change)
    const before = this.#entries.get(key)
    if (!before && this.#entries.size >= MOST) throw error
    const { kind, id } = change
    const tries = (before?.tries ?? 0) + 1
    const pauseMs = before ? Math.min(before.pauseMs * 2, MAX_PAUSE_MS) : this.#firstPauseMs
    const dueMs = performance.now() + pauseMs
    this.#entries.set(key, { change, kind, id, tries, pauseMs, dueMs })
    this.#log.warn('a changed record could not be taken in: it is set aside and tried again', {
      kind,
      id,
      tries,
      pauseMs,
      error: describeError(error),
    })
  }

  #forget(change: LoggedChange) {
    if (!this.#entries.delete(keyOf(change))) return
    const { kind, id } = change
    this.#log.info('a record that was set aside was taken in', { kind, id })
  }

  /** True if a record is to be tried again. */
  get isDue(): boolean {
    const nowMs = performance.now()
    return this.#entries.values().some(({ dueMs }) => dueMs <= nowMs)
  }

  /** Tries those again whose pause is over. @throws what is no fault of a row */
  async retry(apply: Apply): Promise<void> {
    const nowMs = performance.now()
    for (const { change, dueMs } of [...this.#entries.values()]) {
      if (dueMs <= nowMs) await this.apply([change], apply)
    }
  }
}

const keyOf = ({ kind, id }: LoggedChange) => `${kind} ${id}`

/**
 * True if a row's own values brought the error: what JavaScript throws at them, data exceptions (22) and rows that
 * can't be read (XX). Any other is of the database or the schema, and no row is skipped for it.
 */
function isOfRow(error: unknown): boolean {
  if (error instanceof DatabaseUnavailable) return false
  const code = errorCode(error)
  return code === undefined || /^(22|XX|ERR_)/.test(code)
}

// Failures of work that is tried again and again: counted, and said when they begin, each minute that they last, and when they
// are over.

const SAID_EVERY_MS = 60_000

interface Troubles {
  readonly failures: number
  /** In epoch milliseconds; undefined where none was. */
  readonly lastFailureMs: number | undefined
  failed(error: unknown): void
  succeeded(): void
}

/** @param what begins the log's lines: `the change log can't be followed` */
function noteTroubles(log: Log, what: string): Troubles {
  let failures = 0
  let lastFailureMs: number | undefined
  /** When the next line is due; undefined while all is well. */
  let sayAtMs: number | undefined
  return {
    get failures() {
      return failures
    },
    get lastFailureMs() {
      return lastFailureMs
    },
    failed(error) {
      failures++
      lastFailureMs = Date.now()
      const nowMs = performance.now()
      if (sayAtMs !== undefined && nowMs < sayAtMs) return
      sayAtMs = nowMs + SAID_EVERY_MS
      // The message of any other error may repeat a row's values.
      const reason = error instanceof DatabaseUnavailable ? error.message : describeError(error)
      log.warn(what, { reason, failures })
    },
    succeeded() {
      if (sayAtMs === undefined) return
      sayAtMs = undefined
      log.info(`over: ${what}`)
    },
  }
}

/** Log rows read and applied in one go. */
const CHANGES_MAX = 1_000
const POLL_MS = 1_000
const TRIM_MS = 60_000
const TRIM_ROWS = 10_000

interface FollowOptions {
  log: Log
  /** Loads everything anew, at least up to a position of the log; unless given, from the same database. */
  load?: (since: number, pace: Pace) => Promise<State>
  /** Asked before each piece of work: a start needs no pauses. */
  pace: () => Pace
  /** True if this follower deletes what is old in the change log. */
  trims: boolean
  /** How long a record that can't be taken in waits for its second try, in milliseconds. */
  retryMs?: number | undefined
}

/**
 * @param state what is served first. Each rebuild puts another in its place: a variable of its own beside the
 * parameter would keep the first one, which takes as much memory again, until the process ends.
 * @returns what is served now, as `state`, and what acts on it.
 */
export async function follow(
  database: Database,
  state: State,
  {
    log,
    load = (_since, slowly) => loadState(database, slowly),
    pace,
    trims,
    retryMs,
  }: FollowOptions,
) {
  let stopped = false
  /** Rows of the current state that could not be loaded. */
  let aside = new SetAsideChanges(log, retryMs)
  const following = noteTroubles(log, "the change log can't be followed")
  const reloading = noteTroubles(log, "the directory can't be loaded anew")
  /** When the look at the log began that found nothing to follow. */
  let inStepMs = performance.now()
  /** Held while changes are applied, so that each is applied once and in the log's order. */
  const mutex = createMutex()
  /** The load under way, with the log position that its state will have reached at least. */
  let loading: { since: number; done: Promise<void> } | null = null

  /**
   * Applies the next changes of the log.
   * @returns whether none are left, and `rebuildAt`: the sequence that a full load must reach, if one is needed.
   */
  async function applyNext(
    follower: State,
    setAside: SetAsideChanges,
  ): Promise<{ isLast: boolean; rebuildAt?: number }> {
    const { position } = follower
    // A start waits longer than what serves: nobody is told of a look that failed but who starts it.
    const limit = pace() === ALONE ? LOAD_DEADLINE : {}
    const { changes, isComplete, positionAt } = await database.use(
      ({ sql }) => changesAfter(sql, position, CHANGES_MAX),
      limit,
    )
    // A failover can lose changes that were followed, and others then have their numbers.
    const isOther = follower.positionAt !== undefined && follower.positionAt !== positionAt
    if (!isComplete || isOther) {
      // Only the log's beginning is compared: its end moves with each change, so that each look would ask for one more load.
      const { first } = await database.use(({ sql }) => logBounds(sql), limit)
      return { isLast: true, rebuildAt: first }
    }
    follower.positionAt = positionAt ?? undefined
    const lastChange = changes.at(-1)
    if (!lastChange || stopped) return { isLast: true }
    await setAside.apply(changes, applyTo(follower))
    follower.position = lastChange.sequence
    follower.positionAt = lastChange.at
    const rebuildAt = changes.findLast(({ kind }) => kind === 'rebuild')?.sequence
    return { isLast: false, ...(rebuildAt !== undefined && { rebuildAt }) }
  }

  function applyTo({ store }: State) {
    return (changes: readonly LoggedChange[]) =>
      applyChanges(database, store, changes, paceFor(pace(), changes.length))
  }

  /** Applies the log up to its end. A rebuild gets its turn between two parts: changes may come without end. */
  async function refresh() {
    let isLast = false
    while (!isLast) {
      const beganMs = performance.now()
      const applied = await mutex.runExclusive(() => applyNext(state, aside))
      isLast = applied.isLast
      if (applied.rebuildAt !== undefined) reload(applied.rebuildAt).catch(logReload)
      else if (isLast) inStepMs = beganMs
    }
    if (aside.isDue && !stopped) await mutex.runExclusive(() => aside.retry(applyTo(state)))
  }

  /** Loads a state that holds everything up to `since`, while the old one serves and follows the log. */
  function reload(since: number): Promise<void> {
    if (loading && loading.since >= since) return loading.done
    const before = loading?.done ?? Promise.resolve()
    const done = before.catch(() => {}).then(() => loadAndSwap(since))
    const current = { since, done }
    loading = current
    const finished = () => {
      if (loading === current) loading = null
    }
    done.then(finished, finished)
    return done
  }

  async function loadAndSwap(since: number) {
    const startedAt = performance.now()
    while (!stopped && !(await swapFor(await load(since, pace()))));
    reloading.succeeded()
    wake()
    log.info('directory rebuilt', { ms: Math.round(performance.now() - startedAt) })
  }

  /**
   * Puts the loaded state in place once it holds all that may have been shown, so that no read goes back in time: what
   * is served shows each record as it was when it was read, which may be later than its position. All of that is in
   * the log by now. `refresh` goes on from there.
   * @returns whether it did: false where the log was trimmed past the state while it was loaded.
   */
  function swapFor(next: State): Promise<boolean> {
    return mutex.runExclusive(async () => {
      const { last } = await database.use(({ sql }) => logBounds(sql))
      const nextAside = new SetAsideChanges(log, retryMs)
      while (next.position < last && !stopped) {
        const { isLast, rebuildAt } = await applyNext(next, nextAside)
        if (isLast) return false
        if (rebuildAt !== undefined) reload(rebuildAt).catch(logReload)
      }
      if (stopped) return true
      state = next
      aside = nextAside
      return true
    })
  }

  async function rebuild() {
    const since = await database.use(({ sql }) => requestRebuild(sql))
    await reload(since)
  }

  function logReload(error: unknown) {
    if (!stopped) reloading.failed(error)
  }

  let waking = false
  function wake() {
    if (waking || stopped) return
    waking = true
    refresh()
      .then(following.succeeded, (error: unknown) => {
        if (!stopped) following.failed(error)
      })
      .finally(() => {
        waking = false
      })
  }

  const listening = await database.listen(CHANGES_CHANNEL, wake, wake)
  const poll = setInterval(wake, POLL_MS)
  const trimming = noteTroubles(log, "the change log can't be trimmed")
  const trim = () => {
    database
      .use(({ sql }) => trimChangeLog(sql, TRIM_ROWS))
      .then(trimming.succeeded, (error: unknown) => {
        if (!stopped) trimming.failed(error)
      })
  }
  const trimTimer = trims ? setInterval(trim, TRIM_MS) : undefined

  async function stop() {
    stopped = true
    clearInterval(poll)
    clearInterval(trimTimer)
    await listening.stop()
    await mutex.runExclusive(async () => {})
  }

  return {
    get state() {
      return state
    },
    get following(): Following {
      return {
        secondsSinceInStep: (performance.now() - inStepMs) / 1_000,
        failures: following.failures + reloading.failures,
        lastFailureMs:
          Math.max(following.lastFailureMs ?? 0, reloading.lastFailureMs ?? 0) || undefined,
        setAside: aside.list,
      }
    },
    refresh,
    rebuild,
    stop,
  }
}
