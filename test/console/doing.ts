/** Acts as a command does them, for tests. */
import type { Act, Fields, Resources, Values } from '../../src/console/acts/act.ts'
import { doAct, type To } from '../../src/console/acts/perform.ts'
import type { Actor } from '../../src/database/actor.ts'

export const COMMAND: Actor = { via: 'command', userId: null, who: 'root', address: null }

/** Resources of an act; those that are not given throw. */
export function resourcesWith(given: Pick<Resources, 'database'> & Partial<Resources>): Resources {
  const missing = () => {
    throw new Error('this test gives no such thing')
  }
  return { by: COMMAND, referralCredits: 0, gateway: missing, desk: missing, ...given }
}

/** Does the whole of an act. @returns its result; undefined where there was nothing to do it to */
export async function does<F extends Fields, S, R>(
  resources: Pick<Resources, 'database'> & Partial<Resources>,
  act: Act<F, S, R>,
  to: To,
  values: Partial<Values<F>> = {},
): Promise<R | undefined> {
  const { result } = await doAct(resourcesWith(resources), act, to, values as Values<F>)
  return result as R | undefined
}
