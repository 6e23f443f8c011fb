/** Stored records that rows name by a key. */
import type { Connection } from '../../database/client.ts'
import type { RecordSchema, StoredRecord } from './schema.ts'
import { runPlanned } from './statements.ts'

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

  /** Adds a name of a record that was merged into this one. A record that has the name itself comes first. */
  addMerged({ alias, ...record }: MergedRecord) {
    const { id, externalId, slug } = alias
    if (!this.byId.has(record.id)) this.byId.set(record.id, record)
    const survivor = this.byId.get(record.id) ?? record
    if (!this.byId.has(id)) this.byId.set(id, survivor)
    if (externalId && !this.byExternalId.has(externalId))
      this.byExternalId.set(externalId, survivor)
    if (slug && !this.bySlug.has(slug)) this.bySlug.set(slug, survivor)
  }
}

/** A record found by the keys of one that was merged into it. */
type MergedRecord = StoredRecord & { alias: Pick<StoredRecord, 'id' | 'externalId' | 'slug'> }

/** Finds the records that have one of these keys. */
export async function findRecords(
  connection: Connection,
  { table }: RecordSchema,
  names: { ids?: string[]; externalIds?: string[]; slugs: string[] },
): Promise<Records> {
  const asked = JSON.stringify({ ids: [], externalIds: [], ...names })
  const found = new Records(await runPlanned<StoredRecord>(connection, table.find, [asked]))
  const merged = await runPlanned<MergedRecord>(connection, table.findMerged, [asked])
  for (const record of merged) found.addMerged(record)
  return found
}
