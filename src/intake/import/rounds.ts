/** Funding rounds with their investors: one statement finds those of a batch, one writes the batch. */
import { fundingRounds } from '../../database/tables/directory.ts'
import { leaveNothingOut, orWarn, soundOf } from './clean.ts'
import { ROUND_FIELDS, withLeads } from './fields/rounds.ts'
import { matching } from './namesakes.ts'
import { type Investment, type RecordSchema, withCompanyId } from './schema.ts'
import { INPUT, recordTable } from './statements.ts'
import { uuidV7 } from './uuid-v7.ts'

const table = recordTable(fundingRounds, ROUND_FIELDS)

// `investors` is the round's whole list where it is given, and null where the row says nothing of it.
// An investment that stays keeps its id; a new one gets the id that the row asks for, unless that is another's.
const WRITE_ROUNDS = `
with ${INPUT}, ${table.write()},
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
  table,
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
  differences: table.differences([INVESTORS_CHANGED]),
  write: WRITE_ROUNDS,
}
