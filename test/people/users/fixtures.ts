/** People of the application on a database of their own, with a clock to set and a mailbox. */
import type { Sql } from 'postgres'
import type { Database } from '../../../src/database/client.ts'
import { createMeter, type Meter } from '../../../src/money/charge/meter.ts'
import type { Background } from '../../../src/people/users/background.ts'
import { createCookies } from '../../../src/people/users/cookies.ts'
import type { Mail } from '../../../src/people/users/mail.ts'
import type { Mailer } from '../../../src/people/users/mail-queue.ts'
import { createPasswords } from '../../../src/people/users/passwords.ts'
import { newRecoveryCodes, newSecret } from '../../../src/people/users/second-factor-codes.ts'
import type { Session } from '../../../src/people/users/sessions.ts'
import { createUsers, type Users } from '../../../src/people/users/users.ts'
import { type Clock, startClock } from '../../helpers/clock.ts'
import { PATIENCE_MS } from '../../helpers/limit.ts'
import { type TestDatabase, testDatabase } from '../../helpers/postgres.ts'
import { shared } from '../../helpers/shared.ts'

export const APP_URL = 'http://app.test'
export const PASSWORD = 'correct horse battery'
/** How far apart strangers’ passwords begin on an account under attack: a twenty-sixth of what it is in earnest. */
export const APART_MS = 50
/** Made as in earnest, at a fraction of the cost. */
export const passwords = createPasswords({
  settings: { cost: 2 ** 11, block: 8, parallel: 1 },
  apartMs: APART_MS,
})

/** Does work at once, and its form is answered afterwards: tests see what came of it. */
export const AT_ONCE: Background = { begin: (work) => work(), stop: async () => {} }

export const START = '2026-01-31T10:00:00.000Z'

export interface People extends TestDatabase {
  clock: Clock
  meter: Meter
  /** Where mails are sent, and where they are not. */
  mailed: Users
  unmailed: Users
  letters: Mail[]
  /** Somebody new who is signed in, each from an address of their own. */
  person(name?: string, referral?: string): Promise<Person>
  /** Signs in from a new address. @returns the cookie as the browser sends it back */
  signIn(email: string, password?: string): Promise<string>
  sessionOf(cookie: string): Promise<Session | undefined>
  newAddress(): string
}

export interface Person {
  email: string
  session: Session
  /** As the browser sends it. */
  cookie: string
}

/** Started before the tests of a file. @param check runs after them. */
export function sharedPeople(check = async (_people: People) => {}): People {
  return shared(startPeople, async (people) => {
    await check(people)
    await people.drop()
  })
}

async function startPeople(): Promise<People> {
  const test = await testDatabase()
  const clock = await startClock(test.sql, START)
  const letters: Mail[] = []
  const mailbox: Mailer = {
    sends: true,
    send: async (mail) => {
      letters.push(mail)
    },
  }
  const nowhere: Mailer = { sends: false, send: async () => {} }
  const shared = {
    database: test.database,
    passwords,
    background: AT_ONCE,
    serviceName: 'Test',
    appUrl: APP_URL,
    trialCredits: 250,
  }
  const unmailed = createUsers({ ...shared, mailer: nowhere })
  let last = 0
  const newAddress = () => `198.51.${Math.floor(++last / 250)}.${last % 250}`

  return {
    ...test,
    clock,
    meter: createMeter(test.database, { maxWaitMs: PATIENCE_MS }),
    mailed: createUsers({ ...shared, mailer: mailbox }),
    unmailed,
    letters,
    newAddress,
    signIn: (email, password = PASSWORD) => signedIn(unmailed, email, password, newAddress()),
    sessionOf: (cookie) => unmailed.session(requestWith(cookie)),
    async person(name = 'Ada', referral) {
      const address = newAddress()
      const email = `${name.toLowerCase()}-${last}@example.com`
      await unmailed.signUp({ name, email, password: PASSWORD, referral }, address)
      const cookie = await signedIn(unmailed, email, PASSWORD, address)
      const session = await unmailed.session(requestWith(cookie))
      if (!session) throw new Error('nobody is signed in')
      return { email, session, cookie }
    },
  }
}

/** Somebody new who is signed in, for a server over this database. @param appUrl as that server has it */
export async function signedInPerson(database: Database, appUrl: string, name: string) {
  const mailer: Mailer = { sends: false, send: async () => {} }
  const shared = { database, passwords, background: AT_ONCE, serviceName: 'Test', trialCredits: 0 }
  const users = createUsers({ ...shared, mailer, appUrl })
  const email = `${name}@example.com`
  await users.signUp({ name, email, password: PASSWORD }, '198.51.100.1')
  const cookie = await signedIn(users, email, PASSWORD, '198.51.100.1')
  const session = await users.session(requestWith(cookie))
  if (!session) throw new Error('nobody is signed in')
  return { email, cookie, userId: session.user.id }
}

/** Turns two-step sign-in on for somebody, at once. @returns the secret of their app, of which no code was used, and their recovery codes */
export async function turnOnTwoSteps(sql: Sql, userId: string) {
  const secret = await newSecret()
  const { codes, hashes } = newRecoveryCodes()
  await sql`
    with factor as (
      insert into second_factors (user_id, secret, session_id, begun_at, on_since)
      values (${userId}, ${secret}, gen_random_uuid(), meter_now(), meter_now()) returning user_id
    )
    insert into recovery_codes select user_id, unnest(string_to_array(${hashes.join()}, ',')) from factor`
  return { secret, codes }
}

/** Signs in and returns the cookie as the browser sends it back. */
export async function signedIn(
  users: Users,
  email: string,
  password: string,
  address: string,
): Promise<string> {
  const answer = await users.signIn({ email, password }, requestWith(), address)
  if (answer.outcome !== 'signed_in') throw new Error(answer.outcome)
  return sentBack(answer.cookies)
}

export function sentBack(cookies: readonly string[]): string {
  return cookies.map((cookie) => cookie.split(';')[0]).join('; ')
}

export function requestWith(cookie?: string, headers: Record<string, string> = {}): Request {
  return new Request(APP_URL, { headers: { ...headers, ...(cookie ? { cookie } : {}) } })
}

/** The session's token in a cookie. */
export function tokenIn(cookie: string): string {
  return createCookies(APP_URL).session(requestWith(cookie)) ?? ''
}

/** The token of the link in the last letter to an address. */
export function linkIn(letters: readonly Mail[], to: string): string {
  const letter = letters.findLast((mail) => mail.to === to)
  return /\?token=([\w-]+)/.exec(letter?.text ?? '')?.[1] ?? ''
}
