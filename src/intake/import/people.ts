/**
 * People: one statement finds those that a batch names, one writes the batch. Private channels go
 * to `private_channels` and nowhere else; its trigger keeps the `has_*` flags.
 */
import { people, privateChannels } from '../../database/tables/directory.ts'
import { InvalidValue } from './clean.ts'
import { withNames } from './fields/names.ts'
import { PERSON_FIELDS, PRIVATE_FIELDS } from './fields/people.ts'
import { matching } from './namesakes.ts'
import { rolesFrom } from './roles.ts'
import { type RecordSchema, type StoredRecord, type Values, withCompanyId } from './schema.ts'
import { COUNTS, columnsOf, INPUT, recordTable } from './statements.ts'

const table = recordTable(people, PERSON_FIELDS)
const CHANNELS = columnsOf(privateChannels, PRIVATE_FIELDS)

const flag = (channel: string) => `coalesce(i.channels->>'${channel}', '') <> ''`
/** A new person is written with them: were they left to the trigger, it would write everybody twice, and as updated now. */
const FLAGS = {
  has_email: flag('email'),
  has_phone: flag('phone'),
  has_telegram: flag('telegram'),
  has_linkedin: flag('linkedin_url'),
}

// A person's channels are inserted without `on conflict`: if another import stored them meanwhile,
// the batch fails as a whole and is identified again.
const WRITE_PEOPLE = `
with ${INPUT}, channels_changed as (
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
), ${table.write('t.id in (select person_id from touched)', FLAGS)}
${COUNTS}`

// Channels are compared where they are: only which of them change leaves the database.
const CHANNELS_CHANGED = `
  select i.index, a.key, null::jsonb, null::jsonb, true
    from input i join people t on t.id = i.id
    left join private_channels c on c.person_id = t.id
   cross join lateral jsonb_each(to_jsonb(jsonb_populate_record(c, i.channels))) a
    left join lateral jsonb_each(to_jsonb(c)) b on b.key = a.key
   where a.key <> 'person_id' and a.value <> coalesce(b.value, 'null')`

const KEYS = "'{id,external_id}'::text[]"

const REPLACED = `
  select (i.index - 1)::int as place
    from jsonb_array_elements($1::text::jsonb) with ordinality i(value, index)
    join people p on p.id = (i.value->>'id')::uuid
    left join private_channels c on c.person_id = p.id
   where exists (select from unlocks u where u.person_id = p.id)
     and not exists (select from redirects r where r.to_id = p.id)
     and not exists (
       select own_tells((to_jsonb(p) || coalesce(to_jsonb(c), '{}')) - ${KEYS})
       intersect
       select own_tells(((i.value->'row') || (i.value->'channels')) - ${KEYS}))`

/**
 * Roles come from the job title where the row brings a title and no roles; but a title that is
 * already stored changes nothing, so that roles given once outlive files that don't speak of them.
 * An empty list is roles: none.
 */
function withRoles(given: Values, stored: StoredRecord | undefined): Values {
  const { roles, jobTitle } = given
  if (Array.isArray(roles)) return given
  if (jobTitle === undefined) return roles === null ? { ...given, roles: [] } : given
  if (stored && roles === undefined && stored.jobTitle === jobTitle) return given
  return { ...given, roles: rolesFrom(typeof jobTitle === 'string' ? jobTitle : null) }
}

export const PEOPLE: RecordSchema = {
  fields: PERSON_FIELDS,
  table,
  settle: withNames,
  required: [],
  defaults: { isCreator: false, contactType: 'team', roles: [] },
  slugSources: (given) => [fullName(given), given.twitterHandle],
  matching: matching({
    kind: 'person',
    table: 'people',
    channels: { table: 'private_channels', owner: 'person_id' },
    reads: ['firstName', 'lastName', 'twitterHandle'],
    isNamed: 'coalesce(r.first_name, r.last_name) is not null',
    name: 'folded_name(r.first_name, r.last_name)',
    label:
      "concat_ws(' ', r.first_name, r.last_name) || coalesce(' (slug ' || r.slug, ' (id ' || r.id) || ')'",
    tells: {
      email: 'lower(c.email)',
      // A profile's own name: addresses differ in country, blanks at the end and what follows `?`.
      linkedinUrl: "erasure_form('linkedin_url', c.linkedin_url)",
      telegram: 'lower(c.telegram)',
      twitterHandle: 'lower(r.twitter_handle)',
    },
    says: {
      email: 'c.email',
      linkedinUrl: 'c.linkedin_url',
      telegram: 'c.telegram',
      twitterHandle: 'r.twitter_handle',
      phone: 'c.phone',
    },
    words: 'the name is the same, and no e-mail, LinkedIn, Telegram or X handle',
  }),
  complete(given, stored, companyId, warn) {
    const { firstName = stored?.firstName, lastName = stored?.lastName } = given
    if (!firstName && !lastName)
      throw new InvalidValue('missing, and lastName too', { field: 'firstName' })
    // A stored record was last changed when it was.
    const { updatedAt, ...others } = given
    const values = stored || updatedAt === undefined ? others : given
    return withCompanyId(withRoles(values, stored), companyId, warn)
  },
  details: (values) => ({ channels: CHANNELS.rowOf(values) }),
  differences: table.differences([CHANNELS_CHANGED]),
  replaced: REPLACED,
  write: WRITE_PEOPLE,
}

function fullName({ firstName, lastName }: Values): string {
  return [firstName, lastName].filter((part) => typeof part === 'string').join(' ')
}
