/** Single records: found by any of their keys, and shown by the fields that `set` and an import know. */
import postgres from 'postgres'
import type { Database } from '../../database/client.ts'
import { textArray } from '../../database/text-array.ts'
import { isUuid } from '../../database/uuid.ts'
import { COMPANIES, PEOPLE, ROUNDS } from '../import/kinds.ts'
import type { StoredRecord } from '../import/schema.ts'
import { findRecords } from '../import/statements.ts'

export const RECORD_KINDS = ['company', 'person', 'round'] as const
export type RecordKind = (typeof RECORD_KINDS)[number]

export const SCHEMAS = { company: COMPANIES, person: PEOPLE, round: ROUNDS }

/** A change or lookup of a record that can't be done; the message is the reason and quotes no private channel. */
export class ChangeRefused extends Error {
  override name = 'ChangeRefused'
  /** Field at fault, where it is one; `reason` is the message without its name. */
  readonly field: string | undefined
  readonly reason: string

  constructor(reason: string, field?: string) {
    super(field === undefined ? reason : `${field}: ${reason}`)
    this.field = field
    this.reason = reason
  }
}

/** A shown record: its fields by the import's names, what belongs to it, and in `pins` which fields are pinned. */
export type ShownRecord = Record<string, unknown> & { id: string }

/** SQL of a record with what belongs to it; references are slugs. */
const SHOWN: Readonly<Record<RecordKind, string>> = {
  company: `
    select to_jsonb(t) || jsonb_build_object(
             'people', (select count(*) from people p where p.company_id = t.id),
             'rounds', (select count(*) from funding_rounds r where r.company_id = t.id),
             'investments', (select count(*) from round_investors v where v.investor_id = t.id)) as record
      from companies t`,
  person: `
    select to_jsonb(t) - 'company_id'
           || jsonb_build_object('company', (select c.slug from companies c where c.id = t.company_id)) as record
      from people t`,
  round: `
    select to_jsonb(t) - 'company_id' || jsonb_build_object(
             'company', (select c.slug from companies c where c.id = t.company_id),
             'investors', (select coalesce(jsonb_agg(jsonb_build_object('investor', c.slug, 'isLead', v.is_lead)
                                                     order by v.is_lead desc, c.slug), '[]')
                             from round_investors v join companies c on c.id = v.investor_id
                            where v.round_id = t.id)) as record
      from funding_rounds t`,
}

/** Finds a record by id, else by externalId, else by slug. @throws ChangeRefused where there is none */
export async function findRecord(
  database: Database,
  kind: RecordKind,
  name: string,
): Promise<StoredRecord> {
  const keys = { ids: isUuid(name) ? [name] : [], externalIds: [name], slugs: [name] }
  const found = await database.use((connection) => findRecords(connection, SCHEMAS[kind], keys))
  const record =
    found.byId.get(name.toLowerCase()) ?? found.byExternalId.get(name) ?? found.bySlug.get(name)
  if (!record) throw new ChangeRefused(`there is no ${kind} ${name}`)
  return record
}

/**
 * Reads a record. Of a person's private channels only whether they are on file (`hasEmail`, …).
 * @param name its id, externalId or slug. @throws ChangeRefused where there is none
 */
export async function showRecord(
  database: Database,
  kind: RecordKind,
  name: string,
): Promise<ShownRecord> {
  const { id } = await findRecord(database, kind, name)
  const [row] = await database.use(({ sql }) =>
    sql.unsafe<{ record: Record<string, unknown> }[]>(
      `select s.record || jsonb_build_object('pins', (
                select coalesce(jsonb_agg(p.field order by p.field), '[]') from pins_of(array[$1::uuid]) p)) as record
         from (${SHOWN[kind]} where t.id = $1) s`,
      [id],
    ),
  )
  if (!row) throw new ChangeRefused(`there is no ${kind} ${name}`)
  const fields = Object.entries(row.record).map(([column, value]) => [
    postgres.toCamel(column),
    value,
  ])
  return { ...Object.fromEntries(fields), id }
}

/** Reads the fields that imports leave as they are. */
export async function pinnedFields(database: Database, id: string): Promise<string[]> {
  const pins = await database.use(
    ({ sql }) => sql<{ field: string }[]>`
      select field from pins_of(${textArray([id])}::text::uuid[]) order by field`,
  )
  return pins.map(({ field }) => field)
}
