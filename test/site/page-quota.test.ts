/** Signed in, an account may read so many pages of the directory. */
import { expect, test } from 'bun:test'
import { countPage } from '../../src/people/users/rate-limiter.ts'
import { fixtures } from '../helpers/fixtures.ts'
import { textIn } from './reading.ts'
import { sharedTown, startTown } from './visitor.ts'

const { service, town } = sharedTown(fixtures)

test('of 100 pages at once, on two instances, an account gets 60', async () => {
  const someone = await town.person()
  const other = await startTown(service)
  const answers = await Promise.all(
    Array.from({ length: 100 }, (_, i) => {
      const headers = { cookie: [...someone.cookies].map((pair) => pair.join('=')).join('; ') }
      return (i % 2 ? town : other).site.get(`/people?page=${i}`, { headers })
    }),
  )
  expect(answers.filter(({ status }) => status === 200)).toHaveLength(60)
  const refused = answers.find(({ status }) => status === 429)
  expect(Number(refused?.headers.get('retry-after'))).toBeWithin(1, 61)
  expect(textIn((await refused?.text()) ?? '')).toContain('export a list or use the API')
  expect((await someone.get('/balance')).status).toBe(200)
  expect((await (await town.person()).get('/people')).status).toBe(200)
})

test('lines of bulk searches are kept no more often than pages are read', async () => {
  const someone = await town.customer(0, 'pro')
  const few = await startTown(service, { environment: { PAGES_PER_MINUTE: '4' } })
  const headers = { cookie: [...someone.cookies].map((pair) => pair.join('=')).join('; ') }
  const get = () => few.site.get('/bulk-search', { headers })
  const statuses = await Promise.all(Array.from({ length: 6 }, async () => (await get()).status))
  expect(statuses.toSorted()).toEqual([200, 200, 200, 200, 429, 429])
  const form = await someone.submit('/bulk-search', { lines: 'ada' })
  expect(form.status).toBe(303)
  const body = new URLSearchParams({ lines: 'ada' })
  expect((await few.site.get('/bulk-search', { method: 'POST', headers, body })).status).toBe(429)
})

test('suggestions are counted apart from pages, six times as many, and refused beyond', async () => {
  const someone = await town.person()
  const few = await startTown(service, { environment: { PAGES_PER_MINUTE: '2' } })
  const headers = { cookie: [...someone.cookies].map((pair) => pair.join('=')).join('; ') }
  const get = (path: string) => few.site.get(path, { headers })
  const answers = await Promise.all(
    Array.from({ length: 14 }, (_, n) => get(`/search/suggestions?q=ada${n}`)),
  )
  expect(answers.map(({ status }) => status).filter((status) => status === 200)).toHaveLength(12)
  expect((await get('/people')).status).toBe(200)
  const [first] = answers
  expect(first?.headers.get('cache-control')).toBe('private, max-age=60')
  const refused = answers.find(({ status }) => status === 429)
  expect(refused?.headers.get('cache-control')).toBe('no-store')
})

test('the day has a limit too, and a workspace has five times as much', async () => {
  const quota = { perMinute: 1_000, perDay: 2 }
  const read = async (times: number, account: Parameters<typeof countPage>[2]) => {
    const waits: number[] = []
    for (let count = 0; count < times; count++)
      waits.push(await countPage(service.database, quota, account))
    return waits.filter((seconds) => seconds === 0).length
  }
  expect(await read(12, { id: crypto.randomUUID(), tier: 'free' })).toBe(2)
  expect(await read(12, { id: crypto.randomUUID(), tier: 'team' })).toBe(10)
})
