/** Keys of a test directory's accounts. */

import { SCOPES, type Scope } from '../contract/endpoints.ts'
import { CAP_PERIODS, type CapPeriod } from '../contract/keys.ts'
import {
  createKey,
  type Database,
  hashApiKey,
  type KeyLimits,
  NETWORKS_EXPECTED,
  networksOf,
  revokeAccountKey,
  scalar,
} from '../embed-testing.ts'
import {
  checkChoice,
  checkCount,
  checkDuration,
  checkNames,
  checkText,
  isText,
  TEXT,
  WrongOption,
  wrong,
} from './options.ts'

export interface KeyOptions {
  /** All of them unless said otherwise. */
  scopes?: readonly Scope[]
  label?: string
  /** After which time it ends: `'90d'`. Never unless given. */
  expires?: string
  /** The most credits that it spends in each day or month of UTC, by the directory's clock. */
  cap?: { credits: number; period: CapPeriod }
  /** Addresses and networks that it may be used from, as `203.0.113.0/24`. A test comes from 127.0.0.1. */
  networks?: readonly string[]
}

export const KEY_OPTIONS = [
  'scopes',
  'label',
  'expires',
  'cap',
  'networks',
] as const satisfies readonly (keyof KeyOptions)[]

/** Makes a key of an account that is there. @returns the key @throws WrongOption @internal */
export async function newKey(
  database: Database,
  account: string,
  options: KeyOptions,
): Promise<string> {
  checkNames('newKey', options, KEY_OPTIONS)
  const { scopes = SCOPES, label = 'test' } = options
  if (!Array.isArray(scopes)) checkChoice('scopes', SCOPES, scopes as never)
  for (const scope of scopes) checkChoice('scopes', SCOPES, scope)
  checkText('label', label, TEXT, isText)
  const { key } = await createKey(database, account, label, scopes, limitsOf(options))
  return key
}

function limitsOf({ expires, cap, networks }: KeyOptions): KeyLimits {
  if (cap !== undefined) {
    checkNames('cap', cap, ['credits', 'period'])
    checkCount('cap.credits', cap.credits, 1)
    checkChoice('cap.period', CAP_PERIODS, cap.period)
  }
  return {
    expiresSeconds: expires === undefined ? undefined : checkDuration('expires', expires),
    cap,
    networks: networks === undefined ? undefined : checkNetworks(networks),
  }
}

function checkNetworks(given: readonly string[]): readonly string[] {
  const isList = Array.isArray(given) && given.every((each) => typeof each === 'string')
  const networks = isList ? networksOf(given.join()) : undefined
  if (!networks) throw wrong('networks', `a list of ${NETWORKS_EXPECTED}`, given)
  return networks
}

/** Ends a key of an account. @throws WrongOption where the account has no such key in force @internal */
export async function revokeKey(database: Database, account: string, key: string): Promise<void> {
  const hash = hashApiKey(checkText('revoke', key, 'a key', isText))
  const id = await database.use(({ sql }) =>
    scalar<string>(sql`select id from api_keys where hash = ${hash}`),
  )
  if (id === null || !(await revokeAccountKey(database, account, id))) {
    throw new WrongOption('revoke: the account has no such key in force')
  }
}
