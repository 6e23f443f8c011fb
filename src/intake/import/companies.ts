/** Companies: one statement finds those that a batch names, one writes the batch. */
import { companies } from '../../database/tables/directory.ts'
import { COMPANY_FIELDS } from './fields/companies.ts'
import { matching } from './namesakes.ts'
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
  matching: matching({
    kind: 'company',
    table: 'companies',
    reads: ['name', 'domain', 'twitterHandle'],
    isNamed: 'r.name is not null',
    name: 'folded_name(r.name)',
    label: "r.name || ' (slug ' || r.slug || ')'",
    tells: { domain: 'lower(r.domain)', twitterHandle: 'lower(r.twitter_handle)' },
    says: { domain: 'r.domain', twitterHandle: 'r.twitter_handle' },
    words: 'the name is the same, and no domain or X handle',
  }),
  complete: (given) => given,
  differences: table.differences(),
  write: `with ${INPUT}, ${table.write()} ${COUNTS}`,
}
