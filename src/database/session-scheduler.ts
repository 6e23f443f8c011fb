/**
 * Lends the embedded database's one session to many clients, one at a time. A turn lasts from a client's first message
 * to the end of its exchange or transaction.
 *
 * - The program's own connections go first, and share the session. The statements that they prepared are closed once
 *   they are over; they leave nothing else behind.
 * - A guest (psql, pg_dump, …) finds a clean session with its own settings and prepared statements, and whatever else
 *   it left is discarded before anybody else's turn.
 * - A guest that holds others up for `HOLD_MS` is interrupted, rolled back and sent away. Then guests wait for as long
 *   as others waited, so that they never take more than half of the time.
 */
import {
  COPY_FAIL,
  closeStatement,
  firstValue,
  messagesIn,
  query,
  SYNC,
  typeOf,
} from './protocol.ts'
import { Session } from './session.ts'

/** The thread that runs PostgreSQL. */
export interface Engine {
  /** Runs messages. `onNeed` gives a COPY its data. @returns whether PostgreSQL is outside of a transaction then. */
  run(
    messages: Uint8Array,
    onAnswer: (bytes: Uint8Array) => void,
    onNeed: () => Promise<Uint8Array>,
  ): Promise<boolean>
  /** Asks the running statement to end with an error. */
  interrupt(): void
}

/** Ends an exchange that was left half-way, and the transaction. */
const ABANDON = Buffer.concat([SYNC, query('rollback')])

/**
 * Does what `discard all` does, but keeps the plans of functions: they hold nothing of a client's and take long to make.
 * The user is named, because PGlite has no default that `set session authorization default` could go back to.
 */
const CLEAN = Buffer.concat([
  query(`close all; set session authorization postgres; reset role; reset all; deallocate all; unlisten *;
    select pg_catalog.pg_advisory_unlock_all(); discard sequences`),
  query('discard temp'),
])

export class SessionScheduler {
  readonly #engine: Engine
  /** Waiting sessions: the program's, and guests with the time since when. */
  readonly #own = new Set<Session>()
  readonly #guests = new Map<Session, number>()
  #turn: Turn | undefined
  /** The guest whose state PostgreSQL's session has; undefined: the program's. */
  #guest: Session | undefined
  /** Prepared statements that PostgreSQL's session has. */
  readonly #present = new Set<string>()
  /** Prepared statements of the program's sessions that are over. */
  readonly #left = new Set<string>()
  #guestsWaitUntilMs = 0
  #wakeUp: ReturnType<typeof setTimeout> | undefined

  constructor(engine: Engine) {
    this.#engine = engine
  }

  /** The session has messages: it gets its turn, or goes on with it. */
  request(session: Session) {
    if (this.#turn?.session === session) return
    if (session.isOwn) this.#own.add(session)
    else if (!this.#guests.has(session)) this.#guests.set(session, performance.now())
    this.#limit()
    this.#next()
  }

  /** The session is over. */
  leave(session: Session) {
    this.#own.delete(session)
    this.#guests.delete(session)
    if (session.isOwn) for (const name of session.statements) this.#left.add(name)
    if (this.#turn?.session === session) this.#turn.interrupt()
    else session.close()
  }

  /** Cancels the statement that the session is running, if it is. */
  cancel(session: Session) {
    if (this.#turn?.session === session && this.#turn.isRunning) this.#engine.interrupt()
  }

  #next() {
    if (this.#turn) return
    const session = this.#choose()
    if (!session) return
    this.#own.delete(session)
    this.#guests.delete(session)
    const turn = new Turn(session, () => this.#engine.interrupt())
    this.#turn = turn
    this.#limit()
    this.#take(turn).finally(() => this.#end(turn))
  }

  #choose(): Session | undefined {
    const [own] = this.#own
    const [waiting] = this.#guests
    if (!waiting) return own
    const [guest, sinceMs] = waiting
    const nowMs = performance.now()
    const restMs = this.#guestsWaitUntilMs - nowMs
    if (restMs <= 0 && (!own || nowMs - sinceMs > HOLD_MS)) return guest
    if (own) return own
    clearTimeout(this.#wakeUp)
    this.#wakeUp = setTimeout(() => this.#next(), restMs)
  }

  async #take(turn: Turn) {
    const { session } = turn
    const guest = session.isOwn ? undefined : session
    if (this.#guest !== guest) await this.#changeTo(guest)
    if (this.#left.size > 0) await this.#closeLeft()
    for (;;) {
      const part = session.isOver ? undefined : await session.next(this.#present)
      if (!part) break
      turn.isRunning = true
      const send = part.isHidden ? errorsTo(session) : session.send
      const isIdle = await this.#engine.run(part.bytes, send, async () => {
        turn.isRunning = false
        const data = await session.nextData()
        turn.isRunning = true
        return data ?? COPY_FAIL
      })
      turn.isRunning = false
      if (isIdle && part.endsExchange) return
    }
    await this.#silently(ABANDON)
  }

  #end(turn: Turn) {
    turn.stop()
    this.#turn = undefined
    const { session, heldUpMs } = turn
    if (!session.isOwn && heldUpMs > 0) this.#guestsWaitUntilMs = performance.now() + heldUpMs
    if (session.isOver) session.close()
    else if (session.pendingBytes > 0) this.request(session)
    this.#next()
  }

  /** Discards what the last one left, and gives the next one what is its own. */
  async #changeTo(next: Session | undefined) {
    const last = this.#guest
    this.#guest = next
    this.#present.clear()
    this.#left.clear()
    if (last?.isOver === false)
      last.settings = firstValue(await this.#silently(Session.askSettings))
    await this.#silently(CLEAN)
    if (next?.settings) await this.#silently(settingsQueries(next.settings))
  }

  async #closeLeft() {
    const names = [...this.#left]
    this.#left.clear()
    for (const name of names) this.#present.delete(name)
    await this.#silently(Buffer.concat([...names.map(closeStatement), SYNC]))
  }

  async #silently(messages: Uint8Array): Promise<Uint8Array> {
    const answer: Uint8Array[] = []
    await this.#engine.run(
      messages,
      (bytes) => answer.push(bytes),
      async () => COPY_FAIL,
    )
    return Buffer.concat(answer)
  }

  /** Starts the clock of a turn that others wait for. */
  #limit() {
    if (this.#own.size + this.#guests.size > 0) this.#turn?.limit()
  }
}

/** Passes on nothing but errors. */
function errorsTo({ send }: Session): Session['send'] {
  return (bytes) => {
    for (const message of messagesIn(bytes)) if (typeOf(message) === 'E') send(message)
  }
}

/** One for each setting: one that is refused keeps none of the others back. */
function settingsQueries(settings: string): Uint8Array {
  const quoted = (value: unknown) => `'${String(value).replaceAll("'", "''")}'`
  const queries = Object.entries(JSON.parse(settings)).map(([name, value]) =>
    query(`select pg_catalog.set_config(${quoted(name)}, ${quoted(value)}, false)`),
  )
  return Buffer.concat(queries)
}

/** How long a guest may hold others up. */
export const HOLD_MS = 500

/** How late a timer is in a process that is busy with something else. */
const LATE_MS = 100

/** For what a silent client has sent, or sends now, to be read in a process that was busy. */
const GRACE_MS = 50

/** An interrupt can be lost where PostgreSQL holds interrupts off. */
const INTERRUPT_AGAIN_MS = 20

const HELD_UP = `the session held others up for ${HOLD_MS} ms: its statement was cancelled, its transaction rolled back. The embedded database serves one client at a time; connect again, and keep transactions short`

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
    // The program's statements may take as long as they need; only its clients' silence is limited.
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
