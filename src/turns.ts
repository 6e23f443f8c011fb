/**
 * Turns of the event loop. Calls of the API and parts of pages share a thread: a page that is rendered in one go holds up every call
 * that comes meanwhile, so parts of pages take turns, and calls come first.
 */
import { setImmediate } from 'node:timers'

/** Number of waiting parts, those of three long pages, up to which each has its own turn. Of more, this share goes in a turn. */
const ALONE = 32
/** Longest wait of a part while calls are in hand, so that pages come all the same. */
const PATIENCE_MS = 10

/** The turns of one thread. @param patienceMs how long a part waits for calls at most */
export function createTurns(patienceMs: number) {
  /** Waiting parts, oldest first. */
  const waiting: (() => void)[] = []
  /** Calls that have arrived and are not answered. */
  let callsInHand = 0
  /** Timer of the oldest part's wait for calls. */
  let patience: ReturnType<typeof setTimeout> | undefined

  function callAnswered() {
    callsInHand--
    if (callsInHand > 0 || !patience) return
    clearTimeout(patience)
    patience = undefined
    // The answer is sent before the next part begins.
    setImmediate(afterOthers)
  }

  /** Calls that arrived during the last turn stand behind this one: they are begun before the next part. */
  function afterOthers() {
    setImmediate(beginUnlessCalls)
  }

  function beginUnlessCalls() {
    if (callsInHand > 0) patience = setTimeout(begin, patienceMs)
    else begin()
  }

  function begin() {
    patience = undefined
    for (const resolve of waiting.splice(0, Math.ceil(waiting.length / ALONE))) resolve()
    if (waiting.length > 0) setImmediate(afterOthers)
  }

  return {
    /**
     * Counts an arrived call of the API: parts of pages wait until it is answered, because one that began while the call waits
     * for the database would hold up its answer.
     * @returns a function to call once, when the call is answered
     */
    callArrived(): () => void {
      callsInHand++
      return callAnswered
    },
    /**
     * Doesn't count an arrived call during a wait: a delayed refusal, or the look-up of a key that may be made up. A flood of
     * them would hold up every part of every page.
     */
    async heldBack<T>(wait: () => Promise<T>): Promise<T> {
      callAnswered()
      try {
        return await wait()
      } finally {
        callsInHand++
      }
    },
    /**
     * Resolves in a turn of the event loop that no other part of a page has, once no call is in hand or the wait for calls is
     * over. It is for work of about a millisecond. Where very many wait, some share a turn, because the last page would
     * otherwise come many seconds later.
     */
    ownTurn(): Promise<void> {
      return new Promise((resolve) => {
        waiting.push(resolve)
        if (waiting.length === 1) setImmediate(afterOthers)
      })
    },
  }
}

/** The turns of this thread, which all services of a process share. */
export const { callArrived, heldBack, ownTurn } = createTurns(PATIENCE_MS)

/**
 * Makes a function that waits until the runtime has read all arrived data. Requests that arrive together wait for the same
 * turn of the event loop.
 */
export function nextTurn(): () => Promise<void> {
  let turn: Promise<void> | undefined
  return () => {
    turn ??= new Promise((resolve) => {
      setImmediate(() => {
        turn = undefined
        resolve()
      })
    })
    return turn
  }
}
