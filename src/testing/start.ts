/**
 * The kit for test suites of API clients: the real service in the test's own process, in memory, with
 * accounts to make, a clock to move and failures on demand. `README.md` here has an example.
 */
import { openTestDirectory } from './directory.ts'
import type { StartOptions, TestDirectory } from './test-directory.ts'

export type {
  AccountHandle,
  AccountOptions,
  AccountState,
  LedgerEntry,
  PlanOptions,
  TestAccount,
} from './account.ts'
export type { Fault, FaultKind, FaultOptions, FaultStatus } from './faults.ts'
export { fixtures } from './fixtures.ts'
export type { CallFilter, SeenCall } from './journal.ts'
export type { KeyOptions } from './keys.ts'
export type { StartOptions, TestDirectory } from './test-directory.ts'
export type { TestUser, UserOptions } from './users.ts'

/**
 * Starts a directory.
 * @throws TypeError naming a wrong option and what is allowed; Error naming rows that the import refuses.
 */
export async function startDirectory(options: StartOptions = {}): Promise<TestDirectory> {
  const { directory } = await openTestDirectory(options, { isReusable: true })
  return directory
}
