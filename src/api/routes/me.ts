/** `GET /v1/me`: the account, its balance, and the price list that bills. Free. */
import type { ResolvedKey } from '../../accounts/key-cache.ts'
import {
  CALL_CREDITS,
  documentedPath,
  ENDPOINTS,
  REVEAL_CREDITS,
} from '../../contract/endpoints.ts'
import { ApiError } from '../../contract/errors.ts'
import { parseQuery } from '../../contract/query.ts'
import { TIER_RULES } from '../../contract/tiers.ts'
import { API_VERSION } from '../../contract/version.ts'
import type { Outcome } from '../../metering/meter.ts'
import { type Prepared, requireScope } from '../call.ts'
import type { ApiServices, Exchange } from '../exchange.ts'
import { jsonResponse } from '../responses.ts'

const NOTE =
  'Each data call costs basicCallCredits. The first reveal of a contact costs privateCallCredits and unlocks it for good; later reads of it cost basicCallCredits. Errors, samples and /v1/me cost nothing.'

const PRICE_LIST = Object.values(ENDPOINTS).map(({ method, path, summary, credits }) => ({
  method,
  path: documentedPath(path),
  summary,
  credits,
}))

export function prepareMe(services: ApiServices, exchange: Exchange, key: ResolvedKey): Prepared {
  let refusal: ApiError | null = null
  try {
    parseQuery({}, exchange.query)
    requireScope(key, 'read:metadata')
  } catch (error) {
    if (!(error instanceof ApiError)) throw error
    refusal = error
  }
  return {
    refusal,
    call: {
      price: 0,
      reveal_price: 0,
      record_exists: true,
      person: null,
      reveal: false,
      contacts: [],
      channels: false,
      identity: true,
    },
    answer: (outcome, { label, prefix, scopes, environment }, context) => {
      const body = identity(
        services,
        key.accountId,
        { label, prefix, scopes, environment },
        outcome,
      )
      return jsonResponse(context, JSON.stringify(body))
    },
  }
}

function identity(
  { baseUrl, appUrl, config }: ApiServices,
  id: string,
  apiKey: Pick<ResolvedKey, 'label' | 'prefix' | 'scopes' | 'environment'>,
  { account, balance, tier }: Outcome,
) {
  const { sampled, unlimited } = TIER_RULES[tier]
  return {
    apiVersion: API_VERSION,
    baseUrl,
    docs: `${appUrl}/docs`,
    endpoints: PRICE_LIST,
    id,
    name: account?.name,
    email: account?.email,
    tier,
    sampleMode: sampled && balance < CALL_CREDITS,
    organization: account?.organization ?? config.serviceName,
    creditsBalance: balance,
    // Only where it is true (D16): every other account has a ceiling.
    ...(unlimited ? { unlimited } : {}),
    apiKey,
    pricing: {
      currency: 'credits',
      basicCallCredits: CALL_CREDITS,
      privateCallCredits: REVEAL_CREDITS,
      note: NOTE,
    },
    meta: { creditsCharged: 0, creditsBalance: balance },
  }
}
