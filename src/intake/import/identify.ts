/**
 * Identifies the rows of a batch: which records are new, which are stored already, which rows can't be
 * stored; references become ids, and new records get slugs. Reads only. Where another writer changes the
 * database before the batch is written, its unique constraints refuse the batch.
 */
import type { Connection } from '../../database/client.ts'
import { companiesNamed } from './company-references.ts'
import type { Values } from './fields/types.ts'
import { InvalidValue, leaveNothingOut, type Warn } from './fields/values.ts'
import { findingOf } from './findings.ts'
import { NO_PINS, readPins, unpinned } from './pins.ts'
import { findRecords, type Records } from './records.ts'
import type { CleanRow, CompanyId, IdentifiedRow, RecordSchema, StoredRecord } from './schema.ts'
import { allotSlugs, type SlugWish, slugFrom } from './slugs.ts'
import type { Finding } from './summary.ts'
import { uuidV7 } from './uuid-v7.ts'

interface IdentifiedBatch {
  rows: IdentifiedRow[]
  refusals: Finding[]
  /** The rows from the first on that names a record which an earlier row of this batch also names. */
  rest: CleanRow[]
  /** The last pin that was looked at (`pins.ts`). */
  pinsSeen: number | null
}

/**
 * Identifies rows that have a key; `keyless.ts` gives one to those that have none.
 * @param isStrict whether a reference that is unknown refuses its row, instead of being left out.
 * @param isByHand whether pinned fields change too.
 */
export async function identifyBatch(
  connection: Connection,
  schema: RecordSchema,
  batch: readonly CleanRow[],
  isStrict: boolean,
  isByHand = false,
): Promise<IdentifiedBatch> {
  const companies = await companiesNamed(connection, batch)
  const stored = await recordsNamed(connection, schema, batch)
  const pins = isByHand ? NO_PINS : await readPins(connection, [...stored.byId.keys()])
  const companyId: CompanyId = (reference, field) => companies.idOf(reference, field)
  const identified: IdentifiedBatch = { rows: [], refusals: [], rest: [], pinsSeen: pins.seen }
  const seen = new Set<string>()
  for (const [index, source] of batch.entries()) {
    const { values: given } = source
    const record = storedRecord(given, stored)
    const { identity, claims } = namesOf(schema, given, record)
    if (identity.some((name) => seen.has(name))) {
      identified.rest = batch.slice(index)
      break
    }
    const warnings: Finding[] = []
    const warn: Warn = (leftOut) => warnings.push(findingOf('warning', source, leftOut))
    try {
      const owner = stored.byExternalId.get(given.externalId ?? '')
      if (owner && owner !== record) {
        throw new InvalidValue('belongs to another record', {
          field: 'externalId',
          part: given.externalId,
        })
      }
      const missing = schema.required.find((field) => given[field] === undefined)
      if (!record && missing !== undefined) throw new InvalidValue('missing', { field: missing })
      const id = record?.id ?? given.id ?? uuidV7()
      const pinned = pins.fields.get(id) ?? NONE
      const free = unpinned(given, pinned)
      const completed = schema.complete(free, record, companyId, isStrict ? leaveNothingOut : warn)
      // Once more, because values may follow from others.
      const values = { ...(record ? {} : schema.defaults), ...unpinned(completed, pinned) }
      // It is of one that was merged into this record, which keeps its own.
      if (record && owner === record && record.externalId !== given.externalId) {
        delete values.externalId
      }
      identified.rows.push({
        source: warned({ ...source, values: free }, warnings),
        id,
        stored: record,
        values,
        pinned: Object.keys(given).length - Object.keys(free).length,
      })
      for (const name of [...identity, ...claims]) seen.add(name)
    } catch (error) {
      if (!(error instanceof InvalidValue)) throw error
      identified.refusals.push(findingOf('refused', source, error))
    }
  }
  await giveSlugs(connection, schema, identified.rows, stored)
  return identified
}

const NONE: ReadonlySet<string> = new Set()

const warned = (row: CleanRow, warnings: readonly Finding[]): CleanRow =>
  warnings.length === 0 ? row : { ...row, warnings: [...(row.warnings ?? []), ...warnings] }

/** Finds the record by id, else by externalId, else by slug: only the first key that is there counts. */
function storedRecord({ id, externalId, slug }: Values, stored: Records): StoredRecord | undefined {
  if (id !== undefined) return stored.byId.get(id)
  if (externalId !== undefined) return stored.byExternalId.get(externalId)
  return typeof slug === 'string' ? stored.bySlug.get(slug) : undefined
}

/**
 * The names by which two rows of one batch can mean the same record, which one statement must not write
 * twice. `claims` are slugs that do not identify this row, but by which a later row may mean its record.
 */
function namesOf(schema: RecordSchema, values: Values, record: StoredRecord | undefined) {
  const { externalId, slug } = values
  // Not the row's own id first: that may be one that was merged into this record.
  const id = record?.id ?? values.id
  const made = record ? undefined : slugMadeFrom(schema, values)
  const named = (key: string, name: string | null | undefined) =>
    typeof name !== 'string' ? [] : [`${key} ${name}`]
  const keys = [...named('id', id), ...named('externalId', externalId)]
  const claims = [...named('slug', slug), ...named('slug', made)]
  return { identity: keys.length > 0 ? keys : named('slug', slug), claims }
}

function slugMadeFrom(schema: RecordSchema, values: Values): string | undefined {
  for (const source of schema.slugSources(values)) {
    const slug = typeof source === 'string' ? slugFrom(source) : undefined
    if (slug !== undefined) return slug
  }
  return schema.fallbackSlug
}

/**
 * New records get the slug they bring, else one made from the name. A stored record keeps its slug
 * unless the row brings a well-formed one that is free: links to it must not break by importing again.
 * A row whose slug is null says that its record has none.
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
    const { id, externalId, slug: given } = source.values
    if (given === null) continue
    delete values.slug
    if (record) {
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
  const lookUp = async (slugs: string[]) =>
    (await findRecords(connection, schema, { slugs })).bySlug.keys()
  const made = wishes.flatMap(({ base }) => base ?? [])
  if (made.length > 0) for (const slug of await lookUp(made)) taken.add(slug)
  await allotSlugs(wishes, taken, lookUp)
}

/** The records that the rows name, and those that have a slug which a row brings. */
function recordsNamed(connection: Connection, schema: RecordSchema, batch: readonly CleanRow[]) {
  return findRecords(connection, schema, {
    ids: batch.flatMap(({ values }) => values.id ?? []),
    externalIds: batch.flatMap(({ values }) => values.externalId ?? []),
    slugs: batch.flatMap(({ values }) => values.slug ?? []),
  })
}
