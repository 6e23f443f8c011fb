/**
 * One session's turn, and its clock.
 *
 * The longest wait of a call that comes as a guest's turn begins is the sum of
 * - `HOLD_MS`, 500 ms;
 * - how late this process is at the timer;
 * - `GRACE_MS`, 50 ms, where the timer was very late and the guest is silent: it may have had no time to answer. A
 *   running statement gets none, because PostgreSQL's thread goes on while this one is busy;
 * - what PostgreSQL takes to look at the interrupt, roll back and clean the session.
 *
 * On a machine that is not full the sum stays far below the 900 ms for which the meter lets a call wait: about 650. It
 * passes them where PostgreSQL's thread gets too little of the processor; with four busy processes to a core, a statement
 * took up to a second to see its interrupt.
 */
import type { Session } from './session.ts'

/** How long a guest may hold others up. */
export const HOLD_MS = 500

/** How late a timer is in a process that is busy with something else. */
const LATE_MS = 100

/** For what a silent client has sent, or sends now, to be read in a process that was busy. */
const GRACE_MS = 50

/** An interrupt can be lost where PostgreSQL holds interrupts off. */
const INTERRUPT_AGAIN_MS = 20

const HELD_UP = `the session held others up for ${HOLD_MS} ms: its statement was cancelled, its transaction rolled back. The embedded database serves one client at a time; connect again, and keep transactions short`

export class Turn {
  readonly session: Session
  /** PostgreSQL is at work for it, not waiting for what it sends. */
  isRunning = false
  readonly #interruptStatement: () => void
  #heldUpSinceMs: number | undefined
  #timer: ReturnType<typeof setTimeout> | undefined

  /** @param interruptStatement asks the running statement to end with an error. */
  constructor(session: Session, interruptStatement: () => void) {
    this.session = session
    this.#interruptStatement = interruptStatement
  }

  /** For how many milliseconds others have waited; 0 where nobody has. */
  get heldUpMs(): number {
    return this.#heldUpSinceMs === undefined ? 0 : performance.now() - this.#heldUpSinceMs
  }

  /** Starts the clock: somebody else waits. */
  limit() {
    if (this.#heldUpSinceMs !== undefined || this.session.kind === 'service') return
    this.#heldUpSinceMs = performance.now()
    this.#timer = setTimeout(() => this.#expire(), HOLD_MS)
  }

  /** Ends a guest's turn: its statement is interrupted until `stop`. */
  interrupt() {
    clearTimeout(this.#timer)
    // A statement of the program goes on without its client: it may be about to commit.
    if (this.session.isOwn) return
    if (this.isRunning) this.#interruptStatement()
    this.#timer = setTimeout(() => this.interrupt(), INTERRUPT_AGAIN_MS)
  }

  /** The turn is over. */
  stop() {
    clearTimeout(this.#timer)
  }

  #expire(hadGrace = false) {
    // What the program runs takes as long as it needs; only its clients' silence is limited.
    if (this.session.isOwn && this.isRunning) {
      this.#timer = setTimeout(() => this.#expire(), HOLD_MS)
    } else if (this.heldUpMs > HOLD_MS + LATE_MS && !hadGrace) {
      // This process was busy: what came meanwhile, an answer of PostgreSQL's or of the client's, is read first.
      this.#timer = setTimeout(() => this.#expire(true), this.isRunning ? 0 : GRACE_MS)
    } else {
      this.session.end('57014', HELD_UP)
      this.interrupt()
    }
  }
}
