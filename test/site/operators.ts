/** Operators who are signed in, as tests of their pages need them. */

import { perform } from '../../src/console/acts/perform.ts'
import { giveOperator } from '../../src/console/acts/users.ts'
import { importRows } from '../../src/intake/import/import.ts'
import { newRecoveryCodes } from '../../src/people/users/second-factor-codes.ts'
import type { TestService } from '../helpers/service.ts'
import { shared } from '../helpers/shared.ts'
import { somebody } from '../intake/editing/traces.ts'
import { turnOnTwoSteps } from '../people/users/fixtures.ts'
import { PASSWORD, type Person, type Town } from './visitor.ts'

const COMMAND = { via: 'command', userId: null, who: 'root', address: null } as const

export interface Operator extends Person {
  /** The password and an unused code. */
  proof(): { password: string; code: string }
}

/** Turns two-step sign-in on for somebody. @returns recovery codes: more than pages give, for tests use them up */
export async function twoSteps({ sql }: TestService, { userId }: Person): Promise<string[]> {
  const { codes } = await turnOnTwoSteps(sql, userId)
  for (const more of Array.from({ length: 6 }, newRecoveryCodes)) {
    for (const hash of more.hashes)
      await sql`insert into recovery_codes (user_id, hash) values (${userId}, ${hash})`
    codes.push(...more.codes)
  }
  return codes
}

/** An operator with a second factor. */
export async function operatorIn(service: TestService, town: Town): Promise<Operator> {
  const person = await town.person('Olga')
  await perform(service.database, COMMAND, giveOperator, person.userId)
  const codes = await twoSteps(service, person)
  return { ...person, proof: () => ({ password: PASSWORD, code: codes.pop() ?? '' }) }
}

/** The operator whom the tests of a file share. */
export const sharedOperator = (service: TestService, town: Town): Operator =>
  shared(() => operatorIn(service, town))

/** Somebody new on file, of whom every trace can be found, and the path of their page for operators. */
export async function newPerson({ database }: TestService) {
  const { row, mark } = somebody()
  await importRows(database, 'people', [row])
  return { ...row, mark, path: `/operator/directory/people/${row.id}` }
}
