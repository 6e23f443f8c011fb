/** A session pays what was agreed to and no more, whatever goes wrong meanwhile. */
import { expect, test } from 'bun:test'
import { rejection } from '../../../test/helpers/rejection.ts'
import { shared } from '../../../test/helpers/shared.ts'
import { uuid } from '../../testing/fixtures.ts'
import { fixtures, startDirectory } from '../../testing/start.ts'
import { httpServer, told } from './clients.ts'

const dir = shared(
  () => startDirectory({ listen: false }),
  (started) => started.stop(),
)
const { ada } = fixtures.people

test('a contact that is unlocked already is shown at the price of a read, up to the last credit of the session', async () => {
  await using server = httpServer(dir, { maxCredits: 5 })
  const account = await dir.account({ tier: 'pro', credits: 100 })
  const headers = { authorization: `Bearer ${account.key}` }
  await dir.fetch(`/v1/people/${ada.id}?include=private`, { headers })
  const client = await server.connect(account.key)
  const asked = await told(client, 'reveal_contact', { id: ada.slug })
  expect(asked.body).toMatchObject({ status: 'confirmation_required', credits: 5 })
  const { confirm } = asked.body
  const { body } = await told(client, 'reveal_contact', { id: ada.slug, confirm })
  expect(body).toMatchObject({ status: 'revealed', credits: 5, person: { email: ada.email } })
  expect(await account.balance()).toBe(100 - 10 - 5)
  await client.close()
})

test('a reveal costs no more than was agreed to, also where a channel came on file meanwhile', async () => {
  await using server = httpServer(dir)
  const account = await dir.account({ tier: 'pro', credits: 100 })
  const client = await server.connect(account.key)
  const person = { id: uuid(900), slug: 'nils-nochannel', firstName: 'Nils', lastName: 'Nochannel' }
  await dir.records({ people: [person] })
  const { confirm, credits } = (await told(client, 'reveal_contact', { id: person.id })).body
  expect(credits).toBe(5)
  await dir.records({ people: [{ ...person, email: 'nils@example.com' }] })
  const { text, body } = await told(client, 'reveal_contact', { id: person.id, confirm })
  expect(body).toMatchObject({ credits: 5, person: { isLocked: true, hasEmail: true } })
  expect(text).not.toContain('nils@example.com')
  expect(await account.balance()).toBe(95)
  await client.close()
})

test('a reveal whose answer was lost is charged once, also where somebody is asked anew', async () => {
  let losing = false
  await using server = httpServer(dir, {
    async fetch(url, init) {
      const answer = await dir.fetch(url, init)
      if (!losing || init.method === 'HEAD') return answer
      await answer.text()
      throw new TypeError('the connection broke')
    },
  })
  const account = await dir.account({ tier: 'pro', credits: 100 })
  const questions: string[] = []
  const client = await server.connect(account.key, {
    answers: (message) => {
      questions.push(message)
      return { action: 'accept', content: { reveal: true } }
    },
  })
  losing = true
  const lost = await told(client, 'reveal_contact', { id: ada.id })
  expect(lost.text).toContain('the same call again is charged once at most')
  losing = false
  const { body } = await told(client, 'reveal_contact', { id: ada.id })
  expect(body).toMatchObject({ status: 'revealed', credits: 0, person: { email: ada.email } })
  expect(questions[1]).toContain('It costs 0 credits')
  expect(await account.balance()).toBe(90)
  await client.close()
})

test('a service that gives no quotes is asked for the account, and the question names the most', async () => {
  await using server = httpServer(dir, {
    async fetch(url, init) {
      const answer = await dir.fetch(url, init)
      if (init.method !== 'HEAD') return answer
      return new Response(null, { headers: { 'content-type': 'application/json' } })
    },
  })
  const account = await dir.account({ tier: 'pro', credits: 100 })
  const reading = await account.newKey({ scopes: ['read:metadata'] })
  const [client, theirs] = [await server.connect(account.key), await server.connect(reading)]
  const { body } = await told(client, 'reveal_contact', { id: ada.id })
  expect(body).toMatchObject({ status: 'confirmation_required', credits: 10 })
  const refused = await told(theirs, 'reveal_contact', { id: ada.id })
  expect(refused.text).toContain('missing_scope')
  await Promise.all([client.close(), theirs.close()])
})

test('a session has spent what it has spent, also where its key was refused for a while', async () => {
  let refusing = false
  await using server = httpServer(dir, {
    maxCredits: 5,
    async fetch(url, init) {
      const key = refusing ? 'ck_live_nobody' : init.headers.authorization
      return dir.fetch(url, { ...init, headers: { ...init.headers, authorization: key ?? '' } })
    },
  })
  const account = await dir.account({ tier: 'pro', credits: 100 })
  const client = await server.connect(account.key)
  expect((await told(client, 'search', { q: 'ada' })).isError).toBe(false)
  refusing = true
  await told(client, 'get_balance')
  expect(String(await rejection(told(client, 'get_balance')))).toContain('Send a valid API key')
  refusing = false
  expect((await told(client, 'get_balance')).body.session.creditsSpent).toBe(5)
  expect((await told(client, 'search', { q: 'ada' })).text).toContain('credit_limit_reached')
  await client.close()
})
