/** A person who was erased, in the memory of two instances on one PostgreSQL that had shown them to everybody. */
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { existsSync } from 'node:fs'
import { readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { erasePerson } from '../../src/intake/editing/data-subject.ts'
import { mergeRecords, setRecord } from '../../src/intake/editing/edit.ts'
import { importRows } from '../../src/intake/import/import.ts'
import { get, PROJECT_ROOT, type Server, serve } from '../helpers/command.ts'
import { ADA, AURORA, fixtures } from '../helpers/fixtures.ts'
import { within } from '../helpers/given-time.ts'
import { sharedDatabase, sharedDirectory } from '../helpers/shared.ts'
import { loadAccounts } from './load.ts'

const db = sharedDatabase(fixtures)
const directory = sharedDirectory()

const MARK = 'tracequux'
const ID = '018934ba-ba80-76bc-b78c-3e360c53aaaa'
const PERSON = {
  id: ID,
  externalId: `ext-${MARK}`,
  slug: `slug-${MARK}`,
  firstName: `First${MARK}`,
  lastName: `Last${MARK}`,
  jobTitle: `Chief ${MARK}`,
  twitterHandle: `x${MARK}`,
  avatarUrl: `https://people.example/${MARK}.png`,
  company: AURORA.slug,
  email: `mail.${MARK}@people.example`,
  telegram: `tg_${MARK}`,
  linkedinUrl: `https://www.linkedin.com/in/li-${MARK}`,
  createdAt: '2020-01-01',
}
const TWIN = {
  ...PERSON,
  id: ADA.id.replace(/.$/, 'f'),
  externalId: `twin-${MARK}`,
  slug: `twin-${MARK}`,
  createdAt: '2024-01-01',
}

const PATHS = [
  `/v1/people/${ID}?include=private`,
  `/v1/people/${PERSON.slug}`,
  `/v1/people/${TWIN.slug}`,
  '/v1/people?limit=50',
  '/v1/people?q=firsttracequux',
  '/v1/search?q=lasttracequux',
  `/v1/projects/${AURORA.slug}`,
]
const PAGES = [
  `/people/${ID}`,
  `/people/${PERSON.slug}`,
  '/people',
  `/projects/${AURORA.slug}`,
  '/search?q=firsttracequux',
]

const servers: Server[] = []
const heapFile = (of: Server) => join(directory.path, `heap-${servers.indexOf(of)}`)
let key: string

beforeAll(async () => {
  for (const number of [0, 1]) {
    const preload = join(import.meta.dirname, 'heap-on-demand.ts')
    const program = [
      process.execPath,
      '--preload',
      preload,
      join(PROJECT_ROOT, 'src/main.ts'),
    ] as const
    const env = {
      DATABASE_URL: db.url,
      LOG_LEVEL: 'debug',
      HEAP_FILE: join(directory.path, `heap-${number}`),
    }
    servers.push(await serve(env, [], { program }))
  }
  const account = (await loadAccounts(db.database, 10)).find(({ tier }) => tier === 'team')
  key = account?.key ?? ''
})
afterAll(() => Promise.all(servers.map((server) => server.stop())))

/** All that the server's heap holds, as text. */
async function heapOf(server: Server): Promise<string> {
  const file = heapFile(server)
  await rm(file, { force: true })
  server.kill('SIGUSR2')
  while (!existsSync(file)) await setTimeout(50)
  return readFile(file, 'utf8')
}

async function ask(): Promise<string> {
  const texts: string[] = []
  for (const { apiUrl, appUrl } of servers) {
    for (const path of PATHS) texts.push((await get(`${apiUrl}${path}`, key)).text)
    for (const path of PAGES) texts.push((await get(`${appUrl}${path}`)).text)
  }
  return texts.join('\n')
}

const statuses = () =>
  Promise.all(
    servers.map(async ({ apiUrl }) => (await get(`${apiUrl}/v1/people/${ID}`, key)).status),
  )

test('nothing of them is in the heap, an answer or the log of any instance', async () => {
  await importRows(db.database, 'people', [PERSON, { ...TWIN, telegram: null }])
  await mergeRecords(db.database, 'person', [ID, TWIN.id], 'olga')
  await setRecord(db.database, 'person', ID, { jobTitle: `Chair ${MARK}` }, 'olga')
  while ((await statuses()).some((status) => status !== 200)) await setTimeout(50)
  expect(await ask()).toContain(PERSON.email)
  for (const server of servers) expect(await heapOf(server)).toContain(MARK)

  await erasePerson(db.database, ID, 'olga')
  await within(2_000, async () => (await statuses()).every((status) => status === 404))
  for (const server of servers) {
    await server.said('directory rebuilt')
    // The next call lets go of answers that were kept, and the runtime of what nothing refers to.
    let traces = [MARK]
    for (let turn = 0; turn < 10 && traces.length > 0; turn++) {
      await get(`${server.apiUrl}/v1/people?limit=5`, key)
      await setTimeout(200)
      const heap = await heapOf(server)
      expect(heap).toContain(AURORA.slug)
      traces = [...heap.matchAll(/.{40}tracequux.{40}/g)].map(([text]) => text)
    }
    expect(traces).toEqual([])
    expect(server.output.stderr + server.output.stdout).not.toContain(MARK)
  }
})
