/**
 * Identifies the rows of a batch: finds stored records, gives new ones an id and a slug, resolves references, refuses
 * rows that can't be stored. Reads only. Where another writer changes the database before the batch is written, its
 * unique constraints refuse the batch.
 */
import type { Connection } from '../../database/client.ts'
import { textArray } from '../../database/text-array.ts'
import { companiesNamed } from './company-references.ts'
import type { Values } from './fields/types.ts'
import { InvalidValue, leaveNothingOut, type Warn } from './fields/values.ts'
import { findingOf } from './findings.ts'
import type { CleanRow, IdentifiedRow, RecordSchema, StoredRecord } from './schema.ts'
import { findNamed, findRecords, type Records } from './statements.ts'
import type { Finding } from './summary.ts'
import { uuidV7 } from './uuid-v7.ts'

interface IdentifiedBatch {
  rows: IdentifiedRow[]
  refusals: Finding[]
  /** The rows from the first on that names a record which an earlier row of this batch also names. */
  rest: CleanRow[]
  /** Number of the last pin that was read. */
  pinsSeen: number | null
}

/**
 * Identifies rows that have a key; `keyless.ts` gives one to those that have none.
 * @param isStrict refuses a row with an unknown reference, instead of leaving the reference out
 * @param isByHand changes pinned fields too
 */
export async function identifyBatch(
  connection: Connection,
  schema: RecordSchema,
  batch: readonly CleanRow[],
  isStrict: boolean,
  isByHand = false,
): Promise<IdentifiedBatch> {
  const companies = await companiesNamed(connection, batch)
  const stored = await findNamed(
    connection,
    schema,
    batch.map(({ values }) => values),
  )
  const pins = isByHand ? NO_PINS : await readPins(connection, [...stored.byId.keys()])
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
      const completed = schema.complete(
        free,
        record,
        companies.idOf,
        isStrict ? leaveNothingOut : warn,
      )
      // Filtered again, because `complete` may derive values from others.
      const values = { ...(record ? {} : schema.defaults), ...unpinned(completed, pinned) }
      // The external id of a merged record: the record keeps its own.
      if (record && owner === record && record.externalId !== given.externalId) {
        delete values.externalId
      }
      identified.rows.push({
        source: warned({ ...source, values: free }, warnings),
        given,
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
 * Names by which two rows of one batch can mean the same record, which one statement must not write twice. `claims` are
 * slugs that do not identify this row, but by which a later row may mean its record.
 */
function namesOf(schema: RecordSchema, values: Values, record: StoredRecord | undefined) {
  const { externalId, slug } = values
  // The record's id, because the row's own may be of a record that was merged into it.
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
  // Rows that only a slug identifies must get that slug, so they come first.
  wishes.sort((a, b) => Number(b.byIdentity) - Number(a.byIdentity))
  const lookUp = async (slugs: string[]) =>
    (await findRecords(connection, schema, { slugs })).bySlug.keys()
  const made = wishes.flatMap(({ base }) => base ?? [])
  if (made.length > 0) for (const slug of await lookUp(made)) taken.add(slug)
  await allotSlugs(wishes, taken, lookUp)
}

/** Pins of some records, and the number of the last pin of all when they were read. */
export interface Pins {
  /** Null where pins were not read. */
  seen: number | null
  /** Pinned fields by record. */
  fields: ReadonlyMap<string, ReadonlySet<string>>
}

/** Pins don't hold back a change by hand. */
const NO_PINS: Pins = { seen: null, fields: new Map() }

async function readPins({ sql }: Connection, ids: readonly string[]): Promise<Pins> {
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
function unpinned(values: Values, pinned: ReadonlySet<string>): Values {
  if (pinned.size === 0) return values
  return Object.fromEntries(Object.entries(values).filter(([field]) => !pinned.has(field)))
}

/**
 * Warns of rows that give a record another name: it may have been renamed, or the key was cut, rounded or reused for
 * somebody else. Refuses a row that would put somebody else into a record for which accounts have paid: no word of the
 * name is the same, and no channel that tells people apart.
 * @param rows identified by a key that each has in its file
 */
export async function checkNames(
  connection: Connection,
  schema: RecordSchema,
  rows: readonly IdentifiedRow[],
): Promise<{ rows: IdentifiedRow[]; refusals: Finding[] }> {
  const replaced = await findReplaced(connection, schema, rows)
  return {
    rows: rows.flatMap((row) => (replaced.has(row) ? [] : withWarning(row, schema))),
    refusals: [...replaced].map((row) => refusalOf(row, schema)),
  }
}

/** Names of a record and its row, where they differ. */
function changedName({ stored }: IdentifiedRow, values: Values, { slugSources }: RecordSchema) {
  if (!stored) return undefined
  const [before] = slugSources(nameIn(stored))
  const [after] = slugSources({ ...nameIn(stored), ...values })
  if (typeof before !== 'string' || typeof after !== 'string' || before === after) return undefined
  const [words, others] = [wordsOf(before), wordsOf(after)]
  if (words.length === 0 || words.join('') === others.join('')) return undefined
  return { before, after, areUnlike: !words.some((word) => others.includes(word)) }
}

const nameIn = ({ name, firstName, lastName }: StoredRecord): Values => ({
  name,
  firstName,
  lastName,
})

/** The words of a name without case, accents and marks. */
const wordsOf = (name: string): string[] =>
  name
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .toLowerCase()
    .match(/[\p{L}\p{N}]+/gu) ?? []

/** The field by which a row names its record. */
const keyFieldOf = ({ id, externalId }: Values) =>
  id !== undefined ? 'id' : externalId !== undefined ? 'externalId' : 'slug'

async function findReplaced(
  { sql }: Connection,
  schema: RecordSchema,
  rows: readonly IdentifiedRow[],
): Promise<ReadonlySet<IdentifiedRow>> {
  const { replaced, table, details } = schema
  if (replaced === undefined) return new Set()
  const suspects = rows.filter((row) => changedName(row, row.given, schema)?.areUnlike)
  if (suspects.length === 0) return new Set()
  const people = suspects.map(({ id, given }) => {
    return { id, row: table.rowOf(given), ...details?.(given) }
  })
  const places = await sql.unsafe<{ place: number }[]>(replaced, [JSON.stringify(people)])
  return new Set(places.flatMap(({ place }) => suspects[place] ?? []))
}

function refusalOf({ stored, source, given }: IdentifiedRow, { slugSources }: RecordSchema) {
  const field = keyFieldOf(given)
  const [name] = stored ? slugSources(nameIn(stored)) : []
  return findingOf('refused', source, {
    field,
    message: `is that of ${name}, for whom accounts have paid, and neither a name nor a channel is the same: give the row a key of its own or, if it is the same person, set the new name by \`person set\` first`,
    part: given[field],
    alike: 'is that of another person, for whom accounts have paid',
  })
}

function withWarning(row: IdentifiedRow, schema: RecordSchema): IdentifiedRow {
  const { source } = row
  const names = changedName(row, source.values, schema)
  if (!names) return row
  const key = keyFieldOf(source.values)
  const finding = findingOf('warning', source, {
    field: undefined,
    message: `its ${key} was that of ${names.before} and is that of ${names.after} now: if these are two, give each a key of its own`,
    part: source.values[key],
    alike: `its ${key} was that of a record with another name`,
  })
  return { ...row, source: warned(source, [finding]) }
}

// Slugs: `[a-z0-9-]{1,80}`, unique among people and among companies.

const LONGEST_SLUG = 80

/** Letters that don't come apart into a Latin letter and an accent. */
const LATIN = { ß: 'ss', æ: 'ae', œ: 'oe', ø: 'o', ð: 'd', þ: 'th', đ: 'd', ł: 'l', ı: 'i' }

/** A slug made from a name, accents dropped; `undefined` where the name has no Latin letter or digit. */
export function slugFrom(name: string): string | undefined {
  let latin = name.toLowerCase()
  for (const [letter, letters] of Object.entries(LATIN)) latin = latin.replaceAll(letter, letters)
  const slug = latin
    .normalize('NFKD')
    .replace(/[\u0300-\u036f'\u2019]/g, '')
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-+/, '')
    .slice(0, LONGEST_SLUG)
    .replace(/-+$/, '')
  return slug || undefined
}

/** `base-2`, `base-3`…, cut so that the number fits. */
function numbered(base: string, number: number): string {
  const suffix = `-${number}`
  return base.slice(0, LONGEST_SLUG - suffix.length).replace(/-+$/, '') + suffix
}

/** A record that needs a slug: the given one, else one made from `base`. */
interface SlugWish {
  given: string | undefined
  base: string | undefined
  grant(slug: string): void
}

/**
 * Gives every wish a slug that nothing else has: the given one, the made one, or the made one with the lowest free
 * number, in order.
 * @param taken existing slugs among those wished for; grows by each grant
 * @param lookUp returns which of these slugs exist
 */
export async function allotSlugs(
  wishes: readonly SlugWish[],
  taken: Set<string>,
  lookUp: (slugs: string[]) => Promise<Iterable<string>>,
): Promise<void> {
  const crowded = new Map<string, SlugWish[]>()
  for (const wish of wishes) {
    const free = [wish.given, wish.base].find((slug) => slug !== undefined && !taken.has(slug))
    const base = wish.base ?? wish.given
    if (free !== undefined) {
      taken.add(free)
      wish.grant(free)
    } else if (base !== undefined) {
      crowded.set(base, [...(crowded.get(base) ?? []), wish])
    }
  }
  // Thousands may share a name ("Unnamed"), so each look-up covers twice as many numbers.
  for (let first = 2, span = 8; crowded.size > 0; first += span, span *= 2) {
    const candidates = [...crowded].flatMap(([base, { length }]) =>
      Array.from({ length: span + length }, (_, i) => numbered(base, first + i)),
    )
    for (const slug of await lookUp(candidates)) taken.add(slug)
    for (const [base, waiting] of crowded) {
      for (let number = first; number < first + span && waiting.length > 0; number++) {
        const slug = numbered(base, number)
        if (taken.has(slug)) continue
        taken.add(slug)
        waiting.shift()?.grant(slug)
      }
      if (waiting.length === 0) crowded.delete(base)
    }
  }
}
