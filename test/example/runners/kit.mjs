// One test for node:test, vitest and jest, all of them under Node: the real service, through a fault, at the price that it has.
import { deepEqual, equal, rejects, throws } from 'node:assert/strict'
import { fixtures, startDirectory } from 'chainkin/testing'

export const name = 'a reveal whose answer is lost is charged once'

export async function revealIsChargedOnce() {
  const dir = await startDirectory()
  const account = await dir.account({ tier: 'pro', credits: 100 })
  const headers = { authorization: `Bearer ${account.key}`, 'idempotency-key': 'once' }
  const reveal = () =>
    fetch(`${dir.url}/v1/people/${fixtures.people.ada.slug}?include=private`, { headers })
  const fault = dir.fault({ path: '/v1/people/{id}', kind: 'reset-after-charge', count: 1 })
  await rejects(reveal())
  const answer = await reveal()
  const { data } = await answer.json()
  equal(data.person.email, fixtures.people.ada.email)
  equal(await account.balance(), 90)
  equal(fault.hits, 1)
  deepEqual(
    dir.calls().map(({ charged, fault }) => [charged, fault]),
    [
      [10, 'reset-after-charge'],
      [0, null],
    ],
  )

  const before = dir.now()
  await dir.advance('61s')
  equal(dir.now() - before >= 61_000, true)
  throws(() => dir.fault({ kind: 'flood' }), /kind: expected one of/)
  await rejects(dir.account({ tire: 'pro' }), /there is no option tire/)
  dir.outage(60_000)
  equal((await dir.fetch('/v1/me', { headers })).status, 503)
  await dir.reset()
  deepEqual(dir.calls(), [])
  await dir.stop()
}
