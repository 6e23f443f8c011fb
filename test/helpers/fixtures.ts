/** The kit's fixed directory under names for tests that know it by heart, and ways to put it into a database. */
import { expect } from 'bun:test'
import type { Database } from '../../src/database/client.ts'
import { importRows } from '../../src/intake/import/import.ts'
import { fixtures as directory, uuid } from '../../src/testing/fixtures.ts'

export { uuid }

export const {
  aurora: AURORA,
  borealis: BOREALIS,
  comet: COMET,
  dorado: DORADO,
  ember: EMBER,
  fjord: FJORD,
  glacier: GLACIER,
  harbor: HARBOR,
  iris: IRIS,
  juno: JUNO,
} = directory.companies
export const {
  ada: ADA,
  ben: BEN,
  cleo: CLEO,
  dan: DAN,
  fang: FANG,
  fay: FAY,
  emile: EMILE,
} = directory.people
export const {
  auroraSeed: AURORA_SEED,
  auroraSeriesA: AURORA_SERIES_A,
  borealisSeriesA: BOREALIS_SERIES_A,
} = directory.rounds

export const COMPANIES = Object.values(directory.companies)
export const PEOPLE = Object.values(directory.people)
export const ROUNDS = Object.values(directory.rounds)

/** An id and a slug of nothing in here. */
export const UNKNOWN_ID = uuid(999_999)
export const UNKNOWN_SLUG = 'nobody-of-this-name'

/** What must never be seen before it is paid for, of all of them. */
export const PRIVATE_VALUES: readonly string[] = PEOPLE.flatMap((person) =>
  Object.entries(person).flatMap(([field, value]) =>
    ['email', 'phone', 'telegram', 'linkedinUrl'].includes(field) ? [String(value)] : [],
  ),
)

/** Puts all of it into an empty directory. */
export async function fixtures(database: Database): Promise<void> {
  for (const [kind, rows] of [
    ['companies', COMPANIES],
    ['people', PEOPLE],
    ['rounds', ROUNDS],
  ] as const) {
    const { created, refusals } = await importRows(database, kind, rows)
    expect({ kind, refusals, created }).toEqual({ kind, refusals: [], created: rows.length })
  }
}

/** People of Juno Launchpad, `count` of them, named so that they sort by number. */
export function crowdRows(count: number) {
  return Array.from({ length: count }, (_, position) => ({
    id: uuid(10_001 + position),
    firstName: 'Xu',
    lastName: `Member ${String(position + 1).padStart(4, '0')}`,
    company: JUNO.slug,
    createdAt: '2024-01-01T00:00:00.000Z',
    email: `crowd-${position + 1}@private.example`,
  }))
}

/** Puts the crowd into a directory that has the fixtures. */
export async function crowd(database: Database, count: number): Promise<void> {
  const { refusals } = await importRows(database, 'people', crowdRows(count))
  expect(refusals).toEqual([])
}

/** The id of the crowd's nth member, from 1. */
export const crowdId = (number: number) => uuid(10_000 + number)

/** A call of every billed endpoint. */
export const BILLED_CALLS = [
  '/v1/people',
  `/v1/people/${ADA.slug}`,
  '/v1/projects',
  `/v1/projects/${AURORA.slug}`,
  '/v1/investors',
  `/v1/investors/${EMBER.slug}`,
  '/v1/services',
  `/v1/services/${HARBOR.slug}`,
  '/v1/search?q=aurora',
]
