/** Reading what takes milliseconds in turns of the event loop, and all of it of one moment all the same. */
import type { Directory } from '../../directory/records/directory.ts'
import { ownTurn } from '../../turns.ts'

/**
 * Takes each step in a turn of its own. Where the directory changes between two of them, everything is read again, in one turn.
 * @param read makes the steps, which look at nothing but the directory
 */
export async function ofOneMoment<T>(
  directory: Pick<Directory, 'moment'>,
  read: () => Generator<void, T>,
): Promise<T> {
  const moment = directory.moment()
  const steps = read()
  for (let step = steps.next(); ; step = steps.next()) {
    if (step.done) return step.value
    await ownTurn()
    if (directory.moment() !== moment) return wholeOf(read())
  }
}

/** What the steps of a function come to. */
export type StepsResult<F extends (...given: never[]) => Generator<void, unknown>> =
  ReturnType<F> extends Generator<void, infer T> ? T : never

/** Takes all steps at once. */
export function wholeOf<T>(steps: Generator<void, T>): T {
  for (;;) {
    const { done, value } = steps.next()
    if (done) return value
  }
}
