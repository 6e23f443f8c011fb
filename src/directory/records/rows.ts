/**
 * The directory's tables as rows, read with plain SQL. `private_channels` is named nowhere here: no
 * channel can reach the memory that answers lists and searches.
 */
import type { InferSelectModel, Table } from 'drizzle-orm'
import type { CompanyType, ContactType, DirectoryName } from '../../contract/vocabulary.ts'
import type { Connection, Database } from '../../database/client.ts'
import type {
  companies,
  fundingRounds,
  people,
  roundInvestors,
} from '../../database/tables/directory.ts'
import { ReadLists } from './shared-lists.ts'

type Sql = Connection['sql']

/** A table's row without the `Left` columns; `Read` are read as another type. Moments are milliseconds since the epoch. */
type Row<T extends Table, Left extends string, Read> = Read &
  Omit<InferSelectModel<T>, 'externalId' | Left | keyof Read>

export type PersonRow = Row<
  typeof people,
  never,
  { contactType: ContactType; createdAt: number; updatedAt: number }
>

export type CompanyRow = Row<
  typeof companies,
  'updatedAt',
  { companyType: CompanyType; altRoles: DirectoryName[]; createdAt: number }
>

/** With its rows of `round_investors`. */
export type RoundRow = Row<
  typeof fundingRounds,
  'createdAt',
  {
    announceDate: number | null
    investors: Omit<InferSelectModel<typeof roundInvestors>, 'roundId'>[]
  }
>

/** The table of each kind of record, companies before those who belong to them. */
export const TABLES = { company: 'companies', round: 'rounds', person: 'people' } as const
export type TableName = (typeof TABLES)[keyof typeof TABLES]
export type Rows = { companies: CompanyRow; rounds: RoundRow; people: PersonRow }

/** Selection of rows: these ids, or the next `limit` after an id (`null`: from the first). */
export type Selection = { ids: readonly string[] } | { after: string | null; limit: number }

/**
 * `extract` gives a decimal, which takes a sixth of the time in which PostgreSQL reads a row. Between these years a float
 * tells microseconds apart, and by way of their whole number the result is the same.
 */
const ms = (sql: Sql, column: string) => sql`
  case when ${sql(column)} between '1900-01-01Z' and '2100-01-01Z'
    then round(date_part('epoch', ${sql(column)}) * 1e6) / 1e3
    else (extract(epoch from ${sql(column)}) * 1000)::float8 end`

/** Arrays leave as the text of their JSON, because the embedded database's connection knows no array types. */
const list = (sql: Sql, column: string) => sql`to_json(${sql(column)})::text`

/** Few of them differ, and parsing takes longer than looking up. */
const lists = new ReadLists()

/** Rows as they were read, with the lists in these columns in place of their texts. */
function withLists<R extends object>(rows: R[], ...columns: (keyof R)[]): R[] {
  for (const row of rows as Record<keyof R, unknown>[]) {
    for (const column of columns) row[column] = lists.of(row[column] as string)
  }
  return rows
}

function selected(sql: Sql, selection: Selection) {
  // Unnested, not `= any(...)`: the text would be parsed again for every row.
  if ('ids' in selection)
    return sql`where t.id in (select unnest(${idArray(selection.ids)}::text::uuid[]))`
  const { after, limit } = selection
  return after === null
    ? sql`order by t.id limit ${limit}`
    : sql`where t.id > ${after} order by t.id limit ${limit}`
}

/** As a literal: the driver would need to know the array's type. Ids come from the database. */
const idArray = (ids: readonly string[]) => `{${ids.join(',')}}`

async function personRows(sql: Sql, selection: Selection): Promise<PersonRow[]> {
  const rows = await sql<PersonRow[]>`
    select t.id, slug, first_name as "firstName", last_name as "lastName", job_title as "jobTitle",
      twitter_handle as "twitterHandle", avatar_url as "avatarUrl", is_creator as "isCreator",
      creator_follower_count as "creatorFollowerCount", company_id as "companyId",
      contact_type as "contactType", ${list(sql, 'roles')} as roles, has_email as "hasEmail",
      has_phone as "hasPhone", has_telegram as "hasTelegram", has_linkedin as "hasLinkedin",
      ${ms(sql, 'created_at')} as "createdAt", ${ms(sql, 'updated_at')} as "updatedAt"
    from people t ${selected(sql, selection)}`
  return withLists<PersonRow>(rows, 'roles')
}

async function companyRows(sql: Sql, selection: Selection): Promise<CompanyRow[]> {
  const rows = await sql<CompanyRow[]>`
    select t.id, slug, name, company_type as "companyType", ticker, domain,
      ${list(sql, 'sectors')} as sectors, ${list(sql, 'chains')} as chains, size,
      logo_url as "logoUrl", twitter_handle as "twitterHandle",
      community_link as "communityLink", discord_url as "discordUrl",
      linkedin_url as "linkedinUrl", token_launched as "tokenLaunched", token_link as "tokenLink",
      ai_summary as "aiSummary", followers, handle_history as "handleHistory",
      twitter_risk as "twitterRisk", lifecycle, fund_type as "fundType",
      entity_kind as "entityKind", fund_all_time_roi_pct as "fundAllTimeRoiPct",
      trust_tier as "trustTier", trust_tier_rank as "trustTierRank",
      ${list(sql, 'alt_roles')} as "altRoles", ${ms(sql, 'created_at')} as "createdAt"
    from companies t ${selected(sql, selection)}`
  return withLists<CompanyRow>(rows, 'sectors', 'chains', 'altRoles')
}

function roundRows(sql: Sql, selection: Selection): Promise<RoundRow[]> {
  return sql<RoundRow[]>`
    select t.id, company_id as "companyId", round_type as "roundType",
      round_event_name as "roundEventName", amount_usd as "amountUsd",
      ${ms(sql, 'announce_date')} as "announceDate",
      coalesce((
        select json_agg(json_build_object('id', i.id, 'investorId', i.investor_id, 'isLead', i.is_lead))
        from round_investors i where i.round_id = t.id
      ), '[]') as investors
    from funding_rounds t ${selected(sql, selection)}`
}

const READERS: { [T in TableName]: (sql: Sql, selection: Selection) => Promise<Rows[T][]> } = {
  companies: companyRows,
  rounds: roundRows,
  people: personRows,
}

/** For what a load asks, which is more than a call of the API does, and at a start on a busy machine. */
export const LOAD_DEADLINE = { deadlineMs: 30_000 }

export function readRows<T extends TableName>(
  database: Database,
  table: T,
  selection: Selection,
): Promise<Rows[T][]> {
  return database.use(({ sql }) => READERS[table](sql, selection), LOAD_DEADLINE)
}
