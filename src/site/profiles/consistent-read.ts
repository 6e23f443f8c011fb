/** Reads that take milliseconds are split over turns of the event loop and still see one state of the directory. */
import type { Directory } from '../../directory/records/directory.ts'
import { ownTurn } from '../../turns.ts'

/**
 * Runs each step in a turn of its own. If the directory changes in between, everything is read again in one turn.
 * @param read may read the directory and nothing else
 */
export async function consistentRead<T>(
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

/** Result of a generator function that reads in steps. */
export type StepsResult<F extends (...given: never[]) => Generator<void, unknown>> =
  ReturnType<F> extends Generator<void, infer T> ? T : never

/** Runs all steps at once. */
export function wholeOf<T>(steps: Generator<void, T>): T {
  for (;;) {
    const { done, value } = steps.next()
    if (done) return value
  }
}
