/**
 * The three kinds of records: their fields, how a row finds its record, and the SQL that writes a batch. One statement finds the
 * records that a batch names, one writes it.
 */
import {
  companies,
  fundingRounds,
  people,
  privateChannels,
} from '../../database/tables/directory.ts'
import { COMPANY_FIELDS } from './fields/companies.ts'
import { PERSON_FIELDS, PRIVATE_FIELDS, withNames } from './fields/people.ts'
import { ROUND_FIELDS, withLeads } from './fields/rounds.ts'
import type { Fields, Investment, Values } from './fields/types.ts'
import { InvalidValue, leaveNothingOut, orWarn, soundOf } from './fields/values.ts'
import { matching } from './namesakes.ts'
import { rolesFrom } from './roles.ts'
import { type RecordSchema, type StoredRecord, withCompanyId } from './schema.ts'
import { COUNTS, columnsOf, INPUT, recordTable } from './statements.ts'
import type { KindName } from './summary.ts'
import { uuidV7 } from './uuid-v7.ts'

const companyTable = recordTable(companies, COMPANY_FIELDS)

export const COMPANIES: RecordSchema = {
  fields: COMPANY_FIELDS,
  table: companyTable,
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
  differences: companyTable.differences(),
  write: `with ${INPUT}, ${companyTable.write()} ${COUNTS}`,
}

// Private channels go to `private_channels` and nowhere else; its trigger keeps the `has_*` flags.
const personTable = recordTable(people, PERSON_FIELDS)
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
), ${personTable.write('t.id in (select person_id from touched)', FLAGS)}
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
  table: personTable,
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
  differences: personTable.differences([CHANNELS_CHANGED]),
  replaced: REPLACED,
  write: WRITE_PEOPLE,
}

function fullName({ firstName, lastName }: Values): string {
  return [firstName, lastName].filter((part) => typeof part === 'string').join(' ')
}

const roundTable = recordTable(fundingRounds, ROUND_FIELDS)

// `investors` is the round's whole list where it is given, and null where the row says nothing of it.
// An investment that stays keeps its id; a new one gets the id that the row asks for, unless that is another's.
const WRITE_ROUNDS = `
with ${INPUT}, ${roundTable.write()},
given as materialized (
  select i.id as round_id, v.investor_id, v.is_lead,
         case when v.wished is null or exists (select from round_investors o where o.id = v.wished)
                or row_number() over (partition by v.wished) > 1
              then v.id else v.wished end as id
    from input i
   cross join lateral jsonb_to_recordset(i.investors)
                      v(id uuid, wished uuid, investor_id uuid, is_lead boolean)
), removed as (
  delete from round_investors o using input i
   where o.round_id = i.id and i.investors is not null
     and (o.round_id, o.investor_id) not in (select round_id, investor_id from given)
  returning o.round_id
), changed as (
  update round_investors o set is_lead = g.is_lead from given g
   where (o.round_id, o.investor_id) = (g.round_id, g.investor_id) and o.is_lead <> g.is_lead
  returning o.round_id
), added as (
  insert into round_investors (id, round_id, investor_id, is_lead)
  select id, round_id, investor_id, is_lead from given g
   where not exists (select from round_investors o
                      where (o.round_id, o.investor_id) = (g.round_id, g.investor_id))
  returning round_id
), touched as (
  select id from updated union select round_id from removed
  union select round_id from changed union select round_id from added
)
select (select count(*)::int from created) as created,
       (select count(*)::int from touched where id not in (select id from created)) as updated,
       (select outdated from checked) as outdated`

const slugsOf = (investments: string) => `(
    select coalesce(jsonb_agg(c.slug || case when v.is_lead then ' (lead)' else '' end order by c.slug), '[]')
      from ${investments} join companies c on c.id = v.investor_id)`

const INVESTORS_CHANGED = `
  select d.index, 'investors', d.before, d.after, false
    from (select i.index,
                 ${slugsOf('(select * from round_investors o where o.round_id = i.id) v')} as before,
                 ${slugsOf('jsonb_to_recordset(i.investors) v(investor_id uuid, is_lead boolean)')} as after
            from input i where i.investors is not null) d
   where d.before <> d.after`

export const ROUNDS: RecordSchema = {
  fields: ROUND_FIELDS,
  table: roundTable,
  settle: withLeads,
  required: ['company'],
  defaults: {},
  slugSources: () => [],
  matching: matching({
    kind: 'round',
    table: 'funding_rounds',
    reads: ['companyId', 'roundType', 'roundEventName', 'announceDate'],
    isNamed: 'r.company_id is not null',
    name: 'round_name(r.company_id, r.round_type, r.round_event_name, r.announce_date)',
    near: 'r.company_id = (n.name::jsonb->>0)::uuid',
    label: "'round (id ' || r.id || ')'",
    tells: {},
    says: {},
    words: 'company, type, event and date are the same',
  }),
  complete({ investors, ...given }, _stored, companyId, warn) {
    const completed = withCompanyId(given, companyId, leaveNothingOut)
    if (investors === undefined) return completed
    const idOf = ({ investor, isLead, investmentId }: Investment) => ({
      id: companyId(investor, 'investors'),
      isLead,
      investmentId,
    })
    const named = orWarn(warn, () => soundOf(investors, idOf, warn))
    if (named === undefined) return completed
    // An investor that is named twice is one, leading if either says so.
    const byInvestor = new Map<string, { isLead: boolean; investmentId?: string | undefined }>()
    for (const { id, isLead, investmentId } of named) {
      const known = byInvestor.get(id)
      byInvestor.set(id, {
        isLead: isLead || known?.isLead === true,
        investmentId: known?.investmentId ?? investmentId,
      })
    }
    const investments = [...byInvestor].map(([investor_id, { isLead, investmentId }]) => ({
      id: uuidV7(),
      wished: investmentId ?? null,
      investor_id,
      is_lead: isLead,
    }))
    return { ...completed, investments }
  },
  details: ({ investments }) => ({ investors: investments }),
  differences: roundTable.differences([INVESTORS_CHANGED]),
  write: WRITE_ROUNDS,
}

/** Fields of a file's rows, by kind. */
export const FIELDS: Readonly<Record<KindName, Fields>> = {
  companies: COMPANY_FIELDS,
  people: PERSON_FIELDS,
  rounds: ROUND_FIELDS,
}

/** Schemas by kind. */
export const SCHEMAS: Readonly<Record<KindName, RecordSchema>> = {
  companies: COMPANIES,
  people: PEOPLE,
  rounds: ROUNDS,
}
