/** Companies: one statement finds those that a batch names, one writes the batch. */
import { companies } from '../database/tables/directory.ts'
import { COMPANY_FIELDS } from './fields.ts'
import type { RecordSchema } from './schema.ts'
import { COUNTS, INPUT, recordTable } from './statements.ts'

const table = recordTable(companies, COMPANY_FIELDS)

export const COMPANIES: RecordSchema = {
  fields: COMPANY_FIELDS,
  table,
  required: ['name', 'companyType'],
  defaults: { sectors: [], chains: [], handleHistory: [], altRoles: [] },
  slugSources: ({ name, twitterHandle }) => [name, twitterHandle],
  fallbackSlug: 'company',
  nameKey: ({ name }) => String(name).toLowerCase(),
  complete: (given) => given,
  write: `with ${INPUT}, ${table.write()} ${COUNTS}`,
}
