/** Rows as the files that an operator would import, and what came of them. */
import { beforeEach } from 'bun:test'
import { Readable } from 'node:stream'
import type { Database } from '../../../src/database/client.ts'
import { importFiles } from '../../../src/intake/import/import.ts'
import type { Source } from '../../../src/intake/import/read.ts'
import type { KindName, KindSummary } from '../../../src/intake/import/summary.ts'
import type { TestDatabase } from '../../helpers/postgres.ts'
import { sharedDatabase } from '../../helpers/shared.ts'

export type Row = Record<string, unknown>

/** A database that each test finds without records. */
export function emptyDatabase(): TestDatabase {
  const t = sharedDatabase()
  beforeEach(async () => {
    await t.sql`truncate companies, people, funding_rounds, accounts cascade`
  })
  return t
}

/** A company's row. */
export const company = (fields: Row = {}): Row => ({
  companyType: 'project',
  name: 'Acme',
  ...fields,
})

/** Imports rows of one kind; a string stands for a line as it is. */
export async function load(
  database: Database,
  kind: KindName,
  rows: readonly (Row | string)[],
): Promise<KindSummary> {
  const summary = await importFiles(database, { [kind]: jsonl(rows) })
  const done = summary[kind]
  if (!done) throw new Error(`no summary of ${kind}`)
  return done
}

export const counts = ({ created, updated, unchanged, refused }: KindSummary) =>
  `${created} created, ${updated} updated, ${unchanged} unchanged, ${refused} refused`

export const reasons = ({ refusals }: KindSummary) =>
  refusals.map(({ row, field, reason }) => `${row} ${field}: ${reason}`)

export const warnings = ({ warnings }: KindSummary) =>
  warnings.map(({ row, field, reason }) => `${row} ${field}: ${reason}`)

export function jsonl(rows: readonly (Row | string)[]): Source {
  const lines = rows.map((row) => (typeof row === 'string' ? row : JSON.stringify(row)))
  return { stream: Readable.from([Buffer.from(lines.join('\n'))]), format: 'jsonl' }
}

/** The same rows as CSV: lists with `|`, objects as JSON text, a field that a row lacks is blank. */
export function csv(rows: readonly Row[]): Source {
  const header = [...new Set(rows.flatMap((row) => Object.keys(row)))]
  const lines = [header, ...rows.map((row) => header.map((field) => cell(row[field])))]
  const text = lines.map((cells) => cells.map(quoted).join(',')).join('\r\n')
  return { stream: Readable.from([Buffer.from(text)]), format: 'csv' }
}

function cell(value: unknown): string {
  if (value === null || value === undefined) return ''
  if (Array.isArray(value) && value.every((item) => typeof item === 'string')) {
    return value.join('|')
  }
  return typeof value === 'object' ? JSON.stringify(value) : String(value)
}

function quoted(text: string): string {
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}
