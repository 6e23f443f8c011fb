/** D106: signed in, an account may read so many pages of the directory. */
import { expect, test } from 'bun:test'
import { countPage } from '../../src/users/page-quota.ts'
import { fixtures } from '../helpers/fixtures.ts'
import { textIn } from './reading.ts'
import { sharedTown, startTown } from './visitor.ts'

const { service, town } = sharedTown(fixtures)

test('D106: of 100 pages at once, on two instances, an account gets 60', async () => {
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

test('D106: the day has a limit too, and a workspace has five times as much', async () => {
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
