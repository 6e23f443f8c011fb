/**
 * A running service as the suite of the contract sees it: two hosts that answer requests, and the database, in which a
 * test makes accounts and looks at what calls wrote. Made by `in-process.ts`, and by `test/runtime` for each program.
 */
import type { Row } from 'postgres'
import { SCOPES, type Scope } from '../../src/contract/endpoints.ts'
import type { Tier } from '../../src/contract/tiers.ts'
import type { Database } from '../../src/database/client.ts'
import { createAccount } from '../../src/money/accounts/accounts.ts'
import { grantCredits } from '../../src/money/accounts/credits.ts'
import type { KeyLimits } from '../../src/money/accounts/key-limits.ts'
import { createKey } from '../../src/money/accounts/keys.ts'
import { crowd, fixtures } from '../helpers/fixtures.ts'

export interface Sent {
  method?: string
  headers?: Readonly<Record<string, string>>
  /** Sent as it is, with its length. */
  body?: string
}

export interface Received {
  status: number
  /** Names in lower case. */
  headers: Readonly<Record<string, string>>
  /** The body, unpacked where it came compressed. */
  text: string
  /** The body as JSON, where it says that it is. */
  // biome-ignore lint/suspicious/noExplicitAny: tests read answers of many shapes
  body: any
}

/** Where requests of the suite go. */
export interface Hosts {
  apiUrl: string
  appUrl: string
  api(path: string, sent?: Sent): Promise<Received>
  app(path: string, sent?: Sent): Promise<Received>
  database: Database
}

/** Settings of each service that the suite runs against: `from` names the address of a request, and scripts of ORIGIN may read answers. */
export const ORIGIN = 'https://dashboard.example'
export const ENVIRONMENT = {
  TRUSTED_PROXIES: '127.0.0.1, 10.0.0.0/8, 2001:db8:aaaa::/48',
  CORS_ORIGINS: `https://other.example,${ORIGIN}`,
}

/** People of one company beside the fixtures: more than a page holds. */
export const CROWD = 130

export async function fillDirectory(database: Database): Promise<void> {
  await fixtures(database)
  await crowd(database, CROWD)
}

export interface AccountOptions extends KeyLimits {
  tier?: Tier
  credits?: number
  scopes?: readonly Scope[]
  organization?: string
}

export interface Caller {
  id: string
  key: string
  /** A GET with the account's key. */
  get(path: string, headers?: Sent['headers']): Promise<Received>
  head(path: string, headers?: Sent['headers']): Promise<Received>
}

/** Calls of one account within a window of the tier that has the most. */
const READER_CALLS = 250

export class World {
  readonly hosts: Hosts
  #addresses = 0
  #reader: { caller: Caller; calls: number } | undefined

  constructor(hosts: Hosts) {
    this.hosts = hosts
  }

  api(path: string, sent?: Sent): Promise<Received> {
    return this.hosts.api(path, sent)
  }

  app(path: string, sent?: Sent): Promise<Received> {
    return this.hosts.app(path, sent)
  }

  /** An address that no other request came from, as the header of a trusted proxy. */
  fromElsewhere(): { 'x-forwarded-for': string } {
    const number = ++this.#addresses
    return { 'x-forwarded-for': `198.18.${number >> 8}.${number & 255}` }
  }

  /** An account with a key. Its credits never expire. */
  async account({ tier = 'free', credits = 0, scopes = SCOPES, ...more }: AccountOptions = {}) {
    const { database } = this.hosts
    const { organization, ...limits } = more
    const holder = { name: 'Ada', email: 'ada@example.com', tier, organization }
    const id = await createAccount(database, holder)
    if (credits > 0) await grantCredits(database, id, credits, 'topup')
    const { key } = await createKey(database, id, 'test', scopes, limits)
    return this.caller(id, key)
  }

  caller(id: string, key: string): Caller {
    const sent = (method: string) => (path: string, headers?: Sent['headers']) =>
      this.api(path, { method, headers: { authorization: `Bearer ${key}`, ...headers } })
    return { id, key, get: sent('GET'), head: sent('HEAD') }
  }

  /** An account that only reads, with more credits and requests than a test uses up. */
  async reader(): Promise<Caller> {
    if (!this.#reader || this.#reader.calls++ >= READER_CALLS) {
      this.#reader = { caller: await this.account({ tier: 'team', credits: 100_000 }), calls: 1 }
    }
    return this.#reader.caller
  }

  /** A GET by the reader. */
  async get(path: string, headers?: Sent['headers']): Promise<Received> {
    return (await this.reader()).get(path, headers)
  }

  async bodyOf(path: string) {
    return (await this.get(path)).body
  }

  sql(text: TemplateStringsArray, ...values: (string | number)[]): Promise<readonly Row[]> {
    return this.hosts.database.use(({ sql }) => sql(text, ...values))
  }

  async balance({ id }: Caller): Promise<number> {
    const [row] = await this.sql`select balance::integer from accounts where id = ${id}`
    return row?.balance
  }

  /** Movements of credits as `kind credits`, oldest first. */
  async ledger({ id }: Caller): Promise<string[]> {
    const rows = await this.sql`
      select kind, credits from ledger where account_id = ${id} order by sequence`
    return rows.map(({ kind, credits }) => `${kind} ${credits}`)
  }

  async unlocks({ id }: Caller): Promise<string[]> {
    const rows = await this.sql`select person_id from unlocks where account_id = ${id}`
    return rows.map((row) => row.person_id)
  }
}
