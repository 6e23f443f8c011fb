/** A directory for tests, as the kit returns it. */
import type { AccountHandle, AccountOptions, TestAccount } from './account.ts'
import type { Fault, FaultOptions } from './faults.ts'
import type { CallFilter, SeenCall } from './journal.ts'
import type { TestUser, UserOptions } from './users.ts'

/** Rows by kind, in the form of the import. */
export interface Rows {
  readonly companies?: Iterable<object> | undefined
  readonly people?: Iterable<object> | undefined
  readonly rounds?: Iterable<object> | undefined
}

/**
 * Rows of companies, people and rounds are in the form of the import (README, "Import"), and the real import
 * stores them. With none of the three the directory holds `fixtures`.
 */
export interface StartOptions extends Rows {
  /**
   * Time at which the directory's clock stands still but for `advance` and `setNow`, so that windows and expiries are the same in every
   * run. Defaults to the real time, which flows.
   */
  now?: Date | string
  /** `false` takes no ports: the service is reached by `fetch` of the directory alone. */
  listen?: boolean
  /** Settings of the service by the names of its environment variables, as `CORS_ORIGINS`; nothing is read from the real environment. */
  environment?: Readonly<Record<string, string>>
}

export const START_OPTIONS = [
  'companies',
  'people',
  'rounds',
  'now',
  'listen',
  'environment',
] as const satisfies readonly (keyof StartOptions)[]

export interface TestDirectory extends AsyncDisposable {
  /** The API's address, as `http://127.0.0.1:49152`, without a trailing slash. */
  readonly url: string
  /** The application's address, where the documentation and `/openapi.json` are. */
  readonly appUrl: string
  /**
   * Asks the service without a socket: the API, or the application where the URL is one of `appUrl`. A path
   * is one of the API. Clients that take a `fetch` of their own need no port.
   */
  fetch(input: Request | URL | string, init?: RequestInit): Promise<Response>
  /** Makes an account with a key. */
  account(options?: AccountOptions): Promise<TestAccount>
  /** An account by its id, whoever made it. */
  accountOf(id: string): AccountHandle
  /** Makes somebody who can sign in to the application, with an account of their own. */
  user(options?: UserOptions): Promise<TestUser>
  /** Adds records, or changes those that are there, by the real import; the service shows them when this has ended. */
  records(rows: Rows): Promise<void>
  /** The time of the directory's clock. */
  now(): Date
  /**
   * Moves the directory's clock on: rate and reveal windows end, credits and plans expire, an outage passes.
   * @param duration `'61s'`, `'15m'`, `'12h'` or `'7d'`
   */
  advance(duration: string): Promise<void>
  /** Moves the clock on to this time; it goes on to flow, or to stand still. */
  setNow(time: Date | string): Promise<void>
  /** From now on, for so many milliseconds of real time, the service answers as it does without its database: 503. */
  outage(ms: number): void
  /** From now on each answer of the API takes so many milliseconds longer; 0 ends it. */
  slow(ms: number): void
  /** The next call that would be answered (or so many) gets a 500, charged nothing. Calls that are refused before, as by 401, don't count. */
  failNext(calls?: number): void
  /**
   * From now on calls are hit by a fault: of one path, one account, a share of them, so many.
   * If several match a call, the oldest hits it.
   */
  fault(options: FaultOptions): Fault
  /** Faults that are not over. */
  faults(): readonly Fault[]
  /** The calls of the API that have ended, in the order in which they came: the newest 1,000. */
  calls(filter?: CallFilter): SeenCall[]
  /** Restores the state after the start: no accounts, windows, faults or calls, the first time; the records stay. */
  reset(): Promise<void>
  /** Stops it and frees everything it holds, as the end of an `await using` does. */
  stop(): Promise<void>
}
