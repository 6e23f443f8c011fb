/** Where a service is to stand, and what every printed file says of it. */
import { MOST_FILE_BYTES } from '../../../intake/import/jobs/types.ts'

export interface Place {
  /** The public names, without scheme and port: of the API, and of the application. */
  apiHost: string
  appHost: string
  /** The machines that run an instance, as the proxy reaches them: names or addresses. */
  instances: readonly string[]
}

/** The listeners of an instance. The metrics page is for whoever watches, and no proxy leads to it. */
export const PORTS = { api: 3000, app: 3001, metrics: 9464 }

/**
 * Seconds that an instance gets to stop. It answers on for `DRAIN_SECONDS` (5), gives the calls in hand 10, and closes its
 * database.
 */
export const STOP_SECONDS = 30

/** What the API's callers may send as a body: its methods need none. */
export const API_BODY_BYTES = 16 * 1024
/** The largest file that a page takes, and room for its form; the application itself refuses what is too large for a page. */
export const APP_BODY_BYTES = MOST_FILE_BYTES + 1024 * 1024

/** How long a proxy keeps a connection to an instance that is not in use: the API's listener closes it after 10 s. */
export const KEEP_SECONDS = 5
/** How long an answer may be silent: an export waits for its account's rate for a minute at most. */
export const APP_SILENT_SECONDS = 120
export const API_SILENT_SECONDS = 30
/** How long a call waits for the only instance while that is started again. */
export const WAIT_SECONDS = 20

/** With one instance no proxy asks for readiness: the instance's own answer says more than none at all. */
export const isAlone = ({ instances }: Place) => instances.length === 1

/** What the API's callers get where no instance answers. */
export const noInstance = (charged: 0 | null) =>
  JSON.stringify({
    error: {
      code: 'unavailable',
      message:
        charged === 0
          ? 'No server answers. Nothing was charged: repeat the call.'
          : 'No server answers. Whether the call was charged is not known. Repeat it with the same Idempotency-Key, or look into the ledger.',
      charged,
      retryAfter: 2,
    },
  })

/** The settings that say where the service is reached. */
export const publicAddresses = ({ apiHost, appHost }: Place) => ({
  BASE_URL: `https://${apiHost}`,
  APP_URL: `https://${appHost}`,
})
