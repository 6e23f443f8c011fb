/** Lets imports overwrite fields again that were set by hand. */
import type { Actor } from '../../database/actor.ts'
import type { Database } from '../../database/client.ts'
import { textArray } from '../../database/text-array.ts'
import {
  ChangeRefused,
  findRecord,
  pinnedFields,
  type RecordKind,
} from '../../intake/editing/records.ts'
import { type Act, perform } from './perform.ts'

/** Unpins fields of a record. Nothing is done where none of them is pinned. @param id the record's */
export const unpin = (id: string, fields: readonly string[]): Act<boolean> => ({
  name: 'directory.unpin',
  to: { kind: 'record', id },
  call: (sql) => sql`unpin_record(${id}, ${textArray(fields)}::text::text[])`,
  result: () => true,
})

/**
 * Unpins fields of a record.
 * @param name the record's id, externalId or slug
 * @returns the record's id, and the fields that are pinned still
 * @throws ChangeRefused naming the first field that is not pinned: then nothing is done
 */
export async function unpinFields(
  database: Database,
  by: Actor,
  kind: RecordKind,
  name: string,
  fields: readonly string[],
): Promise<{ id: string; pins: string[] }> {
  const { id } = await findRecord(database, kind, name)
  const pinned = await pinnedFields(database, id)
  const unknown = fields.find((field) => !pinned.includes(field))
  if (unknown !== undefined) {
    throw new ChangeRefused(`not pinned; pinned: ${pinned.join(', ') || 'nothing'}`, unknown)
  }
  await perform(database, by, unpin(id, fields))
  return { id, pins: await pinnedFields(database, id) }
}
