/**
 * Adds, changes, deletes and merges single records by the import's rules, and takes changes back. The journal has each.
 */
import { type Author, authorForAudit, nameOfAuthor } from '../../database/actor.ts'
import { type Database, errorCode } from '../../database/client.ts'
import { isTrue, scalar } from '../../database/scalar.ts'
import { type Change, newChange } from '../import/change.ts'
import { rowCleaner } from '../import/clean-rows.ts'
import type { Values } from '../import/fields/types.ts'
import { isNothing } from '../import/fields/values.ts'
import { changeLogPosition, nameRows, type Seen } from '../import/namesakes.ts'
import type { CleanRow } from '../import/schema.ts'
import { findRecords } from '../import/statements.ts'
import { uuidV7 } from '../import/uuid-v7.ts'
import { Outdated, REFUSED, writeBatch } from '../import/write.ts'
import { ChangeRefused, findRecord, type RecordKind, SCHEMAS } from './records.ts'

/** The record, and the number of the change in the journal; null where nothing changed. */
export interface Done {
  id: string
  change: number | null
}

/** Long enough to wait for a batch of an import that holds the change log's lock. */
const DEADLINE = { deadlineMs: 30_000 }
/** An undo may take back a whole import. Callers are served meanwhile; imports wait. */
const UNDO_DEADLINE = { deadlineMs: 600_000 }

const TABLES = { company: 'companies', person: 'people', round: 'funding_rounds' }

/** Turns a refusal by the SQL of the journal into ChangeRefused. */
export function withReason(error: unknown): never {
  if (errorCode(error) !== REFUSED || !(error instanceof Error)) throw error
  throw new ChangeRefused(error.message)
}

const LOCK_NOT_AVAILABLE = '55P03'

/** Also turns a lock timeout into ChangeRefused, for changes that wait for records and reveals. */
export function withReasonOrLock(error: unknown): never {
  if (errorCode(error) !== LOCK_NOT_AVAILABLE) return withReason(error)
  const reason = 'records were locked for too long, as by an import: nothing was changed, try again'
  throw new ChangeRefused(reason)
}

/**
 * Sets fields of a record as a row of an import would, each value cleaned by the same rules; blank clears a field.
 * Imports leave these fields as they are from then on.
 * @param name the record's id, externalId or slug
 * @param fields as a CSV cell has them
 * @param isPinned false where imports may overwrite the fields, as far as they are not pinned already
 * @throws ChangeRefused naming the field and why its value can't be stored, or that there is no such record
 */
export async function setRecord(
  database: Database,
  kind: RecordKind,
  name: string,
  fields: Readonly<Record<string, string>>,
  who: Author,
  isPinned = true,
): Promise<Done> {
  const { id } = await findRecord(database, kind, name)
  const row = cleanFields(kind, fields)
  await checkSlug(database, kind, id, row)
  const change = await newChange(database, { who, what: 'set', kind, id })
  const withId = { ...row, values: { ...row.values, id } }
  const isChanged = await writeByHand(database, kind, withId, change, isPinned)
  return { id, change: isChanged ? change.change : null }
}

/**
 * Writes a row that has its record's id, with nothing of it left out.
 * @param isPinned whether imports leave its fields as they are from then on
 * @param seen what has to hold still of its name
 * @returns whether anything was changed
 * @throws ChangeRefused; Outdated where `seen` holds no longer
 */
async function writeByHand(
  database: Database,
  kind: RecordKind,
  row: CleanRow,
  change: Change,
  isPinned: boolean,
  seen?: Seen,
): Promise<boolean> {
  let isChanged = false
  let refused: ChangeRefused | undefined
  const { id, ...values } = row.values
  const pins = isPinned ? Object.keys(values) : []
  const writing = { schema: SCHEMAS[kind], isStrict: true, change, pins }
  await writeBatch(database, writing, { rows: [row], seen }, ({ created, updated, findings }) => {
    refused = findings.map(({ field, reason }) => new ChangeRefused(reason, field ?? undefined))[0]
    isChanged = created + updated > 0
  }).catch(withReason)
  if (refused !== undefined) throw refused
  return isChanged
}

/** Fields that no change by hand sets: the id stays, and `updatedAt` is of new records alone. */
export const NEVER_SET: ReadonlySet<string> = new Set(['id', 'updatedAt'])

/** The values that can't be stored, each looked at alone. @param fields as `setRecord` takes them */
export function refusedFields(
  kind: RecordKind,
  fields: Readonly<Record<string, string>>,
): ChangeRefused[] {
  return Object.entries(fields).flatMap(([field, value]) => {
    try {
      cleanFields(kind, { [field]: value })
      return []
    } catch (error) {
      if (error instanceof ChangeRefused) return [error]
      throw error
    }
  })
}

/** @throws ChangeRefused naming the first field that can't be set so */
function cleanFields(kind: RecordKind, fields: Readonly<Record<string, string>>): CleanRow {
  const schema = SCHEMAS[kind]
  const allowed = Object.keys(schema.fields).filter((field) => !NEVER_SET.has(field))
  const unknown = Object.keys(fields).find((field) => !allowed.includes(field))
  if (unknown !== undefined) {
    throw new ChangeRefused(`no such field; there are ${allowed.join(', ')}`, unknown)
  }
  // Settling comes last, so that each field still has its value in the loop below.
  const { settle = (values: Values) => values } = schema
  const unsettled = { ...schema, settle: (values: Values) => values }
  const cleaned = rowCleaner(unsettled, true, () => {})({ number: 1, fields })
  if ('refusal' in cleaned) {
    const { field, reason } = cleaned.refusal
    throw new ChangeRefused(reason, field ?? undefined)
  }
  // An import would keep the stored value; by hand it was meant to change.
  for (const [field, value] of Object.entries(fields)) {
    if (cleaned.row.values[field] !== undefined) continue
    const reason = isNothing(value) ? "can't be cleared" : 'expected 1 to 80 of a-z, 0-9 and -'
    throw new ChangeRefused(reason, field)
  }
  return { ...cleaned.row, values: settle(cleaned.row.values) }
}

/** An import drops a slug that another record has. @throws ChangeRefused */
async function checkSlug(database: Database, kind: RecordKind, id: string, { values }: CleanRow) {
  const { slug } = values
  if (typeof slug !== 'string') return
  const found = await database.use((connection) =>
    findRecords(connection, SCHEMAS[kind], { slugs: [slug] }),
  )
  const owner = found.bySlug.get(slug)
  if (owner && owner.id !== id) throw new ChangeRefused('belongs to another record', 'slug')
}

/**
 * Deletes a record, a company with its rounds and investments; its people stay, without a company. What accounts
 * have unlocked and paid stays as it is.
 * @param name the record's id, externalId or slug
 * @throws ChangeRefused where there is no such record
 */
export async function deleteRecord(
  database: Database,
  kind: RecordKind,
  name: string,
  who: Author,
): Promise<Done & { change: number }> {
  const { id } = await findRecord(database, kind, name)
  const change = await newChange(database, { who, what: 'delete', kind, id })
  const deleted = await database
    .use(
      ({ sql }) => sql`
      with locked as materialized (
        select lock_change_log(), set_config('chainkin.change', ${asSetting(change)}, true)
      )
      delete from ${sql(TABLES[kind])} t using locked where t.id = ${id}`,
      DEADLINE,
    )
    .catch(withReason)
  if (deleted.count === 0) throw new ChangeRefused(`there is no ${kind} ${name}`)
  return { id, change: change.change }
}

const asSetting = (change: Change) => JSON.stringify(change)

/**
 * Merges two records that are one: the older id and its slug stay, the other's mean it from then on. Values of `keep`
 * come before those of `other`; rounds, investments, people and unlocks of both are the one's.
 * @param keep, other ids, externalIds or slugs
 * @returns the id that stays
 * @throws ChangeRefused where there is no such record, or both are the same
 */
export async function mergeRecords(
  database: Database,
  kind: RecordKind,
  [keep, other]: readonly [keep: string, other: string],
  who: Author,
): Promise<Done & { change: number; merged: string }> {
  const [kept, merged] = [
    await findRecord(database, kind, keep),
    await findRecord(database, kind, other),
  ]
  const change = await newChange(database, { who, what: 'merge', kind, id: kept.id })
  const id = await database
    .use(
      ({ sql }) =>
        scalar<string>(
          sql`select merge_records(${kind}, ${kept.id}, ${merged.id}, ${asSetting(change)})`,
        ),
      DEADLINE,
    )
    .catch(withReasonOrLock)
  const survivor = id ?? kept.id
  const gone = survivor === kept.id ? merged.id : kept.id
  return { id: survivor, merged: gone, change: change.change }
}

/**
 * Takes a change back: every record that it touched is as before it, ids, slugs and private channels too.
 * @returns the number of the change that this is, which can be undone in its turn
 * @throws ChangeRefused where a later change touched one of its records (named), or it is older than 30 days
 */
export async function undoChange(database: Database, change: number, who: Author): Promise<number> {
  const number = await database
    .use(
      ({ sql }) =>
        scalar<number>(sql`
          with given as materialized (
            select set_config('chainkin.change', ${JSON.stringify(authorForAudit(who))}, true)
          )
          select undo_change(${change}, ${nameOfAuthor(who)})::float8 from given`),
      UNDO_DEADLINE,
    )
    .catch(withReasonOrLock)
  return number ?? 0
}

/** Attempts while other writers add records of the same name. */
const MAX_ATTEMPTS = 5

interface Adding {
  /** Id of the new record. A second call with the same id adds nothing. */
  id?: string
  /** Pins the fields, so that imports leave them as they are. Default: true. */
  isPinned?: boolean
  /** Adds it even where records of the same name exist. */
  isNamesake?: boolean
}

/** Records of the same name exist, and nobody knows whether it is one of them. */
export class NamesakesThere extends ChangeRefused {
  override name = 'NamesakesThere'
  /** Ids of the records of that name. */
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
      // Another writer added a record of this name after it was looked for.
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
 * Tells whether a record that is gone had the id: accounts that unlocked that one would see the new one's channels, and
 * addresses of what was merged into it would lead to the new one.
 */
const wasThere = (database: Database, id: string): Promise<boolean> =>
  database.use(({ sql }) =>
    isTrue(sql`
      select exists (select from journal_entries where record_id = ${id})
          or exists (select from unlocks where person_id = ${id})
          or exists (select from redirects where id = ${id} or to_id = ${id})`),
  )

/**
 * Expects that no record has the name of a row, folded as imports compare names.
 * @returns what the row was identified by, for the write; undefined where the row has no name
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
    const [found] = await nameRows(connection, schema, [row])
    if (!found) return undefined
    // Read before the records, so that later writes count as unseen.
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
