/** Companies: one statement finds those that a batch names, one writes the batch. */
import { companies } from '../database/tables/directory.ts'
import { Unfit } from './clean.ts'
import { COMPANY_FIELDS } from './fields.ts'
import { columnsOf, type Kind, prefixed, rowOf } from './kind.ts'
import { findStatement, INPUT } from './statements.ts'

const FIELDS = Object.keys(COMPANY_FIELDS).filter((field) => !['id', 'createdAt'].includes(field))
const COLUMNS = columnsOf(companies, FIELDS)
const WRITTEN = columnsOf(companies, [...FIELDS, 'createdAt'])
const names = [...COLUMNS.values()].join(', ')
const values = prefixed('r', COLUMNS.values())

export const FIND_COMPANIES = findStatement('companies', ['id', 'external_id', 'slug'])

// jsonb_populate_record(c, row) is the stored record with the row's fields laid over it.
const WRITE_COMPANIES = `
with ${INPUT},
created as (
  insert into companies (id, ${names}, created_at)
  select i.id, ${values}, coalesce(r.created_at, now())
    from input i cross join lateral jsonb_populate_record(null::companies, i.row) r
   where i.new
  returning id
), updated as (
  update companies c
     set (${names}, created_at, updated_at) =
         (select ${values}, r.created_at, now() from jsonb_populate_record(c, i.row) r)
    from input i
   where not i.new and c.id = i.id and c is distinct from jsonb_populate_record(c, i.row)
  returning c.id
)
select (select count(*)::int from created) as created,
       (select count(*)::int from updated) as updated`

export const COMPANIES: Kind = {
  name: 'companies',
  fields: COMPANY_FIELDS,
  hasSlug: true,
  fallbackSlug: 'company',
  defaults: { sectors: [], chains: [], handleHistory: [], altRoles: [] },
  slugSources: ({ name, twitterHandle }) => [name ?? null, twitterHandle ?? null],
  nameKey: ({ name }) => String(name).toLowerCase(),
  references: () => [],
  complete(given, stored) {
    for (const field of ['name', 'companyType']) {
      if (!stored && given[field] === undefined) throw new Unfit('missing', field)
    }
    return given
  },
  find: FIND_COMPANIES,
  write: WRITE_COMPANIES,
  input: ({ id, stored, values }) => ({ id, new: !stored, row: rowOf(values, WRITTEN) }),
}
