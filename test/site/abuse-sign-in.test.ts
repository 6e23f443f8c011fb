/**
 * Thousands of guesses of passwords: what they find out, what they cost, and who notices. `.ci/long models`
 * makes ten thousand of them.
 */
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { WRONG_PASSWORDS } from '../../src/people/users/password-check.ts'
import { fixtures } from '../helpers/fixtures.ts'
import { postgresService, type TestService } from '../helpers/service.ts'
import { APART_MS } from '../people/users/fixtures.ts'
import { csrfIn, PASSWORD, startTown, type Town } from './visitor.ts'

const ATTEMPTS = Number(process.env.SIGN_IN_ATTEMPTS ?? 1_000)
/** Sent at once: more than may wait in line on two accounts. */
const AT_ONCE = 60

let service: TestService
let town: Town

beforeAll(async () => {
  service = await postgresService(fixtures)
  town = await startTown(service)
})
afterAll(() => service.stop())

interface Attempt {
  email: string
  address: string
}

test(`${ATTEMPTS} attempts: slowed per account and limited per address, alike for known and unknown, while others and the owner go on`, async () => {
  const victim = await town.person('Victoria')
  const [browsing, elsewhere] = [await town.person('Olga'), await town.person('Emma')]
  const caller = await service.account({ tier: 'pro', credits: 100_000 })
  const own = { email: victim.email, password: PASSWORD }
  const known = town.visitor()
  expect((await known.submit('/sign-in', own)).status).toBe(303)

  const unknown = 'nobody@example.com'
  /** How often the others did all that they do. */
  let went = 0
  let isWatched = true
  /** They go on until the others have, too. */
  function* attempts(): Generator<Attempt> {
    for (let number = 0; number < ATTEMPTS || (isWatched && went <= 10); number++) {
      const host = `${Math.floor(number / 62_500) + 9}.${Math.floor(number / 250) % 250}.${number % 250}`
      if (number % 5 === 4) yield { email: `guess-${number}@example.com`, address: '198.51.100.1' }
      else yield { email: number % 2 === 0 ? victim.email : unknown, address: `10.${host}` }
    }
  }
  const sent = { [victim.email]: 0, [unknown]: 0, many: 0 }
  const mallory = town.visitor()
  const csrf = csrfIn(await mallory.text('/sign-in'))
  const cookie = [...mallory.cookies].map((pair) => pair.join('=')).join('; ')
  const answers = new Map<string, Map<string, number>>()
  let answered = 0

  async function guess({ email, address }: Attempt) {
    const whose = email.startsWith('guess') ? 'many' : email
    sent[whose] = (sent[whose] ?? 0) + 1
    const response = await town.site.get(
      '/sign-in',
      {
        method: 'POST',
        headers: { cookie, 'content-type': 'application/x-www-form-urlencoded' },
        body: new URLSearchParams({ csrf, email, password: `guess ${answered}` }).toString(),
      },
      address,
    )
    const text = (await response.text())
      .replaceAll(email, 'X')
      .replace(/name="csrf" value="[^"]+"/, '')
    const headers = [...response.headers]
      .filter(([name]) => !['content-length', 'etag'].includes(name))
      .map(([name, value]) => (name === 'retry-after' ? [name] : [name, value]))
    const seen = answers.get(whose) ?? new Map()
    const answer = JSON.stringify([response.status, headers, text.replace(/Wait \d+ min/, 'Wait')])
    answers.set(whose, seen.set(answer, (seen.get(answer) ?? 0) + 1))
    answered++
  }

  async function flood() {
    const queue = attempts()
    await Promise.all(
      Array.from({ length: AT_ONCE }, async () => {
        for (const attempt of queue) await guess(attempt)
      }),
    )
  }
  let isOver = false
  const startedAt = Date.now()
  const flooding = flood().finally(() => {
    isOver = true
  })

  /** Work of everybody else during the attempts. */
  try {
    await everybodyElse()
  } finally {
    isWatched = false
  }
  async function everybodyElse() {
    do {
      expect((await browsing.get('/balance')).status).toBe(200)
      expect((await victim.get('/keys')).status).toBe(200)
      expect((await town.visitor().get('/people')).status).toBe(200)
      if (went < 10) expect((await caller.get('/v1/projects?limit=1')).status).toBe(200)
      if (went < 10) {
        expect((await known.submit('/sign-out', {})).status).toBe(303)
        expect((await known.submit('/sign-in', own)).status).toBe(303)
      }
      if (went === 0) {
        const form = { email: elsewhere.email, password: PASSWORD }
        expect((await town.visitor().submit('/sign-in', form)).status).toBe(303)
      }
      if (!isOver) went++
    } while (!isOver)
  }
  await flooding
  expect(went).toBeGreaterThan(10)

  const [ofKnown, ofUnknown] = [answers.get(victim.email), answers.get(unknown)]
  expect([...(ofKnown ?? [])].map(([answer]) => answer).sort()).toEqual(
    [...(ofUnknown ?? [])].map(([answer]) => answer).sort(),
  )
  const counts = (seen = new Map<string, number>()) => {
    const found: Record<string, number> = {}
    for (const [answer, count] of seen) found[JSON.parse(answer)[0]] = count
    return found
  }
  // A hash for each 422: ten, then one in each span of time. Who found no place in line got a 503.
  const turns = Math.ceil((Date.now() - startedAt) / APART_MS)
  for (const email of [victim.email, unknown]) {
    const { 422: hashed = 0, 503: busy = 0, ...others } = counts(answers.get(email))
    expect(hashed).toBeLessThanOrEqual(WRONG_PASSWORDS.strangers + turns + 2)
    expect([hashed + busy, others]).toEqual([sent[email] ?? 0, {}])
  }
  const { 422: wrong = 0, 429: limited = 0, 503: busy = 0 } = counts(answers.get('many'))
  expect(wrong).toBeLessThanOrEqual(WRONG_PASSWORDS.address)
  expect(wrong + limited + busy).toBe(sent.many)
})
