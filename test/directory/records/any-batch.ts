/** Any batches of changes, over few records, so that they meet: for properties of the directory. */
import fc from 'fast-check'
import type { RowsById } from '../../../src/directory/records/batch.ts'
import type { RoundRow } from '../../../src/directory/records/rows.ts'
import { companyRow, personRow } from './fixtures.ts'

export const uuid = (kind: number, n: number) => `0000000${kind}-0000-7000-8000-00000000000${n}`
const day = fc.integer({ min: 1, max: 3 }).map((number) => Date.UTC(2025, 0, number))
const name = fc.constantFrom('Ann Lee', 'ann Lee', 'Bo', 'Émile B', 'Zoë', '王伟', 'Lee Ann')
const followers = fc.constantFrom(null, 0, 5, 50)
export const ID = fc.nat(5)

const person = fc
  .record({
    id: ID,
    name,
    createdAt: day,
    creatorFollowerCount: followers,
    roles: fc.subarray(['founder', 'legal']),
    hasEmail: fc.boolean(),
    jobTitle: fc.constantFrom(null, 'Founder'),
    company: fc.option(ID),
  })
  .map(({ id, name, company, ...rest }) => {
    const companyId = company === null ? null : uuid(1, company)
    return personRow(name, { ...rest, id: uuid(2, id), slug: `p-${id}`, companyId })
  })
const company = fc
  .record({
    id: ID,
    name,
    createdAt: day,
    followers,
    companyType: fc.constantFrom('project' as const, 'investor' as const),
    fundAllTimeRoiPct: fc.constantFrom(null, 1, 2),
    sectors: fc.subarray(['DeFi', 'NFT']),
  })
  .map(({ id, ...rest }) => companyRow({ ...rest, id: uuid(1, id), slug: `c-${id}` }))
const round = fc
  .record({
    id: ID,
    company: ID,
    investors: fc.uniqueArray(ID, { maxLength: 3 }),
    roundType: fc.constantFrom(null, 'seed', 'Series A'),
    amountUsd: fc.constantFrom(null, 1_000_000, 30_000_000),
    announceDate: fc.constantFrom(null, Date.UTC(2023, 5, 1), Date.UTC(2024, 0, 1)),
  })
  .map(
    ({ id, company, investors, ...rest }): RoundRow => ({
      id: uuid(3, id),
      companyId: uuid(1, company),
      roundEventName: null,
      ...rest,
      investors: investors.map((investor) => ({
        id: uuid(4, investor),
        investorId: uuid(1, investor),
        isLead: false,
      })),
    }),
  )

/** Rows to put, and of each kind a record that goes. */
export const batch = fc.record({
  companies: fc.array(company, { maxLength: 3 }),
  people: fc.array(person, { maxLength: 3 }),
  rounds: fc.array(round, { maxLength: 2 }),
  gone: fc.option(fc.record({ kind: fc.constantFrom('people', 'rounds'), id: ID })),
})

/** What a batch puts, by id. */
export function putOf({
  companies,
  people,
  rounds,
  gone,
}: typeof batch extends fc.Arbitrary<infer B> ? B : never): RowsById {
  const put = { companies: byId(companies), people: byId(people), rounds: byId(rounds) }
  if (gone?.kind === 'people') put.people.set(uuid(2, gone.id), null)
  if (gone?.kind === 'rounds') put.rounds.set(uuid(3, gone.id), null)
  return put
}

export const byId = <Row extends { id: string }>(rows: readonly Row[]) =>
  new Map<string, Row | null>(rows.map((row) => [row.id, row]))
