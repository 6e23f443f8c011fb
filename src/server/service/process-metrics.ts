/** Metrics of one process. They exist only with METRICS_PORT. */
import { setTimeout as pause } from 'node:timers/promises'
import type { WaitingCounts } from '../../console/acts/waiting.ts'
import { type Database, DatabaseUnavailable } from '../../database/client.ts'
import type { Directory } from '../../directory/records/directory.ts'
import type { RequestLog } from '../../money/accounts/request-log.ts'
import { CallerLeft } from '../../money/charge/call.ts'
import type { Meter } from '../../money/charge/meter.ts'
import { REASON_WORDS } from '../../people/users/mail.ts'
import type { IncomingRequest } from '../../runtime.ts'
import * as described from '../metrics/descriptions.ts'
import {
  Counts,
  counter,
  type Family,
  gauge,
  gauges,
  Histogram,
  histogram,
  type Labels,
} from '../metrics/families.ts'
import { endpointOf } from './access-log.ts'
import type { Health, Look } from './health.ts'

/** Bounds of histograms, in seconds. */
const LATENCIES = [0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5]
const DELAYS = [0.001, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 5]
const WAITS = [0.0001, 0.0005, 0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.5, 1, 2]
const GROUP_SIZES = [1, 2, 4, 8, 16, 32, 64]

const LOOP_EVERY_MS = 100
/** Time after which the page is made without the lag. */
const LAG_DEADLINE_MS = 500

type Answer = (request: IncomingRequest) => Promise<Response>

/** Parts of a service that have counters of their own. */
interface Counted {
  directory: Directory
  health: Health
  /** Absent with REQUEST_LOG=off. */
  requests?: Pick<RequestLog, 'dropped'> | undefined
  /** Absent where another process of the service counts. */
  waiting?: (() => Promise<WaitingCounts>) | undefined
}

export type ProcessMetrics = ReturnType<typeof createProcessMetrics>

/** @param worker the number of this process, a label of figures that aren't summed */
export function createProcessMetrics(worker: number) {
  const requests = createRequestCounts()
  const calls = createCallCounts()
  const pools = createPoolCounts()
  const loop = createLoopWatch()
  const labels = { worker: String(worker) }
  return {
    aroundHosts: requests.aroundHosts,
    aroundMeter: calls.aroundMeter,
    countGroup: calls.countGroup,
    aroundDatabase: pools.aroundDatabase,
    /** All counts, and the present state of directory and process. */
    async families({ directory, health, requests: log, waiting }: Counted): Promise<Family[]> {
      const late = pause(LAG_DEADLINE_MS, undefined, { ref: false })
      const look = await Promise.race([health.look(), late])
      const counts = await Promise.race([waiting?.().catch(() => undefined), late])
      const isReady = look?.reasons.length === 0 && !health.isDraining
      const { user, system } = process.cpuUsage()
      return [
        ...requests.families(),
        ...calls.families(),
        ...answerFamilies(directory),
        ...(log ? [counter(described.UNLOGGED, [{ value: log.dropped, labels: {} }])] : []),
        ...directoryFamilies(directory, look, labels),
        gauge(described.READY, isReady ? 1 : 0, labels),
        ...pools.families(),
        loop.family(),
        ...(counts ? waitingFamilies(counts) : []),
        gauge(described.MEMORY, process.memoryUsage.rss(), labels),
        counter(described.CPU, [{ value: (user + system) / 1e6, labels: {} }]),
      ]
    },
    stop: loop.stop,
  }
}

function createRequestCounts() {
  const requests = new Counts('endpoint', 'status')
  const latencies = new Map<string, Histogram>()

  function count(endpoint: string, status: number, tookMs: number) {
    requests.add(endpoint, `${Math.floor(status / 100)}xx`)
    let latency = latencies.get(endpoint)
    if (!latency) {
      latency = new Histogram(LATENCIES)
      latencies.set(endpoint, latency)
    }
    latency.observe(tookMs / 1_000)
  }

  function counting(answer: Answer, nameOf: (url: string) => string): Answer {
    // Without `await`, which makes one promise more of each request.
    return (request) => {
      const startedMs = performance.now()
      return answer(request).then((response) => {
        count(nameOf(request.url), response.status, performance.now() - startedMs)
        return response
      })
    }
  }

  return {
    /** Counts the requests of both hosts. */
    aroundHosts: ({ api, web }: { api: Answer; web: Answer }) => ({
      api: counting(api, endpointOf),
      web: counting(web, () => 'application'),
    }),
    families: (): Family[] => [
      counter(described.REQUESTS, requests.values),
      histogram(
        described.LATENCY,
        [...latencies].map(([endpoint, latency]) => [{ endpoint }, latency] as const),
      ),
    ],
  }
}

function createCallCounts() {
  const calls = new Counts('endpoint', 'outcome')
  const groups = new Histogram(GROUP_SIZES)
  let credits = 0
  return {
    /** Counts the meter's outcomes. */
    aroundMeter(meter: Meter): Meter {
      const charge: Meter['charge'] = (call) =>
        meter.charge(call).then(
          (outcome) => {
            calls.add(call.endpoint, outcome.outcome)
            credits += outcome.charged
            return outcome
          },
          (error: unknown) => {
            const isUnknown = error instanceof DatabaseUnavailable && error.isUnknown
            const end = isUnknown ? 'unknown' : 'failed'
            calls.add(call.endpoint, error instanceof CallerLeft ? 'left' : end)
            throw error
          },
        )
      return { ...meter, charge }
    },
    countGroup: (size: number) => groups.observe(size),
    families: (): Family[] => [
      counter(described.CALLS, calls.values),
      counter(described.CREDITS, [{ value: credits, labels: {} }]),
      histogram(described.GROUPS, [[{}, groups]]),
    ],
  }
}

function createPoolCounts() {
  const pools = new Map<string, { wait: Histogram; work: Histogram }>()
  const failures = new Counts('pool', 'end')
  return {
    /** Counts waits for connections and the work on them. @param pool the label of this database's connections */
    aroundDatabase<D extends Pick<Database, 'use'>>(database: D, pool: string): D {
      const { wait, work: held } = { wait: new Histogram(WAITS), work: new Histogram(WAITS) }
      pools.set(pool, { wait, work: held })
      const use: Database['use'] = (work, options) => {
        const askedMs = performance.now()
        let begunMs: number | undefined
        const lent = database.use((connection) => {
          begunMs = performance.now()
          wait.observe((begunMs - askedMs) / 1_000)
          return work(connection)
        }, options)
        const ended = () => {
          if (begunMs !== undefined) held.observe((performance.now() - begunMs) / 1_000)
        }
        return lent.then(
          (result) => {
            ended()
            return result
          },
          (error: unknown) => {
            ended()
            if (error instanceof DatabaseUnavailable) {
              failures.add(pool, error.isUnknown ? 'unknown' : 'nothing done')
            }
            throw error
          },
        )
      }
      return { ...database, use }
    },
    families: (): Family[] => [
      histogram(
        described.DATABASE_WAIT,
        [...pools].map(([pool, { wait }]) => [{ pool }, wait] as const),
      ),
      histogram(
        described.DATABASE_WORK,
        [...pools].map(([pool, { work }]) => [{ pool }, work] as const),
      ),
      counter(described.DATABASE_FAILURES, failures.values),
    ],
  }
}

/** Measures how late a timer is. */
function createLoopWatch() {
  const delays = new Histogram(DELAYS)
  let dueMs = performance.now() + LOOP_EVERY_MS
  const loop = setInterval(() => {
    const nowMs = performance.now()
    delays.observe(Math.max(0, nowMs - dueMs) / 1_000)
    dueMs = nowMs + LOOP_EVERY_MS
  }, LOOP_EVERY_MS)
  return {
    family: () => histogram(described.LOOP, [[{}, delays]]),
    stop: () => clearInterval(loop),
  }
}

function answerFamilies({ answers }: Directory): Family[] {
  return [
    counter(described.ANSWERS, [
      { value: answers.hits, labels: { result: 'hit' } },
      { value: answers.confirmed, labels: { result: 'confirmed' } },
      { value: answers.misses, labels: { result: 'miss' } },
    ]),
  ]
}

/** @param look absent where the database did not answer in time */
function directoryFamilies(directory: Directory, look: Look | undefined, labels: Labels): Family[] {
  const { position, answers, following } = directory
  const { setAside, failures, lastFailureMs = 0 } = following
  return [
    gauge(described.ANSWER_BYTES, answers.bytes),
    gauge(described.POSITION, position, labels),
    ...(look?.lag ? [gauge(described.LAG, look.lag.changes, labels)] : []),
    ...(look?.lag ? [gauge(described.LAG_SECONDS, look.lag.seconds, labels)] : []),
    ...gauges(described.RECORDS, 'kind', directory.counts, labels),
    counter(described.FOLLOW_FAILURES, [{ value: failures, labels: {} }]),
    gauge(described.LAST_FOLLOW_FAILURE, lastFailureMs / 1_000, labels),
    gauge(described.SET_ASIDE, setAside.length, labels),
  ]
}

function waitingFamilies({ mails, privacyRequests, ...orders }: WaitingCounts): Family[] {
  const none = Object.fromEntries(['new', ...Object.keys(REASON_WORDS)].map((name) => [name, 0]))
  const byReason = (isGivenUp: boolean) =>
    Object.assign(
      { ...none },
      ...mails
        .filter((mail) => mail.isGivenUp === isGivenUp)
        .map(({ reason, count }) => ({ [reason ?? 'new']: count })),
    )
  const { ordersAtOperator: operator, ordersAtProvider: provider } = orders
  return [
    ...gauges(described.ORDERS, 'at', { operator, provider }),
    gauge(described.PRIVACY_REQUESTS, privacyRequests),
    ...gauges(described.MAILS_WAITING, 'reason', byReason(false)),
    ...gauges(described.MAILS_GIVEN_UP, 'reason', byReason(true)),
  ]
}
