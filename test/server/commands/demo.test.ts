/** The demo: what it prints about signing in is true. */
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { connect } from '../../../src/database/client.ts'
import { createPasswords } from '../../../src/people/users/passwords.ts'
import { createUsers } from '../../../src/people/users/users.ts'
import { greetDemo, seedEmpty } from '../../../src/server/commands/demo.ts'
import { type TestDatabase, testDatabase } from '../../helpers/postgres.ts'
import { AT_ONCE, requestWith, sentBack } from '../../people/users/fixtures.ts'

let people: TestDatabase
beforeAll(async () => {
  people = await testDatabase()
})
afterAll(() => people.drop())

/** The time of each pool's statements, in milliseconds. */
const deadlines: (number | undefined)[] = []
const open = {
  pool(connections: number, deadlineMs?: number) {
    deadlines.push(deadlineMs)
    return connect({ url: people.url, connections, deadlineMs })
  },
}

test('The demo: the printed address and password sign in, to the account of the printed key', async () => {
  await seedEmpty(open)
  const lines = await greetDemo(open, { trialCredits: 250 })
  const printed = lines?.({ apiUrl: 'http://api.test', appUrl: 'http://app.test' }) ?? ''
  expect(printed).toContain('http://app.test/sign-in')
  const [, email = '', password = ''] = /^ {2}(\S+@\S+)\n {2}(\S+)$/m.exec(printed) ?? []
  const prefix = /ck_live_\w{6}/.exec(printed)?.[0]

  const sends = { sends: true, send: async () => {} }
  const users = createUsers({
    database: people.database,
    mailer: sends,
    passwords: createPasswords(),
    background: AT_ONCE,
    serviceName: 'Test',
    appUrl: 'http://app.test',
    trialCredits: 0,
  })
  const answer = await users.signIn({ email, password }, requestWith(), '192.0.2.1')
  const session = await users.session(
    requestWith(answer.outcome === 'signed_in' ? sentBack(answer.cookies) : ''),
  )
  const [key] = await people.sql`select account_id from api_keys where prefix = ${prefix ?? ''}`
  expect(session?.account).toMatchObject({ id: key?.account_id, tier: 'free', creditsBalance: 250 })
  const later = await greetDemo(open, { trialCredits: 250 })
  const said = later?.({ apiUrl: 'http://api.test', appUrl: 'http://app.test' }) ?? ''
  expect(said).toContain(`http://app.test/sign-in as ${email}`)
  for (const secret of [password, 'ck_live_']) expect(said).not.toContain(secret)
  // A call's two seconds would end a first start on a busy machine.
  expect(deadlines).toEqual([30_000, 30_000, 30_000])
})
