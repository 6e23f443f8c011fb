/** Adds one record by the import's rules. The journal has it, and takes it back (D50). */
import type { Author } from '../database/actor.ts'
import type { Database } from '../database/client.ts'
import { newChange } from '../import/change.ts'
import { nameRows } from '../import/keyless.ts'
import type { CleanRow } from '../import/schema.ts'
import { uuidV7 } from '../import/uuid-v7.ts'
import { checkSlug, cleanFields, type Done, writeByHand } from './edit.ts'
import { ChangeRefused, findRecord, type RecordKind, SCHEMAS } from './records.ts'

export interface Adding {
  /** The record's id: asked for twice under one id it is added once. A new one unless given. */
  id?: string
  /** Whether imports leave its fields as they are (D130); they do unless it is false. */
  isPinned?: boolean
  /** Whether it is added though records of its name are there. */
  isNamesake?: boolean
}

/** Records of the same name are there, so nobody knows whether it is one of them. */
export class NamesakesThere extends ChangeRefused {
  override name = 'NamesakesThere'
  /** Of those records. */
  readonly ids: readonly string[]

  constructor(kind: RecordKind, ids: readonly string[]) {
    super(`the directory has a ${kind} of this name already: ${ids.join(', ')}`)
    this.ids = ids
  }
}

/**
 * Adds a record.
 * @param fields as a CSV cell has them; blank ones say nothing
 * @throws ChangeRefused naming the field and why its value can't be stored or what is missing; NamesakesThere
 */
export async function addRecord(
  database: Database,
  kind: RecordKind,
  fields: Readonly<Record<string, string>>,
  who: Author,
  { id = uuidV7(), isPinned = true, isNamesake = false }: Adding = {},
): Promise<Done> {
  const said = Object.entries(fields).filter(([, value]) => value.trim() !== '')
  const row = cleanFields(kind, Object.fromEntries(said))
  await checkSlug(database, kind, id, row)
  if (await isThere(database, kind, id)) throw new ChangeRefused('it was added already', 'id')
  const namesakes = isNamesake ? [] : await namesakesOf(database, kind, row)
  if (namesakes.length > 0) throw new NamesakesThere(kind, namesakes)
  const change = await newChange(database, { who, what: 'add', kind, id })
  await writeByHand(database, kind, { ...row, values: { ...row.values, id } }, change, isPinned)
  return { id, change: change.change }
}

const isThere = (database: Database, kind: RecordKind, id: string): Promise<boolean> =>
  findRecord(database, kind, id).then(
    () => true,
    (error: unknown) => {
      if (error instanceof ChangeRefused) return false
      throw error
    },
  )

/** The records that have the name of a row, folded as imports compare names (D43). */
async function namesakesOf(
  database: Database,
  kind: RecordKind,
  row: CleanRow,
): Promise<readonly string[]> {
  const schema = SCHEMAS[kind]
  return database.use(async (connection) => {
    const [found] = (await nameRows(connection, schema, [row])).named
    if (!found) return []
    const names = JSON.stringify([found.name])
    const same = await connection.sql.unsafe<{ id: string }[]>(schema.matching.sameName, [names])
    return same.map(({ id }) => id)
  })
}
