/** The fields of every kind of record. */
import type { KindName } from '../summary.ts'
import { COMPANY_FIELDS } from './companies.ts'
import type { Fields } from './field.ts'
import { PERSON_FIELDS } from './people.ts'
import { ROUND_FIELDS } from './rounds.ts'

export const FIELDS: Readonly<Record<KindName, Fields>> = {
  companies: COMPANY_FIELDS,
  people: PERSON_FIELDS,
  rounds: ROUND_FIELDS,
}
