/**
 * Identifies the rows of a batch: which records are new, which are stored already, which rows can't be
 * stored; references become ids, and new records get slugs. Reads only. Where another writer changes the
 * database before the batch is written, its unique constraints refuse the batch.
 */
import type { Connection } from '../database/client.ts'
import { isUuid } from '../database/uuid.ts'
import { InvalidValue } from './clean.ts'
import { COMPANIES } from './companies.ts'
import type { CleanRow, IdentifiedRow, RecordSchema, StoredRecord } from './schema.ts'
import { allotSlugs, type SlugWish, slugFrom } from './slugs.ts'
import type { Refusal } from './summary.ts'
import { uuidV7 } from './uuid-v7.ts'

interface IdentifiedBatch {
  rows: IdentifiedRow[]
  refusals: Refusal[]
  /** The rows from the first on that names a record which an earlier row of this batch also names. */
  rest: CleanRow[]
}

/** The keys that a row brings. Only the first that is there identifies it. */
type Keys = ReturnType<typeof keysOf>

export async function identifyBatch(
  connection: Connection,
  schema: RecordSchema,
  batch: readonly CleanRow[],
): Promise<IdentifiedBatch> {
  const companies = await companiesNamed(connection, schema, batch)
  const stored = await recordsNamed(connection, schema, batch)
  const identified: IdentifiedBatch = { rows: [], refusals: [], rest: [] }
  const seen = new Set<string>()
  for (const [index, source] of batch.entries()) {
    const keys = keysOf(source)
    const record = storedRecord(keys, stored)
    const { identity, claims } = namesOf(schema, source, keys, record)
    if (identity.some((name) => seen.has(name))) {
      identified.rest = batch.slice(index)
      break
    }
    try {
      if (keys.externalId !== undefined) {
        const owner = stored.byExternalId.get(keys.externalId)
        if (owner && owner !== record)
          throw new InvalidValue('belongs to another record', 'externalId')
      }
      const id = record?.id ?? keys.id ?? uuidV7()
      const given = schema.complete(source.values, record, (name) => companies.find(name)?.id)
      const values = { ...(record ? {} : schema.defaults), ...given }
      identified.rows.push({ source, id, stored: record, values })
      for (const name of [...identity, ...claims]) seen.add(name)
    } catch (error) {
      if (!(error instanceof InvalidValue)) throw error
      const { field = null, message: reason } = error
      identified.refusals.push({ row: source.number, field, reason })
    }
  }
  await giveSlugs(connection, schema, identified.rows, stored)
  return identified
}

const asText = (value: unknown) => (typeof value === 'string' ? value : undefined)

function keysOf({ values: { id, externalId, slug } }: CleanRow) {
  return { id: asText(id), externalId: asText(externalId), slug: asText(slug) }
}

/** Finds the record by id, else by externalId, else by slug. */
function storedRecord({ id, externalId, slug }: Keys, stored: Records): StoredRecord | undefined {
  if (id !== undefined) return stored.byId.get(id)
  if (externalId !== undefined) return stored.byExternalId.get(externalId)
  return slug === undefined ? undefined : stored.bySlug.get(slug)
}

/**
 * The names by which two rows of one batch can mean the same record, which one statement must not write
 * twice. `claims` are slugs that do not identify this row, but by which a later row may mean its record.
 */
function namesOf(
  schema: RecordSchema,
  { values }: CleanRow,
  keys: Keys,
  record: StoredRecord | undefined,
) {
  const identity: string[] = []
  const claims: string[] = []
  const id = record?.id ?? keys.id
  if (id !== undefined) identity.push(`id ${id}`)
  if (keys.externalId !== undefined) identity.push(`externalId ${keys.externalId}`)
  const slugs = [keys.slug, ...(record ? [] : [slugMadeFrom(schema, values)])]
  for (const slug of slugs) if (slug !== undefined) claims.push(`slug ${slug}`)
  if (id === undefined && keys.externalId === undefined && keys.slug !== undefined) {
    identity.push(`slug ${keys.slug}`)
  }
  return { identity, claims }
}

function slugMadeFrom(schema: RecordSchema, values: CleanRow['values']): string | undefined {
  for (const source of schema.slugSources(values)) {
    const slug = typeof source === 'string' ? slugFrom(source) : undefined
    if (slug !== undefined) return slug
  }
  return schema.fallbackSlug
}

/**
 * New records get the slug they bring, else one made from the name. A stored record keeps its slug
 * unless the row brings a well-formed one that is free: links to it must not break by importing again.
 */
async function giveSlugs(
  connection: Connection,
  schema: RecordSchema,
  rows: readonly IdentifiedRow[],
  stored: Records,
): Promise<void> {
  const taken = new Set(stored.bySlug.keys())
  const wishes: (SlugWish & { byIdentity: boolean })[] = []
  for (const { source, stored: record, values } of rows) {
    const { id, externalId, slug: given } = keysOf(source)
    delete values.slug
    if (record && record.slug !== null) {
      if (given === undefined || taken.has(given)) continue
      taken.add(given)
      values.slug = given
    } else {
      const grant = (slug: string) => {
        values.slug = slug
      }
      const byIdentity = id === undefined && externalId === undefined
      wishes.push({ given, base: slugMadeFrom(schema, source.values), grant, byIdentity })
    }
  }
  // A row that its slug alone identifies must get that slug, also before rows above it.
  wishes.sort((a, b) => Number(b.byIdentity) - Number(a.byIdentity))
  await allotSlugs(wishes, taken, async (slugs) =>
    (await find(connection, schema.find, { slugs })).flatMap(({ slug }) => slug ?? []),
  )
}

function find(
  connection: Connection,
  statement: string,
  names: { ids?: string[]; externalIds?: string[]; slugs: string[] },
) {
  const asked = { ids: [], externalIds: [], ...names }
  return connection.sql.unsafe<StoredRecord[]>(statement, [JSON.stringify(asked)])
}

/** Stored records by each of their keys. */
class Records {
  readonly byId = new Map<string, StoredRecord>()
  readonly byExternalId = new Map<string, StoredRecord>()
  readonly bySlug = new Map<string, StoredRecord>()

  constructor(records: Iterable<StoredRecord>) {
    for (const record of records) {
      this.byId.set(record.id, record)
      if (record.externalId) this.byExternalId.set(record.externalId, record)
      if (record.slug) this.bySlug.set(record.slug, record)
    }
  }

  /** Finds a record by id, else by externalId, else by slug. */
  find(name: string): StoredRecord | undefined {
    return this.byId.get(name.toLowerCase()) ?? this.byExternalId.get(name) ?? this.bySlug.get(name)
  }
}

async function companiesNamed(
  connection: Connection,
  schema: RecordSchema,
  batch: readonly CleanRow[],
): Promise<Records> {
  const names = [...new Set(batch.flatMap(({ values }) => schema.references(values)))]
  if (names.length === 0) return new Records([])
  const keys = { ids: names.filter(isUuid), externalIds: names, slugs: names }
  return new Records(await find(connection, COMPANIES.find, keys))
}

/** The records that the rows name, and those that have a slug which a row brings or would be given. */
async function recordsNamed(
  connection: Connection,
  schema: RecordSchema,
  batch: readonly CleanRow[],
): Promise<Records> {
  const keys = batch.map(keysOf)
  const made = batch.map(({ values }) => slugMadeFrom(schema, values))
  const names = {
    ids: keys.flatMap(({ id }) => id ?? []),
    externalIds: keys.flatMap(({ externalId }) => externalId ?? []),
    slugs: [...keys.map(({ slug }) => slug), ...made].flatMap((slug) => slug ?? []),
  }
  return new Records(await find(connection, schema.find, names))
}
