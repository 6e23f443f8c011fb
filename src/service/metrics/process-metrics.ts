/** What one process counts for the metrics page (D122). It exists only where METRICS_PORT is set. */
import type { RequestLog } from '../../accounts/request-log.ts'
import { documentedPath, ENDPOINTS } from '../../contract/endpoints.ts'
import { type Database, DatabaseUnavailable } from '../../database/client.ts'
import { logBounds } from '../../directory/changes.ts'
import type { Directory } from '../../directory/directory.ts'
import type { Meter } from '../../metering/meter.ts'
import type { IncomingRequest } from '../../runtime.ts'
import { Counts, counter, type Family, gauge, Histogram, histogram } from './families.ts'

/** In seconds. */
const LATENCIES = [0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5]
const DELAYS = [0.001, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 5]
const GROUP_SIZES = [1, 2, 4, 8, 16, 32, 64]

const LOOP_EVERY_MS = 100
/** A page comes without the lag rather than late. */
const LAG_DEADLINE_MS = 500

type Answer = (request: IncomingRequest) => Promise<Response>

/** The parts of a service that count for themselves. */
interface Counted {
  directory: Directory
  /** Absent where no log of requests is kept. */
  requests?: Pick<RequestLog, 'dropped'> | undefined
}

export type ProcessMetrics = ReturnType<typeof createProcessMetrics>

/** @param worker the number of this process, for what is not summed */
export function createProcessMetrics(worker: number) {
  const requests = new Counts('endpoint', 'status')
  const latencies = new Map<string, Histogram>()
  const calls = new Counts('endpoint', 'outcome')
  const groups = new Histogram(GROUP_SIZES)
  const delays = new Histogram(DELAYS)
  const labels = { worker: String(worker) }
  let credits = 0

  let dueMs = performance.now() + LOOP_EVERY_MS
  const loop = setInterval(() => {
    const nowMs = performance.now()
    delays.observe(Math.max(0, nowMs - dueMs) / 1_000)
    dueMs = nowMs + LOOP_EVERY_MS
  }, LOOP_EVERY_MS)

  function countRequest(endpoint: string, status: number, tookMs: number) {
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
        countRequest(nameOf(request.url), response.status, performance.now() - startedMs)
        return response
      })
    }
  }

  return {
    /** Wraps what answers the requests of both hosts, so that each is counted. */
    aroundHosts: ({ api, web }: { api: Answer; web: Answer }) => ({
      api: counting(api, endpointOf),
      web: counting(web, () => 'application'),
    }),

    /** Wraps the meter, so that what it decides is counted. */
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
            calls.add(call.endpoint, isUnknown ? 'unknown' : 'failed')
            throw error
          },
        )
      return { ...meter, charge }
    },

    countGroup: (size: number) => groups.observe(size),

    /** All that was counted, and how directory and process stand now. */
    async families({ directory, requests: log }: Counted, database: Database): Promise<Family[]> {
      const { position, answers } = directory
      const last = await database
        .use(({ sql }) => logBounds(sql), { deadlineMs: LAG_DEADLINE_MS })
        .then(
          (bounds) => bounds.last,
          () => undefined,
        )
      const { user, system } = process.cpuUsage()
      const byResult = [
        { value: answers.hits, labels: { result: 'hit' } },
        { value: answers.confirmed, labels: { result: 'confirmed' } },
        { value: answers.misses, labels: { result: 'miss' } },
      ]
      return [
        counter(REQUESTS, requests.values),
        histogram(
          LATENCY,
          [...latencies].map(([endpoint, one]) => [{ endpoint }, one] as const),
        ),
        counter(CALLS, calls.values),
        counter(CREDITS, [{ value: credits, labels: {} }]),
        histogram(GROUPS, [[{}, groups]]),
        counter(ANSWERS, byResult),
        ...(log ? [counter(UNLOGGED, [{ value: log.dropped, labels: {} }])] : []),
        gauge(ANSWER_BYTES, answers.bytes),
        gauge(POSITION, position, labels),
        ...(last === undefined ? [] : [gauge(LAG, Math.max(0, last - position), labels)]),
        histogram(LOOP, [[{}, delays]]),
        gauge(MEMORY, process.memoryUsage.rss(), labels),
        counter(CPU, [{ value: (user + system) / 1e6, labels: {} }]),
      ]
    },

    stop: () => clearInterval(loop),
  }
}

const REQUESTS = {
  name: 'chainkin_requests_total',
  help: 'Requests answered, by endpoint (application: a page) and class of status',
}
const LATENCY = {
  name: 'chainkin_request_seconds',
  help: 'Time from a request to the head of its answer',
}
const CALLS = {
  name: 'chainkin_calls_total',
  help: 'Calls that the meter decided, by endpoint and outcome; unknown: a charge whose end was not heard',
}
const CREDITS = { name: 'chainkin_credits_charged_total', help: 'Credits charged' }
const GROUPS = { name: 'chainkin_charge_group_calls', help: 'Calls that one statement decided' }
const ANSWERS = {
  name: 'chainkin_kept_answers_total',
  help: 'Answers from memory (hit, confirmed after a change) and made anew (miss)',
}
const UNLOGGED = {
  name: 'chainkin_request_log_dropped_total',
  help: 'Calls that the log of requests lacks: too many waited, or the database failed at them',
}
const ANSWER_BYTES = { name: 'chainkin_kept_answer_bytes', help: 'Bytes of answers in memory' }
const POSITION = {
  name: 'chainkin_directory_position',
  help: 'Sequence of the change log that the directory has followed to',
}
const LAG = {
  name: 'chainkin_directory_lag_changes',
  help: 'Sequence numbers of the change log that are still to follow; not there while the database is away',
}
const LOOP = {
  name: 'chainkin_event_loop_delay_seconds',
  help: 'How late a timer of 100 ms was',
}
const MEMORY = { name: 'chainkin_resident_memory_bytes', help: 'Resident memory of a process' }
const CPU = { name: 'chainkin_cpu_seconds_total', help: 'Processor time, user and system' }

/** Paths of the contract as they are documented, by the path itself or by what stands before an id. */
const DOCUMENTED = new Map(
  Object.values(ENDPOINTS).map(({ path }) => [path.replace(/:\w+$/, ''), documentedPath(path)]),
)

/** The endpoint of a URL on the API's host: one of the contract, or `other`. One look-up, because each request takes it. */
export function endpointOf(url: string): string {
  const start = url.indexOf('/', 'https://'.length)
  const query = url.indexOf('?', start)
  const end = query < 0 ? url.length : query
  const beforeId = url.indexOf('/', start + '/v1/'.length)
  const path = url.slice(start, beforeId < 0 || beforeId > end ? end : beforeId + 1)
  return DOCUMENTED.get(path) ?? 'other'
}
