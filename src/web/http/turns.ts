/**
 * Turns of the event loop for the parts of pages. The API is answered by the same thread: a page that is rendered in one go
 * holds up every call that comes meanwhile, so parts of pages take turns, and calls come first.
 */
import { setImmediate } from 'node:timers'

/** Parts that wait, oldest first. */
const waiting: (() => void)[] = []
/** While no more than these wait, each has its turn: three long pages at once. Of more, this share goes in a turn. */
const ALONE = 32

/**
 * Resolves in a turn that no other part of a page has, once all that had arrived for others is read and begun. Where very many
 * wait, some share it: turns are long while calls fill the thread, and the last page would come many seconds later. It is for
 * work of about a millisecond.
 */
export function ownTurn(): Promise<void> {
  return new Promise((resolve) => {
    waiting.push(resolve)
    if (waiting.length === 1) setImmediate(afterOthers)
  })
}

/** Calls that arrived during the last turn stand behind this one: they are begun before the next part. */
function afterOthers() {
  setImmediate(begin)
}

function begin() {
  for (const resolve of waiting.splice(0, Math.ceil(waiting.length / ALONE))) resolve()
  if (waiting.length > 0) setImmediate(afterOthers)
}
