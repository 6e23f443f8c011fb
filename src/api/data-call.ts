/** A billed call: what it asks the meter for, and its live or sample answer. */
import type { ResolvedKey } from '../accounts/key-cache.ts'
import { ApiError } from '../contract/errors.ts'
import { decode, type Parameters, parseQuery, type Values } from '../contract/query.ts'
import { fill } from '../directory/template.ts'
import type { Outcome } from '../metering/meter.ts'
import { checkIdempotencyKey, type Prepared, requireScope } from './call.ts'
import { type DataEndpoint, missingReading, type Reading } from './endpoint.ts'
import type { ApiServices, Exchange } from './exchange.ts'
import { jsonResponse } from './responses.ts'

/**
 * Gates 5 and 6 and the read.
 * @param rawId the path's last part as it was sent, '' for endpoints without one.
 */
export function prepareDataCall<P extends Parameters>(
  services: ApiServices,
  endpoint: DataEndpoint<P>,
  exchange: Exchange,
  rawId: string,
  key: ResolvedKey,
): Prepared {
  let refusal: ApiError | null = null
  let query: Values<P> | undefined
  let reading = missingReading()
  let asksReveal = false
  try {
    query = parseQuery(endpoint.parameters, exchange.query)
    // Slugs are lower case, and ids mean the same in either.
    const id = decode(rawId.replaceAll('+', '%2B'), 'id').toLowerCase()
    checkIdempotencyKey(exchange)
    requireScope(key, 'read:metadata')
    asksReveal = endpoint.needsContacts?.(query) === true
    if (asksReveal) requireScope(key, 'read:contacts')
    if (exchange.request.method === 'GET') reading = endpoint.read(services.directory, query, id)
  } catch (error) {
    if (!(error instanceof ApiError)) throw error
    refusal = error
  }
  const { credits, revealCredits } = endpoint.price
  return {
    refusal,
    call: {
      price: credits,
      reveal_price: asksReveal ? revealCredits : credits,
      record_exists: reading.found,
      person: reading.person,
      reveal: reading.reveal,
      contacts: reading.contacts,
      channels: reading.channels,
      identity: false,
    },
    answer: (outcome, _, context) =>
      outcome.outcome === 'sample' && query
        ? jsonResponse(context, sampleBody(services, endpoint, query, outcome), {
            'service-sample': 'true',
          })
        : jsonResponse(
            context,
            liveBody(reading, outcome),
            outcome.outcome === 'replayed' ? { 'idempotent-replayed': 'true' } : {},
          ),
  }
}

function liveBody(reading: Reading, outcome: Outcome): string {
  const meta = `{"creditsCharged":${outcome.charged},"creditsBalance":${outcome.balance}}`
  // A reveal bills by itself and says so at the top level as well.
  const billed = reading.reveal
    ? `"creditsCharged":${outcome.charged},"creditsBalance":${outcome.balance},`
    : ''
  const unlocked = new Map(outcome.unlocked?.map((contact) => [contact.id, contact]))
  return `{${fill(reading.body, unlocked, reading.channels)},${billed}"meta":${meta}}`
}

/** D34: the live shape, and what says at every level that it is not live. */
function sampleBody<P extends Parameters>(
  { appUrl, config }: ApiServices,
  endpoint: DataEndpoint<P>,
  query: Values<P>,
  { required, balance }: Outcome,
): string {
  const upgradeUrl = `${appUrl}/credits`
  const looksNothingUp = endpoint.price.path.includes(':')
    ? ' The id or slug of the request was not looked up.'
    : ''
  const notice =
    `NOT REAL DATA: a synthetic sample, because this call costs ${required} credits and the balance is ${balance}.` +
    `${looksNothingUp} Top up by ${required - balance} at ${upgradeUrl} to get live data from ${config.serviceName}.`
  const { members, data, total } = endpoint.sample(query)
  const meta = {
    creditsCharged: 0,
    creditsBalance: balance,
    creditsRequired: required,
    sample: true,
    upgradeUrl,
  }
  return (
    `{"notice":${JSON.stringify(notice)},"sample":true,"data":${data},"total":${total},` +
    `${members === '' ? '' : `${members},`}"meta":${JSON.stringify(meta)}}`
  )
}
