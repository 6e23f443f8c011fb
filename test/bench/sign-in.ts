/**
 * `bun run bench:signin [--tries N] [--seconds S]`
 *
 * 1 and 2: a real server over HTTP, with passwords hashed in earnest. 3: the application in this process with cheap
 * hashes, which hide less of what differs beside them. All on a PostgreSQL and a mail server that this starts, each
 * visitor from an address of their own. `--seconds 0` leaves out 1 and 2, `--tries 0` 3.
 *
 * 1. 70 strangers guess one account's password for S seconds. How long its owner takes to sign in meanwhile: by a
 *    browser that the account knows, and by a new one. The target is 3 s.
 * 2. 70 strangers guess on any accounts while 100 people sign in by known browsers and 100 by new ones. The target is
 *    that all of them do.
 * 3. N tries of each form with addresses that have an account and N with others: the area under the curve (AUC) of the
 *    times. 0.5 tells nothing, 1 tells all; the target is 0.6.
 */
import { parseArgs } from 'node:util'
import { readConfig } from '../../src/config.ts'
import { connect } from '../../src/database/client.ts'
import { openDirectory } from '../../src/directory/records/open.ts'
import { createLog } from '../../src/log.ts'
import { createMeter } from '../../src/money/charge/meter.ts'
import { createBackground } from '../../src/people/users/background.ts'
import { openMailServer } from '../../src/people/users/mail.ts'
import { createMailQueue } from '../../src/people/users/mail-queue.ts'
import { OWN_PLACE } from '../../src/people/users/password-queue.ts'
import { createPasswords, type Passwords } from '../../src/people/users/passwords.ts'
import { insertUser } from '../../src/people/users/repository.ts'
import { createUsers } from '../../src/people/users/users.ts'
import { incoming } from '../../src/runtime.ts'
import { openApplication } from '../../src/site/http/application.ts'
import { createSite } from '../../src/site/site.ts'
import { serve } from '../helpers/command.ts'

import { listenForMail } from '../helpers/smtp.ts'

import { benchDatabase } from './bench-database.ts'
import { median } from './medians.ts'

const { values: options } = parseArgs({
  options: {
    tries: { type: 'string', default: '200' },
    seconds: { type: 'string', default: '20' },
  },
})
const TRIES = Number(options.tries)
const ATTACK_MS = Number(options.seconds) * 1_000
const STRANGERS = 70
const PEOPLE = 100
/** Guesses after which a stranger takes another address: fewer than an address may be wrong. */
const GUESSES_PER_ADDRESS = 25
/** People who sign in at once. */
const AT_ONCE = 10
const PASSWORD = 'correct horse battery'

const bench = await benchDatabase(50, 20)
const database = connect({ url: bench.url, connections: 4 })
const smtp = await listenForMail()
const mail = { SMTP_URL: smtp.url, MAIL_FROM: 'mail@example.com' }
let lastAddress = 0
/** How browsers reach what is measured. */
let send: (path: string, init: RequestInit, address: string) => Promise<Response>

try {
  if (ATTACK_MS > 0) await measureAttacks()
  if (TRIES > 0) await measureTimes()
} finally {
  smtp.stop()
  await database.close()
  await bench.close()
}

async function measureAttacks() {
  const people = await makeUsers(createPasswords(), PEOPLE)
  const server = await serve({
    DATABASE_URL: bench.url,
    TRUSTED_PROXIES: '127.0.0.1',
    LOG_LEVEL: 'error',
    ...mail,
  })
  send = (path, init, address) =>
    fetch(server.appUrl + path, {
      ...init,
      headers: { ...init.headers, 'x-forwarded-for': address },
      redirect: 'manual',
    })
  await ownerDuringAttack(people[0] ?? '')
  await peopleDuringAttack(people)
  await server.stop()
}

async function measureTimes() {
  const passwords = createPasswords({ settings: { cost: 2 ** 11, block: 8, parallel: 1 } })
  const log = createLog('error')
  const config = readConfig(mail)
  const site = { serviceName: 'Chainkin', baseUrl: 'http://api.test', appUrl: 'http://app.test' }
  const directory = await openDirectory(database, { log, snapshot: undefined })
  const meter = createMeter(database)
  const opened = await openApplication(config, { database, meter, appUrl: site.appUrl, log })
  const mailer = createMailQueue(database, await openMailServer(config), log)
  const background = createBackground(log)
  const users = createUsers({ ...site, database, mailer, passwords, background, trialCredits: 250 })
  const application = { ...opened, users }
  const callApi = async () => Response.error()
  const readiness = async () => ({ status: 'ready' as const, reasons: [] })
  const web = createSite(
    { ...site, openapi: {}, directory, application, callApi, readiness, log },
    [],
  )
  send = (path, init, address) => web(incoming(new Request(site.appUrl + path, init), address))
  const [member = '', ...known] = await makeUsers(passwords, TRIES + 1)
  await timesTell(member, known)
  await background.stop()
  await mailer.stop()
  await opened.stop()
  await directory.stop()
}

/** Users with confirmed addresses and one password. @returns the addresses */
async function makeUsers(passwords: Passwords, count: number): Promise<string[]> {
  const password = await passwords.hash(PASSWORD, OWN_PLACE)
  const group = ++lastAddress
  const emails = Array.from({ length: count }, (_, number) => `p-${group}-${number}@example.com`)
  for (const email of emails) {
    await insertUser(database, { email, name: 'Ada', password, trialCredits: 0 })
  }
  await bench.sql`update users set email_verified_at = now()`
  return emails
}

/** A browser with cookies of its own. */
function newBrowser(address = newAddress(), cookies = new Map<string, string>()): Browser {
  async function ask(path: string, init: RequestInit = {}) {
    const cookie = [...cookies].map((pair) => pair.join('=')).join('; ')
    const response = await send(path, { ...init, headers: { ...init.headers, cookie } }, address)
    for (const set of response.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(set) ?? []
      if (value === '') cookies.delete(name)
      else cookies.set(name, value)
    }
    return { status: response.status, text: await response.text() }
  }
  async function form(path: string) {
    const page = await ask(path)
    const csrf = /name="csrf" value="([^"]+)"/.exec(page.text)?.[1] ?? ''
    return async (fields: Record<string, string>): Promise<Answer> => {
      const startedAt = performance.now()
      const { status } = await ask(path, {
        method: 'POST',
        body: new URLSearchParams({ csrf, ...fields }).toString(),
        headers: { 'content-type': 'application/x-www-form-urlencoded' },
      })
      return { status, ms: performance.now() - startedAt }
    }
  }
  const submit: Browser['submit'] = async (path, fields) => (await form(path))(fields)
  const signIn = (email: string, password = PASSWORD) => submit('/sign-in', { email, password })
  /** The same browser at another address. */
  const from = (next: string): Browser => newBrowser(next, cookies)
  return { form, submit, signIn, signOut: () => submit('/sign-out', {}), from }
}

interface Browser {
  /** Loads a page's form. @returns what sends it, with its status and its time in milliseconds */
  form(path: string): Promise<(fields: Record<string, string>) => Promise<Answer>>
  submit(path: string, fields: Record<string, string>): Promise<Answer>
  signIn(email: string, password?: string): Promise<Answer>
  signOut(): Promise<Answer>
  from(address: string): Browser
}

function newAddress(): string {
  lastAddress++
  return `10.${Math.floor(lastAddress / 62_500)}.${Math.floor(lastAddress / 250) % 250}.${(lastAddress % 250) + 1}`
}

async function knownBrowser(email: string): Promise<Browser> {
  const browser = newBrowser()
  await browser.signIn(email)
  await browser.signOut()
  return browser
}

interface Attack {
  /** Whom the next guess is on. */
  target: () => string
  /** How many guesses a stranger makes from one address. */
  guesses: number
}

/** Strangers guess until `work` is done. @returns the answers to them, by status */
async function underAttack({ target, guesses }: Attack, work: () => Promise<void>) {
  let isOver = false
  const answers: Record<string, number> = {}
  const strangers = Array.from({ length: STRANGERS }, async () => {
    while (!isOver) {
      const browser = newBrowser()
      const guess = await browser.form('/sign-in')
      for (let sent = 0; sent < guesses && !isOver; sent++) {
        const { status } = await guess({ email: target(), password: `guess ${sent} of many` })
        answers[status] = (answers[status] ?? 0) + 1
      }
    }
  })
  await new Promise((resolve) => setTimeout(resolve, 3_000))
  await work()
  isOver = true
  await Promise.all(strangers)
  return JSON.stringify(answers)
}

async function ownerDuringAttack(victim: string) {
  const known = await knownBrowser(victim)
  for (const guesses of [Number.POSITIVE_INFINITY, GUESSES_PER_ADDRESS]) {
    const rows = { 'a known browser': [] as Answer[], 'a new browser': [] as Answer[] }
    const answers = await underAttack({ target: () => victim, guesses }, async () => {
      const until = Date.now() + ATTACK_MS
      while (Date.now() < until) {
        rows['a known browser'].push(await known.signIn(victim))
        await known.signOut()
        // Nothing tells a new browser from strangers who are new each time.
        if (guesses > GUESSES_PER_ADDRESS)
          rows['a new browser'].push(await newBrowser().signIn(victim))
      }
    })
    const from = guesses > GUESSES_PER_ADDRESS ? 'addresses of their own' : 'ever new addresses'
    console.log(`\n1. ${STRANGERS} strangers from ${from} on one account (answered ${answers})`)
    for (const [by, found] of Object.entries(rows))
      if (found.length > 0) console.log(`   by ${by}: ${summary(found)}`)
  }
}

async function peopleDuringAttack(people: readonly string[]) {
  const browsers: Browser[] = []
  for (let first = 0; first < people.length; first += AT_ONCE)
    browsers.push(...(await Promise.all(people.slice(first, first + AT_ONCE).map(knownBrowser))))
  const rows = { 'known browsers': [] as Answer[], 'new browsers': [] as Answer[] }
  let guesses = 0
  const answers = await underAttack(
    { target: () => `anybody-${++guesses}@example.com`, guesses: GUESSES_PER_ADDRESS },
    async () => {
      const queue = people.entries()
      const signIn = async () => {
        for (const [index, email] of queue) {
          const browser = browsers[index]
          if (browser) rows['known browsers'].push(await browser.signIn(email))
          rows['new browsers'].push(await newBrowser().signIn(email))
        }
      }
      await Promise.all(Array.from({ length: AT_ONCE }, signIn))
    },
  )
  console.log(`\n2. ${STRANGERS} strangers on any accounts (answered ${answers})`)
  for (const [by, found] of Object.entries(rows)) console.log(`   by ${by}: ${summary(found)}`)
}

interface Answer {
  status: number
  ms: number
}

function summary(answers: readonly Answer[]): string {
  const signedIn = answers.filter(({ status }) => status === 303).length
  const times = answers.map(({ ms }) => ms).sort((one, other) => one - other)
  const at = (share: number) => Math.round(times[Math.floor(share * (times.length - 1))] ?? 0)
  return `${signedIn} of ${answers.length} signed in, median ${at(0.5)} ms, slowest ${at(1)} ms`
}

/** The forms in turn; known and unknown addresses in an order drawn by lot. */
async function timesTell(memberEmail: string, known: readonly string[]) {
  const member = newBrowser()
  await member.signIn(memberEmail)
  const forms: Record<string, (email: string) => Promise<Answer>> = {
    'sign-in': (email) => newBrowser().signIn(email, 'a wrong password'),
    'sign-up': (email) =>
      newBrowser().submit('/sign-up', { name: 'Eve', email, password: PASSWORD }),
    forgotten: (email) => newBrowser().submit('/forgotten', { email }),
    // Ten changes an hour may come from one address.
    'change of address': (email) =>
      member
        .from(newAddress())
        .submit('/settings', { action: 'email', email, confirmation: PASSWORD }),
  }
  console.log(`\n3. Times of ${TRIES} tries each, with and without an account`)
  for (const [name, ask] of Object.entries(forms)) {
    const times: Record<'known' | 'unknown', number[]> = { known: [], unknown: [] }
    const tries = known.flatMap((email, number) => [
      { kind: 'known' as const, email },
      {
        kind: 'unknown' as const,
        email: `nobody-${name.replaceAll(' ', '-')}-${number}@example.com`,
      },
    ])
    const order = tries.map((each) => ({ ...each, lot: Math.random() }))
    const statuses = new Set<number>()
    for (const { kind, email } of order.sort((one, other) => one.lot - other.lot)) {
      const { status, ms } = await ask(email)
      statuses.add(status)
      times[kind].push(ms)
    }
    const found = auc(times.known, times.unknown)
    const medians = [median(times.known), median(times.unknown)].map((ms) => ms.toFixed(1))
    console.log(
      `   ${name}: AUC ${found.toFixed(3)}, medians ${medians.join(' and ')} ms, statuses ${[...statuses]}`,
    )
  }
}

/** How well a time tells the two kinds apart: 0.5 not at all, 1 always. */
function auc(one: readonly number[], other: readonly number[]): number {
  let larger = 0
  for (const a of one) for (const b of other) larger += a > b ? 1 : a === b ? 0.5 : 0
  const share = larger / (one.length * other.length)
  return Math.max(share, 1 - share)
}
