/** Pinned fields: set by hand, so that imports leave them as they are. */
import type { Connection } from '../../database/client.ts'
import { textArray } from '../../database/text-array.ts'
import type { Values } from './fields/types.ts'

/** The pins of some records, as they were when the database had had `seen`. */
export interface Pins {
  /** The last pin of all; null where pins were not looked at. `INPUT` takes it. */
  seen: number | null
  /** Record → its pinned fields. */
  fields: ReadonlyMap<string, ReadonlySet<string>>
}

/** For a change by hand, which pins don't hold back. */
export const NO_PINS: Pins = { seen: null, fields: new Map() }

/** Reads the pins of these records. */
export async function readPins({ sql }: Connection, ids: readonly string[]): Promise<Pins> {
  if (ids.length === 0) return NO_PINS
  const [row] = await sql.unsafe<{ seen: number; pins: { record_id: string; field: string }[] }[]>(
    `select coalesce(max(sequence), 0)::float8 as seen,
            case when max(sequence) is null then '[]'
                 else (select coalesce(json_agg(p), '[]') from pins_of($1::text::uuid[]) p) end as pins
       from record_pins`,
    [textArray(ids)],
  )
  const byRecord = Map.groupBy(row?.pins ?? [], ({ record_id }) => record_id)
  const fields = [...byRecord].map(
    ([id, pins]) => [id, new Set(pins.map(({ field }) => field))] as const,
  )
  return { seen: row?.seen ?? 0, fields: new Map(fields) }
}

/** The values without those of pinned fields. */
export function unpinned(values: Values, pinned: ReadonlySet<string>): Values {
  if (pinned.size === 0) return values
  return Object.fromEntries(Object.entries(values).filter(([field]) => !pinned.has(field)))
}
