/** Visitors of the application host, each with cookies like a browser. */

import { readConfig } from '../../src/config.ts'
import type { ConsoleServices } from '../../src/console/acts/services.ts'
import type { Tier } from '../../src/contract/tiers.ts'
import { silentLog } from '../../src/log.ts'
import { setAccount } from '../../src/money/accounts/accounts.ts'
import { grantCredits } from '../../src/money/accounts/credits.ts'
import { createPrivacy } from '../../src/people/privacy/requests.ts'
import type { Background } from '../../src/people/users/background.ts'
import type { Mail } from '../../src/people/users/mail.ts'
import type { Mailer } from '../../src/people/users/mail-queue.ts'
import { beginSignIn } from '../../src/people/users/second-factor-store.ts'
import { newToken } from '../../src/people/users/tokens.ts'
import { createUsers, type Users } from '../../src/people/users/users.ts'
import type { Application } from '../../src/site/http/application.ts'
import type { postgresService, TestService } from '../helpers/service.ts'
import { shared, sharedPostgresService, sharedService } from '../helpers/shared.ts'
import { expectBooksToBalance } from '../money/charge/fixtures.ts'
import { AT_ONCE, PASSWORD, passwords } from '../people/users/fixtures.ts'
import { formIn } from './reading.ts'
import { SITE, type TestSite, testSite } from './site.ts'

export { PASSWORD } from '../people/users/fixtures.ts'

export interface Visitor {
  cookies: Map<string, string>
  get(path: string): Promise<Response>
  text(path: string): Promise<string>
  /** Loads a page, fills in its form and sends it, as its own page would. @param page where the form is */
  submit(
    page: string,
    fields: Record<string, string | readonly string[]>,
    action?: string,
  ): Promise<Response>
  /** Sends a form as it is; `FormData` as multipart. */
  post(
    path: string,
    form: URLSearchParams | FormData | [string, string][],
    headers?: Record<string, string>,
  ): Promise<Response>
}

export interface Town {
  site: TestSite
  users: Users
  letters: Mail[]
  /** @param address of the client; by default each request has another */
  visitor(address?: string): Visitor
  /** A user with an account, signed in. */
  person(name?: string): Promise<Person>
  /** The same on a tier, with a top-up. */
  customer(credits: number, tier: Tier): Promise<Person>
  /** The owner of a workspace and a member who acts for it. */
  workspace(credits?: number): Promise<[owner: Person, member: Person]>
}

export interface Person extends Visitor {
  email: string
  accountId: string
  userId: string
}

/** The service over the kit's database and its visitors, started before the tests of a file. */
export function sharedTown(...options: Parameters<typeof sharedService>): {
  service: TestService
  town: Town
} {
  const service = sharedService(...options)
  return { service, town: shared(() => startTown(service)) }
}

interface TownOptions {
  /** Sends links by mail. */
  mails?: boolean
  /** Credits of a new account. */
  trialCredits?: number
  /** Settings of the operator. */
  environment?: Record<string, string>
  /** Test doubles for parts of the application. */
  application?: Partial<Application>
  console?: Partial<ConsoleServices>
  /** Runs deferred work of forms; at once by default. */
  background?: Background
}

/**
 * The same over a real PostgreSQL. After the tests the ledgers must add up to the balances.
 * @param options called once the service has started
 */
export function sharedPostgresTown(
  fill?: Parameters<typeof postgresService>[0],
  options: (service: TestService) => TownOptions = () => ({}),
): { service: TestService; town: Town } {
  const service = sharedPostgresService(fill)
  const town = shared(
    () => startTown(service, options(service)),
    () => expectBooksToBalance(service.sql),
  )
  return { service, town }
}

/** The application host, with cheap password hashes. */
export async function startTown(
  service: Pick<TestService, 'database' | 'directory' | 'sql'>,
  {
    mails = false,
    trialCredits = 250,
    environment = {},
    application = {},
    console = {},
    background = AT_ONCE,
  }: TownOptions = {},
): Promise<Town> {
  const { database } = service
  const letters: Mail[] = []
  const mailer: Mailer = {
    sends: mails,
    send: async (mail) => {
      letters.push(mail)
    },
  }
  const { serviceName, appUrl } = SITE
  const shared = { database, background, mailer, serviceName, appUrl }
  const users = createUsers({ ...shared, passwords, trialCredits })
  const privacy = createPrivacy({
    ...shared,
    ...readConfig(environment).privacy,
    log: silentLog,
  })
  const site = await testSite(service, {
    application: { users, privacy, ...application },
    console,
    environment,
  })
  let last = 0

  function visitor(address?: string): Visitor {
    const cookies = new Map<string, string>()
    async function ask(path: string, init: RequestInit = {}): Promise<Response> {
      const headers = new Headers(init.headers)
      const cookie = [...cookies].map((pair) => pair.join('=')).join('; ')
      if (cookie) headers.set('cookie', cookie)
      const response = await site.get(path, { ...init, headers }, address)
      for (const set of response.headers.getSetCookie()) {
        const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(set) ?? []
        if (value === '') cookies.delete(name)
        else cookies.set(name, value)
      }
      return response
    }
    const post: Visitor['post'] = (path, form, headers = {}) =>
      ask(path, {
        method: 'POST',
        body: form instanceof FormData ? form : new URLSearchParams(form),
        headers: {
          origin: SITE.appUrl,
          'sec-fetch-site': 'same-origin',
          ...headers,
        },
      })
    const text = async (path: string) => (await ask(path)).text()
    const submit: Visitor['submit'] = async (page, fields, action = page.split('?')[0]) => {
      const form = new URLSearchParams([['csrf', csrfIn(await text(page))]])
      for (const [name, value] of Object.entries(fields)) {
        for (const each of [value].flat()) form.append(name, each)
      }
      return post(action ?? page, form)
    }
    return { cookies, get: ask, text, post, submit }
  }

  async function person(name = 'Ada'): Promise<Person> {
    const email = `person-${++last}@example.com`
    await users.signUp({ name, email, password: PASSWORD }, `192.0.2.${last}`)
    const [row] = await service.sql`
        update users set email_verified_at = now() where email = ${email} returning id, password`
    const [member] = await service.sql`
        select account_id from members where user_id = ${row?.id}`
    const someone = visitor()
    const { token } = newToken()
    await beginSignIn(database, row?.id, row?.password, token)
    someone.cookies.set('__Host-ck_session', token)
    return { ...someone, email, userId: row?.id, accountId: member?.account_id }
  }

  async function customer(credits: number, tier: Tier): Promise<Person> {
    const someone = await person()
    await setAccount(database, someone.accountId, { tier })
    if (credits > 0) await grantCredits(database, someone.accountId, credits, 'topup')
    return someone
  }

  async function workspace(credits = 100): Promise<[Person, Person]> {
    const [owner, member] = [await customer(credits, 'team'), await person('Ben')]
    await service.sql`
      insert into members (account_id, user_id, role, joined_at)
      values (${owner.accountId}, ${member.userId}, 'member', now())`
    await service.sql`update sessions set account_id = ${owner.accountId} where user_id = ${member.userId}`
    return [owner, member]
  }

  return { site, users, letters, visitor, person, customer, workspace }
}

/** CSRF token of a page's forms. */
export function csrfIn(html: string): string {
  return /name="csrf" value="([^"]+)"/.exec(html)?.[1] ?? ''
}

/** Credits charged to the person's account so far. */
export async function chargedTo(
  { sql }: Pick<TestService, 'sql'>,
  { accountId }: Person,
): Promise<number> {
  const [row] = await sql<{ credits: number }[]>`
    select coalesce(-sum(credits), 0)::integer as credits from ledger
     where account_id = ${accountId} and kind = 'charge'`
  return row?.credits ?? 0
}

/** Loads a page and returns its form that is posted to the same path, as a browser would send it. */
export async function loadForm(person: Person, path: string): Promise<URLSearchParams> {
  const form = formIn(await person.text(path), path)
  if (!form) throw new Error(`${path} has no form`)
  return form
}
