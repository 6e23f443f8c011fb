/** Every kind of page with who visits it, on a directory and an account that are filled for it. */
import type postgres from 'postgres'
import type { Database } from '../../src/database/client.ts'
import { importRows } from '../../src/intake/import/import.ts'
import { inventCompanies, inventRounds } from '../../src/server/demo/companies.ts'
import { COMPANIES_SEED } from './bench-database.ts'
import { fillAccount, makeReaders, openWorkspace, type Reader } from './full-account.ts'
import { makeOperator, operatorKinds } from './operator-kinds.ts'
import {
  fileKinds,
  type Kinds,
  MEMBERS_KINDS,
  personalKinds,
  publicKinds,
  STRANGERS_KINDS,
} from './page-kinds.ts'

const ROUNDS_SEED = 3
const ROUNDS_UNTIL = new Date('2025-06-30')

/** Kinds of pages, and who visits them. */
export interface Visited {
  whose: string
  kinds: Kinds
  headers: Record<string, string>
}

export interface Visits {
  visited: readonly Visited[]
  files: Kinds
  /** The first has all that an account may have. */
  readers: readonly [Reader, ...Reader[]]
  /** The kinds that any reader may open. */
  kinds: Kinds
}

/**
 * Adds rounds to the directory of `benchDatabase`, readers, what the first of them has, and an operator.
 * @param companies of the directory @param readers how many people are signed in, two at least
 */
export async function prepareVisits(
  database: Database,
  sql: postgres.Sql,
  { companies, readers: count }: { companies: number; readers: number },
): Promise<Visits> {
  const invented = [...inventCompanies(companies, COMPANIES_SEED)]
  await importRows(database, 'rounds', inventRounds(invented, ROUNDS_SEED, ROUNDS_UNTIL))
  const readers = await makeReaders(database, count)
  const [owner, operator] = readers as [Reader, Reader]
  await fillAccount(sql, owner.accountId)
  const { member, invitation } = await openWorkspace(database, sql, owner.accountId)
  const everybodys = await publicKinds(sql)
  const own = await personalKinds(sql, owner.accountId, invitation)
  const operators = await operatorKinds(sql, owner.accountId)
  await makeOperator(database, sql, operator)
  return {
    visited: [
      { whose: '', kinds: STRANGERS_KINDS, headers: {} },
      { whose: '', kinds: everybodys, headers: {} },
      { whose: ', signed in', kinds: everybodys, headers: { cookie: owner.cookie } },
      { whose: '', kinds: own, headers: { cookie: owner.cookie } },
      // Who has two-step sign-in on.
      { whose: ', on', kinds: twoStepOf(own), headers: { cookie: operator.cookie } },
      { whose: '', kinds: MEMBERS_KINDS, headers: { cookie: member.cookie } },
      { whose: ', operator', kinds: operators, headers: { cookie: operator.cookie } },
    ],
    files: await fileKinds(sql, owner.accountId),
    readers: [owner, ...readers.slice(1)],
    kinds: { ...everybodys, ...own },
  }
}

const twoStepOf = (kinds: Kinds): Kinds =>
  Object.fromEntries(Object.entries(kinds).filter(([kind]) => /two-step|recovery/.test(kind)))
