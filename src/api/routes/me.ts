/** `GET /v1/me`: the account, its balance, and the price list that bills. Free. */
import {
  CALL_CREDITS,
  documentedPath,
  ENDPOINTS,
  REVEAL_CREDITS,
} from '../../contract/endpoints.ts'
import { TIER_RULES } from '../../contract/tiers.ts'
import { API_VERSION } from '../../contract/version.ts'
import { apiEndpoint, NO_RECORDS } from './endpoint.ts'

const NOTE =
  'Each data call costs basicCallCredits. The first reveal of a contact costs privateCallCredits and unlocks it for good; later reads of it cost basicCallCredits. Refused calls, samples and /v1/me cost nothing.'

const PRICE_LIST = Object.values(ENDPOINTS).map(({ method, path, summary, credits }) => {
  return { method, path: documentedPath(path), summary, credits }
})

export const readAccount = apiEndpoint(ENDPOINTS.me, {
  // The account is in the meter's answer, with the balance of the same committed row.
  read: () => NO_RECORDS,
  describeAccount({ baseUrl, appUrl, config }, key, { account, balance, tier, keyCap }) {
    const { label, prefix, scopes, environment, expiresAt, networks } = key
    const { sampled, unlimited } = TIER_RULES[tier]
    return {
      apiVersion: API_VERSION,
      baseUrl,
      docs: `${appUrl}/docs`,
      endpoints: PRICE_LIST,
      id: key.accountId,
      name: account?.name,
      email: account?.email,
      tier,
      sampleMode: sampled && balance < CALL_CREDITS,
      organization: account?.organization ?? config.serviceName,
      creditsBalance: balance,
      // Only where it is true: every other account has a ceiling.
      ...(unlimited ? { unlimited } : {}),
      apiKey: {
        label,
        prefix,
        scopes,
        environment,
        // Of a key that has such limits.
        ...(expiresAt && { expiresAt }),
        ...(keyCap && { cap: keyCap }),
        ...(networks && { networks }),
      },
      pricing: {
        currency: 'credits',
        basicCallCredits: CALL_CREDITS,
        privateCallCredits: REVEAL_CREDITS,
        note: NOTE,
      },
      meta: { creditsCharged: 0, creditsBalance: balance },
    }
  },
})
