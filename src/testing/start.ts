/**
 * The kit for test suites of API clients: the real service in the test's own process, in memory, with
 * accounts to make, a clock to move and failures on demand. `README.md` here has an example.
 */
import { openTestDirectory, type StartOptions, type TestDirectory } from './directory.ts'

export type { AccountOptions, KeyOptions, LedgerEntry, TestAccount } from './account.ts'
export type { StartOptions, TestDirectory } from './directory.ts'
export { fixtures } from './fixtures.ts'

/**
 * Starts a directory.
 * @throws TypeError naming a wrong option and what is allowed; Error naming rows that the import refuses.
 */
export async function startDirectory(options: StartOptions = {}): Promise<TestDirectory> {
  const { directory } = await openTestDirectory(options)
  return directory
}
