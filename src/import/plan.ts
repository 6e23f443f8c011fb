/**
 * A batch planned: which rows are new, which are stored already, which can't be stored; references
 * replaced by ids, slugs given. Reads only; the plan holds as long as nobody else writes, and the
 * unique constraints notice if somebody did.
 */
import type { Connection } from '../database/client.ts'
import { Unfit } from './clean.ts'
import { FIND_COMPANIES } from './companies.ts'
import type { Candidate, Kind, Planned, StoredRecord } from './kind.ts'
import { allotSlugs, type SlugWish, slugFrom } from './slugs.ts'
import type { Refusal } from './summary.ts'
import { uuidV7 } from './uuid-v7.ts'

export interface Plan {
  planned: Planned[]
  refusals: Refusal[]
  /** Rows from the first on that speaks of a record which an earlier row of this batch also touches. */
  rest: Candidate[]
}

/** The keys that a row brings. Only the first that is there identifies it. */
interface Keys {
  id: string | undefined
  externalId: string | undefined
  slug: string | undefined
}

export async function planBatch(
  connection: Connection,
  kind: Kind,
  batch: readonly Candidate[],
): Promise<Plan> {
  const companies = await companiesNamed(connection, kind, batch)
  const stored = await recordsNamed(connection, kind, batch)
  const plan: Plan = { planned: [], refusals: [], rest: [] }
  const touched = new Set<string>()
  for (const [index, candidate] of batch.entries()) {
    const { number, values } = candidate
    const keys = keysOf(candidate)
    const record = identified(keys, stored)
    const marks = marksOf(kind, candidate, keys, record)
    if (marks.identity.some((mark) => touched.has(mark))) {
      plan.rest = batch.slice(index)
      break
    }
    try {
      if (keys.externalId !== undefined) {
        const owner = stored.byExternalId.get(keys.externalId)
        if (owner && owner !== record) throw new Unfit('belongs to another record', 'externalId')
      }
      const complete = kind.complete(values, record, (reference) => companies.find(reference)?.id)
      plan.planned.push({
        candidate,
        id: record?.id ?? keys.id ?? uuidV7(),
        stored: record,
        values: { ...(record ? {} : kind.defaults), ...complete },
      })
      for (const mark of [...marks.identity, ...marks.claims]) touched.add(mark)
    } catch (error) {
      if (!(error instanceof Unfit)) throw error
      plan.refusals.push({ row: number, field: error.field ?? null, reason: error.message })
    }
  }
  if (kind.hasSlug) await giveSlugs(connection, kind, plan.planned, stored)
  return plan
}

const asText = (value: unknown) => (typeof value === 'string' ? value : undefined)

function keysOf({ values: { id, externalId, slug } }: Candidate): Keys {
  return { id: asText(id), externalId: asText(externalId), slug: asText(slug) }
}

/** By id, else by externalId, else by slug. */
function identified({ id, externalId, slug }: Keys, stored: Records): StoredRecord | undefined {
  if (id !== undefined) return stored.byId.get(id)
  if (externalId !== undefined) return stored.byExternalId.get(externalId)
  return slug === undefined ? undefined : stored.bySlug.get(slug)
}

/**
 * What two rows of one batch must not share, for their record would be written twice. A slug that
 * only decorates a row is no identity, but a later row may mean that very record by it.
 */
function marksOf(kind: Kind, { values }: Candidate, keys: Keys, record: StoredRecord | undefined) {
  const identity: string[] = []
  const claims: string[] = []
  const id = record?.id ?? keys.id
  if (id !== undefined) identity.push(`id ${id}`)
  if (keys.externalId !== undefined) identity.push(`externalId ${keys.externalId}`)
  const slugs = [keys.slug, ...(record ? [] : [madeSlug(kind, values)])]
  for (const slug of slugs) if (slug !== undefined) claims.push(`slug ${slug}`)
  if (id === undefined && keys.externalId === undefined && keys.slug !== undefined) {
    identity.push(`slug ${keys.slug}`)
  }
  return { identity, claims }
}

function madeSlug(kind: Kind, values: Candidate['values']): string | undefined {
  for (const source of kind.slugSources(values)) {
    const slug = typeof source === 'string' ? slugFrom(source) : undefined
    if (slug !== undefined) return slug
  }
  return kind.fallbackSlug
}

/**
 * New records get the slug they bring, else one made from the name. A stored record keeps its slug
 * unless the row brings a well-formed one that is free: links to it must not break by importing again.
 */
async function giveSlugs(
  connection: Connection,
  kind: Kind,
  planned: readonly Planned[],
  stored: Records,
): Promise<void> {
  const taken = new Set(stored.bySlug.keys())
  const wishes: (SlugWish & { byIdentity: boolean })[] = []
  for (const { candidate, stored: record, values } of planned) {
    const { id, externalId, slug: given } = keysOf(candidate)
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
      wishes.push({ given, base: madeSlug(kind, candidate.values), grant, byIdentity })
    }
  }
  // A row that is known by its slug alone must get that very slug, whatever stands before it.
  wishes.sort((a, b) => Number(b.byIdentity) - Number(a.byIdentity))
  await allotSlugs(wishes, taken, async (slugs) =>
    (await find(connection, kind.find, { slugs })).flatMap(({ slug }) => slug ?? []),
  )
}

interface Names {
  ids?: string[]
  externalIds?: string[]
  slugs?: string[]
}

async function find(connection: Connection, statement: string, names: Names) {
  const asked = { ids: [], externalIds: [], slugs: [], ...names }
  return connection.sql.unsafe<StoredRecord[]>(statement, [JSON.stringify(asked)])
}

/** Stored records, by each of their keys. */
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

  /** By id, else by externalId, else by slug. */
  find(name: string): StoredRecord | undefined {
    return this.byId.get(name.toLowerCase()) ?? this.byExternalId.get(name) ?? this.bySlug.get(name)
  }
}

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i

async function companiesNamed(
  connection: Connection,
  kind: Kind,
  batch: readonly Candidate[],
): Promise<Records> {
  const names = [...new Set(batch.flatMap(({ values }) => kind.references(values)))]
  if (names.length === 0) return new Records([])
  const ids = names.filter((name) => UUID.test(name))
  return new Records(
    await find(connection, FIND_COMPANIES, { ids, externalIds: names, slugs: names }),
  )
}

/** The records that the batch speaks of, and those that have a slug which it might want. */
async function recordsNamed(
  connection: Connection,
  kind: Kind,
  batch: readonly Candidate[],
): Promise<Records> {
  const keys = batch.map(keysOf)
  const slugs = keys.map(({ slug }) => slug)
  if (kind.hasSlug) slugs.push(...batch.map(({ values }) => madeSlug(kind, values)))
  return new Records(
    await find(connection, kind.find, {
      ids: keys.flatMap(({ id }) => id ?? []),
      externalIds: keys.flatMap(({ externalId }) => externalId ?? []),
      slugs: slugs.flatMap((slug) => slug ?? []),
    }),
  )
}
