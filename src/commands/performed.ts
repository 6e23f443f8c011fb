/** Acts of an operator who types a command: the same as on the pages of `/operator`, in the same log (D182). */
import { userInfo } from 'node:os'
import type { Database } from '../database/client.ts'
import { type Act, type Actor, perform } from '../operator/perform.ts'

/** Who a change is of: the name that was given, or the user who runs the command. */
export function who(given: string | undefined): string {
  if (given !== undefined) return given
  try {
    return userInfo().username
  } catch {
    // A container may run under a number that no user has.
    return 'unknown user'
  }
}

/** Whoever types a command, as the audit log names them: the system's user, unless a name was given. */
export const typist = (as?: string): Actor => ({
  ...{ via: 'command', userId: null, who: who(as), address: null },
})

/** Does an act; the audit log names the system's user. @returns undefined where there was nothing to do it to */
export const performed = <T>(database: Database, act: Act<T>): Promise<T | undefined> =>
  perform(database, typist(), act)
