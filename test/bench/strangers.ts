/**
 * Strangers who send made-up keys and made-up session cookies, in the process that `made-up.ts` starts and ends. Half of
 * the keys come from one address, the others from many.
 */
import { randomBytes } from 'node:crypto'
import { generateApiKey } from '../../src/money/accounts/api-key.ts'
import type { LoadRequest } from './http-load.ts'
import { type SteadyLoad, startSteadyLoad } from './steady-load.ts'

/** The first message of the parent process. */
export interface Strangers {
  apiUrl: string
  appUrl: string
  /** Made-up keys a second, and as many cookies. */
  perSecond: number
}

/** Different secrets of each kind: none comes again while a server remembers that it is nobody's. */
const SECRETS = 20_000
const ADDRESSES = 200
/** Enough for refusals that are held back. */
const CONNECTIONS = 500

const addressOf = (at: number) =>
  at % 2 === 0 ? '192.0.2.1' : `198.51.100.${1 + (Math.floor(at / 2) % ADDRESSES)}`

const requestsOf = (path: string, headersOf: () => Record<string, string>): LoadRequest[] =>
  Array.from({ length: SECRETS }, (_, at) => ({
    method: 'GET',
    path,
    headers: { 'x-forwarded-for': addressOf(at), ...headersOf() },
  }))

process.once('message', ({ apiUrl, appUrl, perSecond }: Strangers) => {
  const keys = requestsOf('/v1/me', () => ({ authorization: `Bearer ${generateApiKey().key}` }))
  const cookies = requestsOf('/keys', () => ({
    cookie: `ck_session=${randomBytes(32).toString('base64url')}`,
  }))
  const loads: Record<string, SteadyLoad> = {
    'made-up keys': startSteadyLoad(apiUrl, keys, perSecond, CONNECTIONS),
    'made-up cookies': startSteadyLoad(appUrl, cookies, perSecond, CONNECTIONS),
  }
  process.send?.('flood')
  process.once('SIGTERM', async () => {
    for (const [what, load] of Object.entries(loads)) {
      const { asked, p50Ms, p99Ms, statuses } = await load.stop()
      console.log(
        `${asked} ${what}: ${statuses}, p50 ${p50Ms.toFixed(1)}, p99 ${p99Ms.toFixed(1)} ms`,
      )
    }
    process.exit(0)
  })
})
