/** Funding rounds with their investors: one statement finds those of a batch, one writes the batch. */
import { fundingRounds } from '../database/tables/directory.ts'
import { InvalidValue, type Stored } from './clean.ts'
import { ROUND_FIELDS } from './fields.ts'
import type { RecordSchema, Values } from './schema.ts'
import { columnsOf, findStatement, INPUT } from './statements.ts'
import { uuidV7 } from './uuid-v7.ts'

const COLUMNS = columnsOf(fundingRounds, ROUND_FIELDS, 'companyId')

// `investors` is the round's whole list where it is given, and null where the row says nothing of it.
// An investment that stays keeps its id.
const WRITE_ROUNDS = `
with ${INPUT},
given as materialized (
  select i.id as round_id, v.id, v.investor_id, v.is_lead
    from input i
   cross join lateral jsonb_to_recordset(i.investors) v(id uuid, investor_id uuid, is_lead boolean)
), created as (
  insert into funding_rounds (id, ${COLUMNS.names})
  select i.id, ${COLUMNS.values}
    from input i cross join lateral jsonb_populate_record(null::funding_rounds, i.row) r
   where i.new
  returning id
), updated as (
  update funding_rounds f
     set (${COLUMNS.names}) = (select ${COLUMNS.values} from jsonb_populate_record(f, i.row) r)
    from input i
   where not i.new and f.id = i.id and f is distinct from jsonb_populate_record(f, i.row)
  returning f.id
), removed as (
  delete from round_investors o using input i
   where o.round_id = i.id and i.investors is not null
     and not exists (select from given g
                      where g.round_id = o.round_id and g.investor_id = o.investor_id)
  returning o.round_id
), changed as (
  update round_investors o set is_lead = g.is_lead
    from given g
   where g.round_id = o.round_id and g.investor_id = o.investor_id and g.is_lead <> o.is_lead
  returning o.round_id
), added as (
  insert into round_investors (id, round_id, investor_id, is_lead)
  select g.id, g.round_id, g.investor_id, g.is_lead from given g
   where not exists (select from round_investors o
                      where o.round_id = g.round_id and o.investor_id = g.investor_id)
  returning round_id
), touched as (
  select id from updated
  union select round_id from removed
  union select round_id from changed
  union select round_id from added
)
select (select count(*)::int from created) as created,
       (select count(*)::int from touched where id not in (select id from created)) as updated`

interface Investment {
  investor: string
  isLead: boolean
}

function investmentsOf({ investors }: Values): Investment[] {
  if (!Array.isArray(investors)) return []
  return investors.flatMap((entry) =>
    typeof entry === 'object' && entry !== null && !Array.isArray(entry)
      ? [{ investor: String(entry.investor), isLead: entry.isLead === true }]
      : [],
  )
}

export const ROUNDS: RecordSchema = {
  fields: ROUND_FIELDS,
  defaults: {},
  slugSources: () => [],
  nameKey: ({ company, roundType, roundEventName, announceDate }) =>
    [company, roundType, roundEventName, announceDate].map((part) => part ?? '').join('|'),
  references: (given) => [
    ...(typeof given.company === 'string' ? [given.company] : []),
    ...investmentsOf(given).map(({ investor }) => investor),
  ],
  complete(given, stored, companyId) {
    const { company, investors, ...others } = given
    if (!stored && company === undefined) throw new InvalidValue('missing', 'company')
    const completed: Values = { ...others }
    if (company !== undefined) {
      const id = companyId(String(company))
      if (id === undefined) throw new InvalidValue('no such company', 'company')
      completed.companyId = id
    }
    if (investors !== undefined) {
      const leads = new Map<string, boolean>()
      for (const { investor, isLead } of investmentsOf(given)) {
        const id = companyId(investor)
        if (id === undefined)
          throw new InvalidValue('names a company that does not exist', 'investors')
        leads.set(id, isLead || leads.get(id) === true)
      }
      completed.investors = [...leads].map(
        ([investor, isLead]): Stored => ({ id: uuidV7(), investor_id: investor, is_lead: isLead }),
      )
    }
    return completed
  },
  find: findStatement('funding_rounds', ['id', 'external_id']),
  write: WRITE_ROUNDS,
  input: ({ id, stored, values }) => ({
    id,
    new: !stored,
    row: COLUMNS.rowOf(values),
    investors: values.investors ?? null,
  }),
}
