/**
 * Changed records that can't be taken in. One of them must not hold up all others: it is set aside by its id,
 * named in the log, and tried again after longer and longer pauses.
 */
import { DatabaseUnavailable, describeError, errorCode } from '../../database/client.ts'
import type { Log } from '../../log.ts'
import type { LoggedChange } from './changes.ts'
import type { SetAside } from './directory.ts'

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

  /** Whether a record is to be tried again. */
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
 * Whether a row's own values brought the error: what JavaScript throws at them, data exceptions (22) and rows that
 * can't be read (XX). Any other is of the database or the schema, and no row is skipped for it.
 */
function isOfRow(error: unknown): boolean {
  if (error instanceof DatabaseUnavailable) return false
  const code = errorCode(error)
  return code === undefined || /^(22|XX|ERR_)/.test(code)
}
