/** Acts of an operator who types a command: the same as on the pages of `/operator`, in the same log (D182). */
import type { Database } from '../database/client.ts'
import { type Act, perform } from '../operator/perform.ts'
import { who } from './record.ts'

/** Does an act; the audit log names the system's user. @returns undefined where there was nothing to do it to */
export function performed<T>(database: Database, act: Act<T>): Promise<T | undefined> {
  return perform(
    database,
    { via: 'command', userId: null, who: who(undefined), address: null },
    act,
  )
}
