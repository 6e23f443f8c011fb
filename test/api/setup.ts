/** What most files of this folder begin with: the API over the fixtures, and an account that calls it. */
import { afterAll } from 'bun:test'
import { type Clock, startClock } from '../helpers/clock.ts'
import { fixtures } from '../helpers/fixtures.ts'
import {
  type AccountOptions,
  postgresService,
  type TestService,
  testService,
} from '../helpers/service.ts'

/** Members of a page, in the contract's order. */
export const ENVELOPE = ['data', 'total', 'page', 'limit', 'totalPages', 'meta']

export const slugsOf = (records: { slug: string }[]) => records.map(({ slug }) => slug)

/** Ends the service with the file that calls this. */
function endWithFile(service: TestService): TestService {
  afterAll(() => service.stop())
  return service
}

/** Over the kit's database. @param fill what the directory holds. */
export async function startService(fill: Parameters<typeof testService>[0] = fixtures) {
  return endWithFile(await testService(fill))
}

/** With an account that calls: by default one that can call all day. */
export async function startApi(account: AccountOptions = { tier: 'team', credits: 10_000 }) {
  const service = await startService()
  const caller = await service.account(account)
  const bodyOf = async (path: string) => (await caller.get(path)).body
  /** Slugs of a list's page. */
  const listed = async (path: string) => slugsOf((await bodyOf(path)).data)
  return { service, caller, bodyOf, listed }
}

/** Over a real PostgreSQL, with a clock that the test moves. */
export async function startClockedApi(): Promise<{ service: TestService; clock: Clock }> {
  const service = endWithFile(await postgresService(fixtures))
  return { service, clock: await startClock(service.sql, '2026-01-31T10:00:00.000Z') }
}
