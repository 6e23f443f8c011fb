/** What the dashboard shows. Names of metrics come from where they are counted. */
import {
  ANSWER_BYTES,
  ANSWERS,
  BACKUP_BYTES,
  BACKUP_FAILURES,
  BUILD,
  CALLS,
  CPU,
  CREDITS,
  DATABASE_FAILURES,
  DATABASE_WAIT,
  DATABASE_WORK,
  DISK_FREE,
  FOLLOW_FAILURES,
  GROUPS,
  LAG,
  LAG_SECONDS,
  LAST_BACKUP,
  LAST_FOLLOW_FAILURE,
  LATENCY,
  LOOP,
  MAILS_GIVEN_UP,
  MAILS_WAITING,
  MEMORY,
  ORDERS,
  POSITION,
  PRIVACY_REQUESTS,
  READY,
  RECORDS,
  REQUESTS,
  SET_ASIDE,
  UNLOGGED,
  WORKER_RESTARTS,
  WORKERS,
} from '../../service/metrics/descriptions.ts'
import { type Line, line, mean, OF, quantile, rate, value } from './promql.ts'

export interface Panel {
  title: string
  /** What it means where it is not as it should be. */
  says: string
  unit: string
  lines: readonly Line[]
  /** The newest value alone, in large figures. */
  isFigure?: boolean
}

export const FIGURES: readonly Panel[] = [
  {
    title: 'Ready',
    says: 'Processes that are to be sent requests. The reasons of the others stand at /health/ready.',
    unit: 'short',
    isFigure: true,
    lines: [line(`sum(${value(READY)})`, 'ready')],
  },
  {
    title: 'Requests a second',
    says: 'Of both hosts.',
    unit: 'reqps',
    isFigure: true,
    lines: [line(`sum(rate(${value(REQUESTS)}[$__rate_interval]))`, 'requests')],
  },
  {
    title: 'Failed',
    says: 'Share of answers of 500 and above.',
    unit: 'percentunit',
    isFigure: true,
    lines: [
      line(
        `(sum(rate(${REQUESTS.name}{${OF}, status="5xx"}[$__rate_interval])) or vector(0)) / sum(rate(${value(REQUESTS)}[$__rate_interval]))`,
        'failed',
      ),
    ],
  },
  {
    title: 'Credits an hour',
    says: 'Charged, at the pace of this moment.',
    unit: 'short',
    isFigure: true,
    lines: [line(`sum(rate(${value(CREDITS)}[$__rate_interval])) * 3600`, 'credits')],
  },
  {
    title: 'Behind the database',
    says: 'Of the instance that is most behind. Above MAX_LAG it is not ready.',
    unit: 's',
    isFigure: true,
    lines: [line(`max(${value(LAG_SECONDS)})`, 'behind')],
  },
  {
    title: 'Records set aside',
    says: 'Changed records that could not be taken in: the log and doctor name them.',
    unit: 'short',
    isFigure: true,
    lines: [line(`max(${value(SET_ASIDE)})`, 'records')],
  },
]

export const CURVES: readonly Panel[] = [
  {
    title: 'Requests by endpoint',
    says: 'application is a page, other no path of the API.',
    unit: 'reqps',
    lines: [line(rate(REQUESTS, 'endpoint'), '{{endpoint}}')],
  },
  {
    title: 'Answers by status',
    says: '5xx are failures of the service or its database.',
    unit: 'reqps',
    lines: [line(rate(REQUESTS, 'status'), '{{status}}')],
  },
  {
    title: 'Time to an answer, 99 of 100',
    says: 'To the head of the answer.',
    unit: 's',
    lines: [line(quantile(0.99, LATENCY, 'endpoint'), '{{endpoint}}')],
  },
  {
    title: 'Time to an answer, half of them',
    says: 'To the head of the answer.',
    unit: 's',
    lines: [line(quantile(0.5, LATENCY, 'endpoint'), '{{endpoint}}')],
  },
  {
    title: 'What the meter decided',
    says: 'unknown: a charge whose end was not heard; failed: nothing was charged; left: the caller hung up before a charge.',
    unit: 'cps',
    lines: [line(rate(CALLS, 'outcome'), '{{outcome}}')],
  },
  {
    title: 'Calls in a group',
    says: 'How many calls one statement decides. It grows with load, and with a slower database.',
    unit: 'short',
    lines: [
      line(mean(GROUPS, 'instance'), '{{instance}}, mean'),
      line(quantile(0.99, GROUPS, 'instance'), '{{instance}}, 99 of 100'),
    ],
  },
  {
    title: 'Waits for a connection, 99 of 100',
    says: 'charges are the calls; other is all else.',
    unit: 's',
    lines: [line(quantile(0.99, DATABASE_WAIT, 'pool'), '{{pool}}')],
  },
  {
    title: 'Work on a connection, 99 of 100',
    says: 'How long the database takes.',
    unit: 's',
    lines: [line(quantile(0.99, DATABASE_WORK, 'pool'), '{{pool}}')],
  },
  {
    title: 'Failures of the database',
    says: 'unknown: a statement was sent, and its end was not heard.',
    unit: 'ops',
    lines: [line(rate(DATABASE_FAILURES, 'pool, end'), '{{pool}}, {{end}}')],
  },
  {
    title: 'Behind the change log',
    says: 'Sequence numbers that are still to follow. Not there while the database is away.',
    unit: 'short',
    lines: [line(value(LAG), '{{instance}} {{worker}}')],
  },
  {
    title: 'Position in the change log',
    says: 'All instances stand at the same place, but for a second.',
    unit: 'short',
    lines: [line(value(POSITION), '{{instance}} {{worker}}')],
  },
  {
    title: 'Failures to follow',
    says: 'Outages of the database included. The log has the reason.',
    unit: 'ops',
    lines: [line(rate(FOLLOW_FAILURES, 'instance'), '{{instance}}')],
  },
  {
    title: 'Time since following last failed',
    says: 'Not there where it never did.',
    unit: 's',
    lines: [line(`time() - (${value(LAST_FOLLOW_FAILURE)} > 0)`, '{{instance}} {{worker}}')],
  },
  {
    title: 'Records in memory',
    says: 'All but rounds are in the search index.',
    unit: 'short',
    lines: [line(`max by (instance, kind) (${value(RECORDS)})`, '{{instance}} {{kind}}')],
  },
  {
    title: 'Answers from memory',
    says: 'hit and confirmed cost no work; miss is made anew.',
    unit: 'ops',
    lines: [line(rate(ANSWERS, 'result'), '{{result}}')],
  },
  {
    title: 'Memory',
    says: 'Resident, of each process, and the kept answers in it.',
    unit: 'bytes',
    lines: [
      line(value(MEMORY), '{{instance}} {{worker}}'),
      line(value(ANSWER_BYTES), '{{instance}} kept answers'),
    ],
  },
  {
    title: 'Cores in use',
    says: 'Processor time of an instance: each of its processes can use one core for calls.',
    unit: 'short',
    lines: [line(rate(CPU, 'instance'), '{{instance}}')],
  },
  {
    title: 'Event loop, 99 of 100',
    says: 'How late a timer was: so long a call may wait before it is read.',
    unit: 's',
    lines: [line(quantile(0.99, LOOP, 'instance'), '{{instance}}')],
  },
  {
    title: 'Workers, and those replaced in an hour',
    says: 'With several workers only. The log says why one was replaced.',
    unit: 'short',
    lines: [
      line(value(WORKERS), '{{instance}}'),
      line(`increase(${value(WORKER_RESTARTS)}[1h])`, '{{instance}}, replaced'),
    ],
  },
  {
    title: 'Age of the newest backup',
    says: 'Where BACKUP_DIR is set. Above BACKUP_EVERY one is late.',
    unit: 's',
    lines: [line(`time() - (${value(LAST_BACKUP)} > 0)`, '{{instance}}')],
  },
  {
    title: 'Backups that failed in an hour',
    says: 'The log says why.',
    unit: 'short',
    lines: [line(`increase(${value(BACKUP_FAILURES)}[1h])`, '{{instance}}')],
  },
  {
    title: 'Size of the newest backup',
    says: 'It grows with the ledger; a sudden fall is worth a look.',
    unit: 'bytes',
    lines: [line(value(BACKUP_BYTES), '{{instance}}')],
  },
  {
    title: 'Room on disks',
    says: 'data: of the embedded database, which stops where it cannot write. backups: of BACKUP_DIR.',
    unit: 'bytes',
    lines: [line(value(DISK_FREE), '{{instance}} {{disk}}')],
  },
  {
    title: 'Builds that run',
    says: 'Instances of each version and commit.',
    unit: 'short',
    lines: [line(`count by (version, commit) (${value(BUILD)})`, '{{version}} {{commit}}')],
  },
  {
    title: 'Mails that wait',
    says: 'By why the last try failed. /operator/health says what to do.',
    unit: 'short',
    lines: [
      line(`max by (reason) (${value(MAILS_WAITING)})`, '{{reason}}'),
      line(`max by (reason) (${value(MAILS_GIVEN_UP)})`, '{{reason}}, given up within a day'),
    ],
  },
  {
    title: 'Orders and privacy requests that wait',
    says: 'They are answered on /operator.',
    unit: 'short',
    lines: [
      line(`max by (at) (${value(ORDERS)})`, 'orders at the {{at}}'),
      line(`max(${value(PRIVACY_REQUESTS)})`, 'privacy requests'),
    ],
  },
  {
    title: 'Calls that the log of requests lacks',
    says: 'Too many waited, or the database failed at them. Charges are not concerned.',
    unit: 'cps',
    lines: [line(rate(UNLOGGED, 'instance'), '{{instance}}')],
  },
]
