/**
 * Export and import are inverse. `EXPORT_RUNS` is how many directories are tried in each format: 8 here, 100 in
 * `.ci/long models`.
 */

import { expect, test } from 'bun:test'
import { createReadStream } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import fc from 'fast-check'
import type { Database } from '../../../src/database/client.ts'
import { exportFiles, type Format } from '../../../src/intake/export/export.ts'
import { importAll, importFiles } from '../../../src/intake/import/import.ts'
import { KINDS } from '../../../src/intake/import/summary.ts'
import { LIMIT_MS } from '../../helpers/limit.ts'
import type { TestDatabase } from '../../helpers/postgres.ts'
import { sharedDatabase, sharedDirectory } from '../../helpers/shared.ts'
import { directories } from './directories.ts'

const RUNS = Number(process.env.EXPORT_RUNS ?? 8)

const first = sharedDatabase()
const second = sharedDatabase()
const folder = sharedDirectory()

/** Of few rows: a truncate would take ten times as long. */
const empty = ({ sql }: TestDatabase) => sql.unsafe('delete from people; delete from companies')

/** Exports everything. @returns the paths by kind, and what the files hold. */
async function exported(database: Database, name: string, format: Format, isSliced = false) {
  const target = (kind: string) => ({
    path: join(folder.path, `${name}-${kind}.${format}`),
    format,
    isGzipped: false,
  })
  const targets = {
    companies: target('companies'),
    people: target('people'),
    rounds: target('rounds'),
  }
  await exportFiles(database, targets, { withChannels: true, force: true, isSliced })
  const content = await Promise.all(KINDS.map((kind) => readFile(targets[kind].path, 'utf8')))
  return { targets, content }
}

async function imported(
  database: Database,
  targets: Awaited<ReturnType<typeof exported>>['targets'],
) {
  const source = (kind: keyof typeof targets) => {
    const { path, format } = targets[kind]
    return { stream: createReadStream(path), format }
  }
  return importFiles(database, {
    companies: source('companies'),
    people: source('people'),
    rounds: source('rounds'),
  })
}

for (const format of ['jsonl', 'csv'] as const) {
  test(
    `${format}: what is exported, imported elsewhere and exported again is the same files`,
    async () => {
      await fc.assert(
        fc.asyncProperty(directories, async (rows) => {
          await Promise.all([empty(first), empty(second)])
          await importAll(first.database, rows)
          const before = await exported(first.database, 'first', format)
          const summary = await imported(second.database, before.targets)
          for (const kind of KINDS) {
            expect(summary[kind]).toMatchObject({
              created: rows[kind].length,
              refusals: [],
              ignoredFields: [],
            })
          }
          const after = await exported(second.database, 'second', format, true)
          expect(after.content).toEqual(before.content)
          const again = await imported(first.database, before.targets)
          for (const kind of KINDS)
            expect(again[kind]).toMatchObject({ unchanged: rows[kind].length })
        }),
        { numRuns: RUNS },
      )
    },
    LIMIT_MS * 2,
  )
}

test('an import over the directory that was exported changes nothing, though its times are finer', async () => {
  await empty(first)
  // Without times of their own they get the database's, to the microsecond.
  await importAll(first.database, {
    companies: [{ name: 'Acme', companyType: 'project' }],
    people: [{ firstName: 'Ann', company: 'acme', email: 'ann@example.com' }],
    rounds: [{ company: 'acme', roundType: 'seed', investors: ['acme'] }],
  })
  await first.sql`update people set created_at = '2024-03-05T00:00:00.000999Z'`
  const position = await first.sql`select max(sequence) from change_log`
  for (const format of ['jsonl', 'csv'] as const) {
    const { targets } = await exported(first.database, 'over', format)
    const summary = await imported(first.database, targets)
    for (const kind of KINDS) expect(summary[kind]).toMatchObject({ unchanged: 1, updated: 0 })
  }
  expect(await first.sql`select max(sequence) from change_log`).toEqual(position)
})
