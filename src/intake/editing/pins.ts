/** Which fields of a record imports leave as they are. */
import type { Database } from '../../database/client.ts'
import { textArray } from '../../database/text-array.ts'

/** The pinned fields of a record, by name. */
export async function pinnedFields(database: Database, id: string): Promise<string[]> {
  const pins = await database.use(
    ({ sql }) => sql<{ field: string }[]>`
      select field from pins_of(${textArray([id])}::text::uuid[]) order by field`,
  )
  return pins.map(({ field }) => field)
}
