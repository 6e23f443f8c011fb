/** No form reveals whether an address has an account, neither by its answer nor by its statements before the answer. */
import { afterEach, expect, test } from 'bun:test'
import type { Background } from '../../src/people/users/background.ts'
import { shared, sharedService } from '../helpers/shared.ts'
import { PASSWORD, startTown, type Visitor } from './visitor.ts'

/** Work that waits until a test does it, where `isHeld`. */
const waiting: (() => Promise<void>)[] = []
let isHeld = false
const background: Background = {
  begin: async (work) => {
    if (isHeld) waiting.push(work)
    else await work()
  },
  stop: async () => {},
}

const service = sharedService()
/** Statements of the application, without those of others on the same database. */
let statements = 0
const town = shared(() => {
  const { use } = service.database
  const counting: typeof use = (work, options) => {
    statements++
    return use(work, options)
  }
  const database = { ...service.database, use: counting }
  return startTown({ ...service, database }, { mails: true, background })
})

async function signUp(visitor: Visitor, email: string): Promise<Response> {
  return visitor.submit('/sign-up', { name: 'Ada', email, password: 'some fine password' })
}

afterEach(() => {
  isHeld = false
})

type Ask = (visitor: Visitor, email: string) => Promise<Response>

const asks: [string, Ask][] = [
  ['sign-up', signUp],
  ['the forgotten password', (visitor, email) => visitor.submit('/forgotten', { email })],
  [
    'the change of an address',
    (visitor, email) =>
      visitor.submit('/settings', { action: 'email', email, confirmation: PASSWORD }),
  ],
  ['sign-in', (visitor, email) => visitor.submit('/sign-in', { email, password: 'a wrong one' })],
]

test.each(asks)(
  '%s is answered alike before anything is looked up that tells',
  async (form, ask) => {
    const someone = await town.person()
    // The first page of a session takes one statement more than the next ones.
    await someone.text('/settings')
    /** The answer, and the number of statements before it. */
    async function answerTo(email: string) {
      const visitor = form === 'the change of an address' ? someone : town.visitor()
      const before = statements
      const response = await ask(visitor, email)
      const asked = statements - before
      const text = (await response.text())
        .replaceAll(email, 'X')
        .replace(/"csrf" value="[^"]+"/, '')
      const headers = [...response.headers].filter(([name]) => name !== 'etag')
      return {
        status: response.status,
        headers,
        text,
        asked,
        waiting: waiting.splice(0).length,
      }
    }
    const [known, unknown] = [
      (await town.person()).email,
      `nobody-${crypto.randomUUID()}@example.com`,
    ]
    isHeld = true
    const answer = await answerTo(known)
    expect(answer).toEqual(await answerTo(unknown))
    expect(answer.waiting).toBe(form === 'sign-in' ? 0 : 1)
    expect(answer.asked).toBeGreaterThan(0)
  },
)

test('what a form asked for is done afterwards', async () => {
  const { email: known } = await town.person()
  isHeld = true
  const before = town.letters.length
  await town.visitor().submit('/forgotten', { email: known })
  await signUp(town.visitor(), known)
  expect(town.letters).toHaveLength(before)
  for (const work of waiting.splice(0)) await work()
  expect(town.letters.slice(before).map(({ to, subject }) => [to, subject])).toEqual([
    [known, 'A new password for Chainkin'],
    [known, 'You have an account at Chainkin'],
  ])
})
