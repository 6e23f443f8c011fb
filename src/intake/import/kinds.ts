/**
 * The three kinds of records: their fields, how a row finds its record, and the SQL that writes a batch. One statement finds the
 * records that a batch names, one writes it.
 */

import { ROLES, type Role } from '../../contract/vocabulary.ts'
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
import { type RecordSchema, type StoredRecord, withCompanyId } from './schema.ts'
import { COUNTS, columnsOf, INPUT, recordTable } from './statements.ts'
import type { KindName } from './summary.ts'
import { uuidV7 } from './uuid-v7.ts'

// Roles derived from a job title. The title is read from left to right, the longest phrase of the table first; each phrase
// found gives its roles. So "business partner" is never also a "partner", and "founding engineer" is no founder. A title
// without any phrase is `other`, no title is no role. A row may bring `roles` instead.

/** Role → phrases in lower case, without accents and punctuation. A phrase may stand under several roles. */
const PHRASES: Readonly<Record<Exclude<Role, 'other'>, string>> = {
  founder: `
    founder, founders, cofounder, cofounders, co founder, co founders, foundress, cofounding,
    founder ceo, founding partner, founding managing partner, founding ceo, founding cto,
    creator and founder, co creator, initiator, fundador, fundadora, cofundador, cofundadora`,
  executive: `
    ceo, cto, coo, cfo, cmo, cpo, cro, cbo, cio, ciso, cso, clo, cco, cdo, cgo, cao, chro, cxo,
    founder ceo, founding ceo, founding cto, chief, chief executive, chief executive officer, chief of staff,
    chief technology officer, chief technical officer, chief operating officer, chief operations officer,
    chief financial officer, chief marketing officer, chief product officer, chief revenue officer,
    chief business officer, chief commercial officer, chief growth officer, chief legal officer,
    chief compliance officer, chief risk officer, chief security officer, chief information officer,
    chief information security officer, chief strategy officer, chief investment officer,
    chief people officer, chief community officer, chief research officer, chief scientific officer,
    chief scientist, chief economist, chief architect, chief engineer, chief analyst,
    president, vice president, vp, svp, evp, avp, managing director, executive director, general director,
    general manager, country manager, chair, chairman, chairwoman, chairperson, board member,
    board director, owner, ^ director $, ^ managing partner $, founding managing partner`,
  investor: `
    investor, investors, investment, investments, investing, venture, ventures, venture capital,
    venture capitalist, vc, angel, angel investor, allocator, limited partner, lp, general partner, gp,
    partner, partners, managing partner, ^ managing partner $, founding partner, founding managing partner,
    venture partner, operating partner, investment partner, investment director, investment manager,
    investment associate, investment analyst, principal, portfolio, portfolio manager, fund manager,
    hedge fund, asset management, chief investment officer, entrepreneur in residence, scout, deal flow`,
  engineering: `
    engineer, engineers, engineering, software engineer, product engineer, growth engineer, security engineer,
    security researcher, founding engineer, principal engineer, principal software engineer, principal architect,
    principal developer, research engineer, chief engineer, chief architect, developer, developers, dev, devs,
    programmer, coder, architect, architecture, cto, founding cto, chief technology officer,
    chief technical officer, technical lead, technical director, technical co founder, tech lead, tech,
    technology, software, backend, back end, frontend, front end, fullstack, full stack, protocol,
    blockchain lead, smart contract, smart contracts, solidity, rust, devops, dev ops, sre, site reliability,
    infrastructure, data engineer, data scientist, machine learning, ml, qa, quality assurance, security,
    security auditor, smart contract auditor, chief security officer, chief information security officer,
    ciso, cryptographer, sysadmin, system administrator, it manager, hacker, white hat, whitehat,
    solutions architect, solutions engineer, sales engineer, partner engineer, validator, node operator, r d`,
  product: `
    product, products, product manager, product owner, product lead, product designer, product director,
    product engineer, cpo, chief product officer, principal product manager, principal designer, designer,
    design, ux, ui, user experience, user interface, art director, creative director, scrum master,
    technical product manager`,
  marketing: `
    marketing, product marketing, growth marketing, partner marketing, marketer, cmo, cgo,
    chief marketing officer, chief growth officer, growth, growth engineer, brand, branding, communication,
    communications, comms, pr, public relations, content, content creator, copywriter, writer, editor,
    social media, seo, advertising, campaign, campaigns, media, press, storyteller, storytelling,
    evangelist, influencer, kol, creative director, youtuber, streamer, podcaster`,
  'business-development': `
    business, business development, business developer, business dev, business partner, biz dev, bizdev, bd,
    bdm, bdr, partnership, partnerships, partnerships manager, partner manager, partner relations, alliances,
    strategic partner, strategic partners, strategic partnerships, sales, sales engineer, sales development,
    account executive, account manager, commercial, revenue, cro, cbo, cco, chief revenue officer,
    chief business officer, chief commercial officer, listing, listings, ecosystem, ecosystem partner,
    ecosystem partnerships, corporate development, institutional coverage, client relations, deal maker`,
  community: `
    community, communities, community manager, community lead, chief community officer, moderator, mod,
    mods, ambassador, ambassadors, developer relations, dev rel, devrel, developer advocate,
    developer evangelist, developer experience, advocate, discord, telegram, event, events, governance,
    delegate, dao, dao steward, dao contributor, grant, grants, education, educator`,
  research: `
    research, researcher, researchers, research engineer, research analyst, security researcher,
    principal researcher, principal scientist, chief research officer, chief scientific officer,
    chief scientist, chief economist, chief analyst, analyst, analysts, analytics, analysis, investment analyst,
    business analyst, economist, economics, tokenomics, token engineer, token design, mechanism design,
    protocol economist, scientist, data scientist, quant, quantitative, quantitative developer, cryptographer,
    cryptography, academic, professor, lecturer, phd, intelligence, insights, r d`,
  operations: `
    operations, operation, ops, coo, cfo, cao, chro, chief of staff, chief operating officer,
    chief operations officer, chief financial officer, chief people officer, finance, financial, treasury,
    treasurer, accountant, accounting, controller, hr, hr business partner, human resources, people,
    people partner, people operations, talent, talent acquisition, recruiter, recruiting, recruitment,
    office manager, program manager, programme manager, project manager, project lead, project coordinator,
    administrator, administrative, administration, executive assistant, personal assistant, founders associate,
    founders office, procurement, support, customer support, customer success, customer service, trader,
    traders, trading, market maker, market making`,
  legal: `
    legal, counsel, general counsel, legal counsel, lawyer, attorney, solicitor, paralegal, compliance,
    compliance officer, chief compliance officer, chief legal officer, clo, regulatory, regulation,
    regulatory affairs, policy, public policy, public affairs, government affairs, government relations,
    aml, kyc, mlro, risk, risk officer, chief risk officer, data protection, privacy`,
}

const ROLES_OF_PHRASE = new Map<string, Role[]>()
for (const role of ROLES) {
  if (role === 'other') continue
  for (const phrase of PHRASES[role].split(',')) {
    const words = phrase.trim().replace(/\s+/g, ' ')
    ROLES_OF_PHRASE.set(words, [...(ROLES_OF_PHRASE.get(words) ?? []), role])
  }
}
const LONGEST_PHRASE = Math.max(...[...ROLES_OF_PHRASE.keys()].map((p) => p.split(' ').length))

/** The roles of a job title, in the order of ROLES. `^` and `$` in a phrase are the title's ends. */
export function rolesFrom(jobTitle: string | null): Role[] {
  if (jobTitle === null) return []
  const words = ['^', ...wordsOf(jobTitle), '$']
  const found = new Set<Role>()
  for (let at = 0; at < words.length; ) {
    let length = Math.min(LONGEST_PHRASE, words.length - at)
    while (length > 0) {
      const roles = ROLES_OF_PHRASE.get(words.slice(at, at + length).join(' '))
      for (const role of roles ?? []) found.add(role)
      if (roles) break
      length--
    }
    at += Math.max(length, 1)
  }
  return found.size > 0 ? ROLES.filter((role) => found.has(role)) : ['other']
}

/** `C.E.O. & Co-Founder's` → ceo, co, founders. */
function wordsOf(title: string): string[] {
  return title
    .toLowerCase()
    .normalize('NFKD')
    .replace(/[\u0300-\u036f'\u2019]/g, '')
    .replace(/\b([a-z])\.(?=[a-z]\b)/g, '$1')
    .split(/[^a-z0-9]+/)
    .filter(Boolean)
}

const companyTable = recordTable('company', companies, COMPANY_FIELDS)

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
    words: 'the name is the same, and no domain or X handle',
  }),
  complete: (given) => given,
  differences: companyTable.differences(),
  write: `with ${INPUT}, ${companyTable.write()} ${COUNTS}`,
}

// Private channels go to `private_channels` and nowhere else; its trigger keeps the `has_*` flags.
const personTable = recordTable('person', people, PERSON_FIELDS)
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
      phone: "erasure_form('phone', c.phone)",
    },
    company: 'r.company_id',
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

const roundTable = recordTable('round', fundingRounds, ROUND_FIELDS)

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
    company: 'r.company_id',
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
