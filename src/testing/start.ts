/**
 * The kit for test suites of API clients: the real service in the test's own process, in memory, with
 * accounts to make, a clock to move and failures on demand.
 *
 *     import { expect, test } from 'bun:test'
 *     import { fixtures, startDirectory } from 'chainkin/testing'
 *
 *     test('waits when it has asked too often', async () => {
 *       await using dir = await startDirectory()
 *       const { key } = await dir.account({ tier: 'pro', credits: 1_000 })
 *       const client = new MyClient(dir.url, key)
 *       for (let call = 0; call < 120; call++) await client.me()
 *       await expect(client.me()).rejects.toThrow('rate_limited')
 *       await dir.advance('61s')
 *       const { person } = await client.person(fixtures.people.ada.slug)
 *       expect(person.firstName).toBe('Ada')
 *     })
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
