/** What the files of this folder begin with: a service that ends with the file, and an account that calls it. */
import { afterAll } from 'bun:test'
import { type Clock, startClock } from '../helpers/clock.ts'
import { fixtures } from '../helpers/fixtures.ts'
import {
  type AccountOptions,
  postgresService,
  type TestService,
  testService,
} from '../helpers/service.ts'

function endWithFile(service: TestService): TestService {
  afterAll(() => service.stop())
  return service
}

/** Over the kit's database. */
export async function startApi(account: AccountOptions) {
  const service = endWithFile(await testService(fixtures))
  return { service, caller: await service.account(account) }
}

/** Over a real PostgreSQL, with a clock that the test moves. */
export async function startClockedApi(): Promise<{ service: TestService; clock: Clock }> {
  const service = endWithFile(await postgresService(fixtures))
  return { service, clock: await startClock(service.sql, '2026-01-31T10:00:00.000Z') }
}
