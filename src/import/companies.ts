/** Companies: one statement finds those that a batch names, one writes the batch. */
import { companies } from '../database/tables/directory.ts'
import { InvalidValue } from './clean.ts'
import { COMPANY_FIELDS } from './fields.ts'
import type { RecordSchema } from './schema.ts'
import { COUNTS, columnsOf, findStatement, INPUT, insertNew } from './statements.ts'

const COLUMNS = columnsOf(companies, COMPANY_FIELDS)

// jsonb_populate_record(c, row) is the stored record with the row's fields laid over it.
const WRITE_COMPANIES = `
with ${INPUT},
${insertNew('companies', COLUMNS)}, updated as (
  update companies c
     set (${COLUMNS.names}, created_at, updated_at) =
         (select ${COLUMNS.values}, r.created_at, now() from jsonb_populate_record(c, i.row) r)
    from input i
   where not i.new and c.id = i.id and c is distinct from jsonb_populate_record(c, i.row)
  returning c.id
)
${COUNTS}`

export const COMPANIES: RecordSchema = {
  fields: COMPANY_FIELDS,
  fallbackSlug: 'company',
  defaults: { sectors: [], chains: [], handleHistory: [], altRoles: [] },
  slugSources: ({ name, twitterHandle }) => [name ?? null, twitterHandle ?? null],
  nameKey: ({ name }) => String(name).toLowerCase(),
  references: () => [],
  complete(given, stored) {
    for (const field of ['name', 'companyType']) {
      if (!stored && given[field] === undefined) throw new InvalidValue('missing', field)
    }
    return given
  },
  find: findStatement('companies', ['id', 'external_id', 'slug']),
  write: WRITE_COMPANIES,
  input: ({ id, stored, values }) => ({ id, new: !stored, row: COLUMNS.rowOf(values) }),
}
