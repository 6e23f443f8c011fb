/**
 * People: one statement finds those that a batch names, one writes the batch. Private channels go
 * to `private_channels` and nowhere else; the `has_*` flags are kept by its trigger.
 */
import { people, privateChannels } from '../database/tables/directory.ts'
import { InvalidValue } from './clean.ts'
import { PERSON_FIELDS, PRIVATE_FIELDS } from './fields.ts'
import { rolesFrom } from './roles.ts'
import type { RecordSchema, StoredRecord, Values } from './schema.ts'
import { COUNTS, columnsOf, findStatement, INPUT, insertNew } from './statements.ts'

const COLUMNS = columnsOf(people, PERSON_FIELDS, 'companyId')
const CHANNELS = columnsOf(privateChannels, PRIVATE_FIELDS)

// A person's channels are inserted without `on conflict`: if another import stored them meanwhile,
// the batch fails as a whole and is identified again.
const WRITE_PEOPLE = `
with ${INPUT},
${insertNew('people', COLUMNS)}, channels_changed as (
  update private_channels c
     set (${CHANNELS.names}) = (select ${CHANNELS.values} from jsonb_populate_record(c, i.channels) r)
    from input i
   where c.person_id = i.id and c is distinct from jsonb_populate_record(c, i.channels)
  returning c.person_id
), channels_added as (
  insert into private_channels (person_id, ${CHANNELS.names})
  select i.id, ${CHANNELS.values}
    from input i cross join lateral jsonb_populate_record(null::private_channels, i.channels) r
   where coalesce(${CHANNELS.values}) is not null
     and not exists (select from private_channels c where c.person_id = i.id)
  returning person_id
), touched as (
  select person_id from channels_changed union all select person_id from channels_added
), updated as (
  update people p
     set (${COLUMNS.names}, created_at, updated_at) =
         (select ${COLUMNS.values}, r.created_at, now() from jsonb_populate_record(p, i.row) r)
    from input i
   where not i.new and p.id = i.id
     and (p is distinct from jsonb_populate_record(p, i.row)
          or p.id in (select person_id from touched))
  returning p.id
)
${COUNTS}`

/**
 * Roles come from the job title where the row brings a title and no roles; but a title that is
 * already stored changes nothing, so that roles given once outlive files that don't speak of them.
 */
function withRoles(given: Values, stored: StoredRecord | undefined): Values {
  const { roles, jobTitle, ...others } = given
  if (jobTitle === undefined) return roles === undefined ? given : { ...others, roles }
  if (Array.isArray(roles) && roles.length > 0) return given
  if (stored && roles === undefined && stored.jobTitle === jobTitle) return given
  return { ...others, jobTitle, roles: rolesFrom(typeof jobTitle === 'string' ? jobTitle : null) }
}

export const PEOPLE: RecordSchema = {
  fields: PERSON_FIELDS,
  defaults: { isCreator: false, contactType: 'team', roles: [] },
  slugSources: (given) => [fullName(given), given.twitterHandle ?? null],
  nameKey: (given) => fullName(given).toLowerCase(),
  references: ({ company }) => (typeof company === 'string' ? [company] : []),
  complete(given, stored, companyId) {
    const { company, ...others } = given
    const named = withRoles(others, stored)
    const first = named.firstName === undefined ? stored?.firstName : named.firstName
    const last = named.lastName === undefined ? stored?.lastName : named.lastName
    if (!first && !last) throw new InvalidValue('missing, and lastName too', 'firstName')
    if (company === undefined) return named
    if (company === null) return { ...named, companyId: null }
    const id = companyId(String(company))
    if (id === undefined) throw new InvalidValue('no such company', 'company')
    return { ...named, companyId: id }
  },
  find: findStatement('people', [
    'id',
    'external_id',
    'slug',
    'first_name',
    'last_name',
    'job_title',
  ]),
  write: WRITE_PEOPLE,
  input: ({ id, stored, values }) => ({
    id,
    new: !stored,
    row: COLUMNS.rowOf(values),
    channels: CHANNELS.rowOf(values),
  }),
}

function fullName({ firstName, lastName }: Values): string {
  return [firstName, lastName].filter((part) => typeof part === 'string').join(' ')
}
