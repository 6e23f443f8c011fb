/** Adds one record by the import's rules. The journal has it, and takes it back. */
import type { Author } from '../../database/actor.ts'
import type { Database } from '../../database/client.ts'
import { isTrue } from '../../database/scalar.ts'
import { newChange } from '../import/change.ts'
import { nameRows } from '../import/keyless.ts'
import { changeLogPosition, type Seen } from '../import/namesakes.ts'
import type { CleanRow } from '../import/schema.ts'
import { uuidV7 } from '../import/uuid-v7.ts'
import { Outdated } from '../import/write.ts'
import { checkSlug, cleanFields, type Done, writeByHand } from './edit.ts'
import { ChangeRefused, findRecord, type RecordKind, SCHEMAS } from './records.ts'

/** How often a record of the name, or the record itself, may come in between until the addition gives up. */
const MAX_ATTEMPTS = 5

export interface Adding {
  /** The record's id: asked for twice under one id it is added once. A new one unless given. */
  id?: string
  /** Whether imports leave its fields as they are; they do unless it is false. */
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
  const adding = { ...row, values: { ...row.values, id } }
  for (let attempt = 1; ; attempt++) {
    if (await isThere(database, kind, id)) throw new ChangeRefused('it was added already', 'id')
    if (await wasThere(database, id)) throw new ChangeRefused('an earlier record had it', 'id')
    const seen = isNamesake ? undefined : await expectNoNamesakes(database, kind, id, row)
    const change = await newChange(database, { who, what: 'add', kind, id })
    try {
      await writeByHand(database, kind, adding, change, isPinned, seen)
      return { id, change: change.change }
    } catch (error) {
      // Somebody else wrote a record of this name, or this one, since it was looked for.
      if (!(error instanceof Outdated) || attempt >= MAX_ATTEMPTS) throw error
    }
  }
}

const isThere = (database: Database, kind: RecordKind, id: string): Promise<boolean> =>
  findRecord(database, kind, id).then(
    () => true,
    (error: unknown) => {
      if (error instanceof ChangeRefused) return false
      throw error
    },
  )

/**
 * Whether another record had the id and is gone: accounts that unlocked that one would see the new one's channels, and addresses of
 * what was merged into it would lead to the new one.
 */
const wasThere = (database: Database, id: string): Promise<boolean> =>
  database.use(({ sql }) =>
    isTrue(sql`
      select exists (select from journal_entries where record_id = ${id})
          or exists (select from unlocks where person_id = ${id})
          or exists (select from redirects where id = ${id} or to_id = ${id})`),
  )

/**
 * Looks for records that have the name of a row, folded as imports compare names.
 * @returns what was seen, to be written by; undefined where the row has no name
 * @throws NamesakesThere
 */
async function expectNoNamesakes(
  database: Database,
  kind: RecordKind,
  id: string,
  row: CleanRow,
): Promise<Seen | undefined> {
  const schema = SCHEMAS[kind]
  return database.use(async (connection) => {
    const [found] = (await nameRows(connection, schema, [row])).named
    if (!found) return undefined
    // Before the records: what is written meanwhile counts as unseen.
    const position = await changeLogPosition(connection)
    const names = [found.name]
    const same = await connection.sql.unsafe<{ id: string }[]>(schema.matching.sameName, [
      JSON.stringify(names),
    ])
    const ids = same.map((one) => one.id)
    if (ids.length > 0) throw new NamesakesThere(kind, ids)
    return { kind, position, names, ids: [id] }
  })
}
