/** The OpenAPI document's examples: the real API answers them, over sample records and with a scripted meter. */
import { BlockList } from 'node:net'
import {
  CALL_CREDITS,
  ENDPOINTS,
  type EndpointName,
  REVEAL_CREDITS,
  SCOPES,
} from '../contract/endpoints.ts'
import type { ErrorCode } from '../contract/errors.ts'
import type { KeyCap } from '../contract/keys.ts'
import { PLANS, REJECTED_KEYS_LIMIT, TIER_RULES } from '../contract/tiers.ts'
import { DatabaseUnavailable } from '../database/client.ts'
import { silentLog } from '../log.ts'
import type { ResolvedKey } from '../money/accounts/key-cache.ts'
import type { Call, Outcome } from '../money/charge/call.ts'
import type { RejectedAddress } from '../money/charge/rejected-addresses.ts'
import { incoming } from '../runtime.ts'
import { createApi } from './app.ts'
import type { Addresses, Examples } from './openapi/document.ts'
import type { Json } from './openapi/schemas.ts'
import * as samples from './routes/samples.ts'

/** Answers of the scripted meter and of the key cache. By default the charge succeeds. */
interface Scene {
  says?: Partial<Outcome>
  key?: Partial<ResolvedKey> | null
  throws?: Error
  /** True if the address has sent too many keys that don't resolve. */
  tooMany?: boolean
  headers?: Record<string, string>
  method?: string
}

const NOW = Date.UTC(2025, 0, 15, 9, 30)
const personPath = `/v1/people/${ENDPOINTS.person.exampleId}`

const PATHS: Readonly<Record<EndpointName, string>> = {
  me: '/v1/me',
  people: '/v1/people?q=sample&limit=2',
  person: personPath,
  projects: '/v1/projects?q=sample&limit=2',
  project: `/v1/projects/${ENDPOINTS.project.exampleId}`,
  investors: '/v1/investors?limit=2',
  investor: `/v1/investors/${ENDPOINTS.investor.exampleId}`,
  services: '/v1/services?limit=2',
  service: `/v1/services/${ENDPOINTS.service.exampleId}`,
  search: '/v1/search?q=sample&limit=1',
}

const KEY_CAP: KeyCap = {
  credits: 1_000,
  period: 'day',
  spent: 997,
  renewsAt: new Date(Date.UTC(2025, 0, 16)).toISOString(),
}

const ERROR_SCENES: Readonly<Record<ErrorCode, [path: string, scene: Scene]>> = {
  invalid_parameter: ['/v1/projects?sort=newest', {}],
  unknown_parameter: ['/v1/projects?sectr=DeFi', {}],
  missing_parameter: ['/v1/search', {}],
  idempotency_key_reused: ['/v1/people', { says: { outcome: 'key_reused' } }],
  idempotency_key_exhausted: ['/v1/people', { says: { outcome: 'key_exhausted' } }],
  unauthorized: ['/v1/me', { key: null }],
  insufficient_credits: [personPath, { says: { outcome: 'insufficient', balance: 3 } }],
  key_cap_exceeded: ['/v1/people', { says: { outcome: 'key_cap', keyCap: KEY_CAP } }],
  missing_scope: [`${personPath}?include=private`, { key: { scopes: ['read:metadata'] } }],
  address_not_allowed: [personPath, { key: { networks: ['203.0.113.0/24'] } }],
  account_suspended: ['/v1/people', { says: { outcome: 'suspended' } }],
  not_found: ['/v1/projects/no-such-company', { says: { outcome: 'not_found' } }],
  not_live: ['/v1/network', {}],
  method_not_allowed: ['/v1/people', { method: 'POST' }],
  unknown_method: ['/v1/people', { method: 'PURGE' }],
  uri_too_long: [`/v1/projects?q=${'a'.repeat(8 * 1024)}`, {}],
  rate_limited: ['/v1/people', { says: { outcome: 'rate_limited' } }],
  reveal_cap_exceeded: [`${personPath}?include=private`, { says: { outcome: 'reveal_cap' } }],
  too_many_rejected_keys: ['/v1/me', { key: null, tooMany: true }],
  headers_too_large: ['/v1/me', { headers: { 'x-filler': 'a'.repeat(16 * 1024) } }],
  internal_error: ['/v1/people', { throws: new Error('an example') }],
  unavailable: ['/v1/people', { throws: new DatabaseUnavailable('an example') }],
}

/** Collects a live answer and a sample of every endpoint, and every error. */
export async function exampleAnswers(addresses: Addresses): Promise<Examples> {
  const { ask } = exampleApi(addresses)
  const live: Record<string, Json> = {}
  const sample: Record<string, Json> = {}
  const errors: Record<string, Json> = {}
  for (const [name, path] of Object.entries(PATHS)) {
    live[name] = await ask(path, {})
    if (path === PATHS.me) continue
    sample[name] = await ask(path, { says: { outcome: 'sample', tier: 'free', balance: 3 } })
  }
  for (const [code, [path, scene]] of Object.entries(ERROR_SCENES)) {
    errors[code] = await ask(path, scene)
  }
  const reveal = await ask(`${personPath}?include=private`, {
    says: {
      charged: REVEAL_CREDITS,
      required: REVEAL_CREDITS,
      unlocked: [{ id: samples.people[0].id, ...samples.channels }],
    },
  })
  return { live, sample, reveal, errors }
}

/** The API over the sample records. The meter plays one scene at a time, so await each `ask` before the next. */
export function exampleApi({ baseUrl, appUrl, serviceName }: Addresses) {
  let scene: Scene = {}
  const { fetch, routes } = createApi({
    config: { corsOrigins: [], serviceName, trustedProxies: new BlockList() },
    baseUrl,
    appUrl,
    directory: samples.directory,
    log: silentLog,
    keys: {
      resolve: async () => (scene.key === null ? undefined : { ...KEY, ...scene.key }),
      cached: () => undefined,
      revoked() {},
    },
    meter: {
      refused: () => undefined,
      rate: () => undefined,
      async charge(call) {
        if (scene.throws) throw scene.throws
        const refused = call.refusal ? { outcome: 'refused' as const } : {}
        return { ...outcomeOf(call), ...scene.says, ...refused }
      },
      reject: async () => rejected(scene.tooMany === true),
      standing: () => rejected(false),
      forget() {},
    },
  })
  const ask = async (path: string, next: Scene): Promise<Json> => {
    scene = next
    const { method = 'GET', headers } = next
    const sent = { authorization: 'Bearer ck_live_example', 'x-request-id': 'example', ...headers }
    const request = new Request(`${ORIGIN}${path}`, { method, headers: sent })
    const response = await fetch(incoming(request, ADDRESS))
    return response.json() as Promise<Json>
  }
  return { ask, routes }
}

/** An absolute address, which a request needs. Nothing is sent to it. */
const ORIGIN = 'http://api.invalid'
const ADDRESS = '192.0.2.1'

const KEY: ResolvedKey = {
  id: '00000000-0000-4000-8000-000000000101',
  accountId: '00000000-0000-4000-8000-000000000102',
  hash: '',
  label: 'Nightly import',
  prefix: 'ck_live_3fK9',
  scopes: [...SCOPES],
  environment: 'live',
  expiresAt: null,
  networks: null,
}

function outcomeOf({ price, identity }: Call): Outcome {
  const { tier, credits } = PLANS.pro
  const { rateLimit } = TIER_RULES[tier]
  return {
    outcome: identity ? 'free' : 'charged',
    charged: price,
    required: price,
    balance: credits - 3 * CALL_CREDITS,
    tier,
    rateLimit,
    rateRemaining: rateLimit - 3,
    rateResetMs: NOW + 42_000,
    revealResetMs: NOW + 1_260_000,
    keyCap: null,
    nowMs: NOW,
    unlocked: null,
    account: { name: 'Ada Example', email: 'ada@example.com', organization: 'Example Labs' },
  }
}

function rejected(over: boolean): RejectedAddress {
  return {
    over,
    limit: REJECTED_KEYS_LIMIT,
    remaining: over ? 0 : REJECTED_KEYS_LIMIT - 1,
    resetMs: NOW + 42_000,
    nowMs: NOW,
  }
}
