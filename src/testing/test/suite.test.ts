/**
 * A client author's suite, on `node:test`, which Bun and Deno both run: `bun test` as every other file
 * here, `deno test` by `leaves-nothing.test.ts`.
 */
import { deepEqual, equal } from 'node:assert/strict'
import { test } from 'node:test'
import { fixtures, startDirectory } from '../start.ts'

test('a suite of its own directory, over sockets', async () => {
  await using dir = await startDirectory()
  const { key, balance } = await dir.account({ tier: 'pro', credits: 15 })
  const path = `/v1/people/${fixtures.people.ada.slug}?include=private`
  const answer = await fetch(dir.url + path, { headers: { authorization: `Bearer ${key}` } })
  const { data } = await answer.json()
  equal(data.person.email, fixtures.people.ada.email)
  equal(await balance(), 5)
})

test('several at once, without ports', async () => {
  const statuses = await Promise.all(
    ['free', 'pro'].map(async (tier) => {
      await using dir = await startDirectory({ listen: false })
      const { key } = await dir.account({ tier: tier as 'free' | 'pro' })
      const headers = { authorization: `Bearer ${key}` }
      const answer = await dir.fetch('/v1/people', { headers })
      await answer.text()
      dir.outage(60_000)
      const during = await dir.fetch('/v1/people', { headers })
      await during.text()
      await dir.advance('60s')
      const after = await dir.fetch('/v1/me', { headers })
      await after.text()
      return [answer.status, during.status, after.status]
    }),
  )
  deepEqual(statuses, [
    [200, 503, 200],
    [402, 503, 200],
  ])
})
