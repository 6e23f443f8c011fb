/** What the import knows of each kind of records, by the kind's name. */
import { COMPANIES } from './companies.ts'
import { PEOPLE } from './people.ts'
import { ROUNDS } from './rounds.ts'
import type { RecordSchema } from './schema.ts'
import type { KindName } from './summary.ts'

export const SCHEMAS: Readonly<Record<KindName, RecordSchema>> = {
  companies: COMPANIES,
  people: PEOPLE,
  rounds: ROUNDS,
}
