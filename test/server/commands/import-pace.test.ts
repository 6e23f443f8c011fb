/** How fast `import` goes beside a service, and what it says of that. */
import { describe, expect, test } from 'bun:test'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type Environment, get, linesOf, run } from '../../helpers/command.ts'
import { sharedDatabase, sharedDirectory, sharedServer } from '../../helpers/shared.ts'

const t = sharedDatabase()
const directory = sharedDirectory()

const ROWS = 500
const FULL_SPEED = 'Importing at full speed: no service is answering calls'
const SLOWLY = 'Importing slowly so that the running service stays fast; --fast for full speed'

/** Imports companies of names that nobody has yet. @returns what it said of its pace */
async function importing(env: Environment, prefix: string, ...options: string[]) {
  const path = join(directory.path, `${prefix}.csv`)
  const rows = Array.from({ length: ROWS }, (_, i) => `${prefix}:${i},${prefix} ${i},project\n`)
  await writeFile(path, `externalId,name,companyType\n${rows.join('')}`)
  const { code, stderr } = await run(['import', '--companies', path, ...options], { env })
  expect([code, stderr]).toEqual([0, expect.any(String)])
  return linesOf(stderr)
}

/** The transactions by which they were stored. */
const transactions = async (prefix: string) =>
  (
    await t.sql`
      select distinct xmin::text from companies where external_id like ${`${prefix}:%`}`
  ).length

const calling = async (env: Environment, apiUrl: string) => {
  const done = async (...args: string[]) => (await run([...args, '--json'], { env })).json()
  const name = ['--name', 'Ada', '--email', 'ada@example.com', '--tier', 'pro']
  const { id } = await done('account', 'create', ...name, '--credits', '1000')
  const { key } = await done('key', 'create', id, '--label', 'test')
  return async () => expect((await get(`${apiUrl}/v1/projects`, key)).status).toBe(200)
}

describe('import beside a service', () => {
  const onPostgres = () => ({ DATABASE_URL: t.url })
  const server = sharedServer(onPostgres)

  test('goes at full speed where none runs or none is called, and slowly beside calls', async () => {
    expect(await importing(onPostgres(), 'idle')).toEqual([FULL_SPEED])
    expect(await transactions('idle')).toBe(1)

    const call = await calling(onPostgres(), server.apiUrl)
    await call()
    // On a busy machine it may take so long that the call no longer counts.
    expect((await importing(onPostgres(), 'called'))[0]).toBe(SLOWLY)
    expect(await transactions('called')).toBeGreaterThan(1)

    const fast = await importing(onPostgres(), 'fast', '--fast')
    expect(fast).toEqual(['Importing at full speed, also beside calls (--fast)'])
    expect(await transactions('fast')).toBe(1)
  })

  test('a dry run says the same of its own pace, and --json leaves it out', async () => {
    await t.sql`update accounts set rate_started_at = null`
    const [said] = await importing(onPostgres(), 'dry', '--dry-run')
    expect(said).toBe('Checking at full speed: no service is answering calls')
    expect(await importing(onPostgres(), 'json', '--json')).toEqual([])
  })
})

describe('import into the embedded database', () => {
  const embedded = () => ({ DATA_DIR: join(directory.path, 'data') })

  test('without a service goes at full speed', async () => {
    expect(await importing(embedded(), 'alone')).toEqual([
      'Importing at full speed: no service is running',
    ])
  })

  describe('that a service runs', () => {
    const server = sharedServer(embedded)

    test('goes at full speed until the service is called', async () => {
      expect(await importing(embedded(), 'idle')).toEqual([FULL_SPEED])
      const call = await calling(embedded(), server.apiUrl)
      await call()
      expect((await importing(embedded(), 'called'))[0]).toBe(SLOWLY)
    })
  })
})
