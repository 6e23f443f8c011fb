/** Stored records that rows name by a key. */
import type { Connection } from '../database/client.ts'
import { isUuid } from '../database/uuid.ts'
import { COMPANIES } from './companies.ts'
import type { CleanRow, RecordSchema, StoredRecord } from './schema.ts'

/** Stored records by each of their keys. */
export class Records {
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

/** Finds the records that have one of these keys. */
export async function findRecords(
  connection: Connection,
  { table }: RecordSchema,
  names: { ids?: string[]; externalIds?: string[]; slugs: string[] },
): Promise<Records> {
  const asked = JSON.stringify({ ids: [], externalIds: [], ...names })
  return new Records(await connection.sql.unsafe<StoredRecord[]>(table.find, [asked]))
}

/** The companies that the rows name, each by id, externalId or slug. */
export async function companiesNamed(
  connection: Connection,
  batch: readonly CleanRow[],
): Promise<Records> {
  const names = batch.flatMap(({ values: { company, investors = [] } }) => [
    ...(company ? [company] : []),
    ...investors.map(({ investor }) => investor),
  ])
  if (names.length === 0) return new Records([])
  const slugs = [...new Set(names)]
  return findRecords(connection, COMPANIES, {
    ids: slugs.filter(isUuid),
    externalIds: slugs,
    slugs,
  })
}
