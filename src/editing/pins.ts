/** Which fields of a record imports leave as they are (D130). */
import type { Database } from '../database/client.ts'
import { textArray } from '../database/text-array.ts'
import { ChangeRefused, findRecord, type RecordKind } from './records.ts'

const DEADLINE = { deadlineMs: 30_000 }

/** The pinned fields of a record, by name. */
export async function pinnedFields(database: Database, id: string): Promise<string[]> {
  const pins = await database.use(
    ({ sql }) => sql<{ field: string }[]>`
      select field from pins_of(${textArray([id])}::text::uuid[]) order by field`,
  )
  return pins.map(({ field }) => field)
}

/**
 * Lets imports overwrite fields of a record again.
 * @param name the record's id, externalId or slug
 * @throws ChangeRefused naming the first field that is not pinned
 */
export async function unpinFields(
  database: Database,
  kind: RecordKind,
  name: string,
  fields: readonly string[],
): Promise<{ id: string; pins: string[] }> {
  const { id } = await findRecord(database, kind, name)
  const pinned = await pinnedFields(database, id)
  const unknown = fields.find((field) => !pinned.includes(field))
  if (unknown !== undefined) {
    throw new ChangeRefused(`${unknown}: not pinned; pinned: ${pinned.join(', ') || 'nothing'}`)
  }
  await database.use(
    ({ sql }) => sql`
      delete from record_pins p
       where p.field = any (${textArray(fields)}::text::text[])
         and (p.record_id = ${id} or p.record_id in (select id from redirects where to_id = ${id}))`,
    DEADLINE,
  )
  return { id, pins: pinned.filter((field) => !fields.includes(field)) }
}
