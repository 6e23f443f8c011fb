/** The pages that `bun run bench:pages` measures. */
import { expect, test } from 'bun:test'
import type postgres from 'postgres'
import { DIRECTORIES } from '../../src/contract/vocabulary.ts'
import {
  fileKinds,
  MEMBERS_KINDS,
  personalKinds,
  publicKinds,
  routesWithout,
  STRANGERS_KINDS,
} from '../bench/page-kinds.ts'

/** Answers every statement with rows that have a text in each column. */
const anyRows = async () =>
  DIRECTORIES.map(
    (directory) =>
      new Proxy({}, { get: (_, column) => (column === 'directory' ? directory : 'x') }),
  )

test('every route of the application is among the pages and files that are measured', async () => {
  const sql = anyRows as unknown as postgres.Sql
  const kinds = {
    ...STRANGERS_KINDS,
    ...(await publicKinds(sql)),
    ...(await personalKinds(sql, 'x', 'x')),
    ...MEMBERS_KINDS,
    ...(await fileKinds(sql, 'x')),
  }
  expect(routesWithout(kinds)).toEqual([])
  const { workspace: _, ...fewer } = kinds
  expect(routesWithout(fewer)).toEqual(['/workspace'])
})
