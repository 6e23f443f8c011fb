/**
 * Turns of the event loop. Calls of the API and parts of pages share a thread: a page that is rendered in one go holds up every call
 * that comes meanwhile, so parts of pages take turns, and calls come first.
 */
import { setImmediate } from 'node:timers'

/** While no more parts than these wait, each has its turn: three long pages at once. Of more, this share goes in a turn. */
const ALONE = 32
/** While some call is always in hand, pages come all the same. */
const PATIENCE_MS = 10

/** The turns of one thread. @param patienceMs how long a part waits for calls at most */
export function createTurns(patienceMs: number) {
  /** Parts that wait, oldest first. */
  const waiting: (() => void)[] = []
  /** Calls that have arrived and are not answered. */
  let callsInHand = 0
  /** Runs while the oldest part waits for calls. */
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
     * Counts a call of the API that has arrived: parts of pages wait until it is answered. It waits for the database for most
     * of that time, and a part that began meanwhile would hold up its answer.
     * @returns to be called once, when the call is answered
     */
    callArrived(): () => void {
      callsInHand++
      return callAnswered
    },
    /**
     * Doesn't count a call that has arrived while it waits for this: a refusal that is held back, or a look-up of a key that
     * strangers may have made up. Else a flood of them would hold up every part of every page.
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
     * Resolves in a turn that no other part of a page has, once all that had arrived for others is read and begun and no call
     * is in hand, or the wait for calls is over. Where very many wait, some share a turn: turns are long while calls fill the
     * thread, and the last page would come many seconds later. It is for work of about a millisecond.
     */
    ownTurn(): Promise<void> {
      return new Promise((resolve) => {
        waiting.push(resolve)
        if (waiting.length === 1) setImmediate(afterOthers)
      })
    },
  }
}

/** Those of this thread, which all services of a process share. */
export const { callArrived, heldBack, ownTurn } = createTurns(PATIENCE_MS)

/**
 * Makes a function that waits until the runtime has read all that has arrived. Requests that arrive together
 * wait for one turn of the event loop together.
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
