/**
 * The fixed directory that a test directory holds unless it is given rows of its own: companies of all six
 * types, people with every mix of channels, rounds. Ids, slugs and names are constants, in the form of
 * import rows, and each order that lists can have (D31) puts the records in another sequence.
 */
import { companies } from './records/companies.ts'
import { people } from './records/people.ts'
import { rounds } from './records/rounds.ts'

export const fixtures = { companies, people, rounds } as const
