/** Alerting rules for Prometheus, of the metrics that `METRICS_PORT` shows. */
import { API_VERSION } from '../../../contract/version.ts'
import { MIN_FREE_BYTES } from '../../../database/disk.ts'
import {
  DATABASE_WAIT,
  DISK_FREE,
  LAG_SECONDS,
  LAST_BACKUP,
  READY,
  REQUESTS,
} from '../../service/metrics/descriptions.ts'

interface Alert {
  name: string
  /** When it is true, in PromQL. */
  when: string
  /** How long it has to be true. */
  for: string
  severity: 'critical' | 'warning'
  summary: string
  /** What to look at first. */
  description: string
}

const failures = `sum by (instance) (rate(${REQUESTS.name}{status="5xx"}[5m]))`
const waits = `sum by (instance, le) (rate(${DATABASE_WAIT.name}_bucket{pool="charges"}[5m]))`

const ALERTS: readonly Alert[] = [
  {
    name: 'ChainkinNotReady',
    when: `${READY.name} == 0`,
    for: '2m',
    severity: 'critical',
    summary: 'Chainkin on {{ $labels.instance }} is not ready (worker {{ $labels.worker }})',
    description:
      '/health/ready on APP_PORT has the reasons, or the worker is gone and the log says why.',
  },
  {
    name: 'ChainkinUnseen',
    when: `absent(${READY.name})`,
    for: '2m',
    severity: 'critical',
    summary: 'Prometheus sees no instance of Chainkin',
    description: 'The service is down, or Prometheus does not reach METRICS_PORT.',
  },
  {
    name: 'ChainkinErrors',
    when: `${failures} / sum by (instance) (rate(${REQUESTS.name}[5m])) > 0.01`,
    for: '5m',
    severity: 'critical',
    summary: 'Over 1 % of answers of Chainkin on {{ $labels.instance }} are 500 or above',
    description: 'The log has the errors, and doctor looks at the database.',
  },
  {
    name: 'ChainkinChargesWait',
    when: `histogram_quantile(0.99, ${waits}) > 0.5`,
    for: '5m',
    severity: 'warning',
    summary:
      'Charges of Chainkin on {{ $labels.instance }} wait over half a second for a connection',
    description: 'The database is slow, blocked or out of connections.',
  },
  {
    name: 'ChainkinLagging',
    when: `${LAG_SECONDS.name} > 5`,
    for: '2m',
    severity: 'warning',
    summary: 'The directory of Chainkin on {{ $labels.instance }} is behind the database',
    description:
      'A change shows within two seconds. Above MAX_LAG the instance is not ready. The log says what fails.',
  },
  {
    name: 'ChainkinBackupOld',
    // 48 hours: twice the default of BACKUP_EVERY.
    when: `time() - ${LAST_BACKUP.name} > 172800`,
    for: '15m',
    severity: 'critical',
    summary: 'The newest backup of Chainkin on {{ $labels.instance }} is over two days old',
    description: 'The log has the reason. Change the figure where BACKUP_EVERY is not 24h.',
  },
  {
    name: 'ChainkinDiskFull',
    when: `${DISK_FREE.name} < ${4 * MIN_FREE_BYTES}`,
    for: '5m',
    severity: 'critical',
    summary: 'Under 1 GiB is free for the {{ $labels.disk }} of Chainkin on {{ $labels.instance }}',
    description:
      'Below 256 MiB nothing large is taken in, and an embedded database stops where it cannot write.',
  },
]

/** The rules as a file for `rule_files` of Prometheus. */
export function alertRules(): string {
  return `# Chainkin ${API_VERSION}: alerts for Prometheus, of the metrics that METRICS_PORT shows.
#
#   1. promtool check rules chainkin.rules.yml, then copy it to /etc/prometheus/chainkin.rules.yml
#   2. In /etc/prometheus/prometheus.yml:
#        rule_files: [chainkin.rules.yml]
#        scrape_configs: [{ job_name: chainkin, static_configs: [{ targets: ["HOST:METRICS_PORT"] }] }]
#   3. systemctl reload prometheus
#
# Who is told is for Alertmanager to decide, by the label \`severity\`. The figures suit most services: change them as you need.
groups:
  - name: chainkin
    rules:
${ALERTS.map(ruleOf).join('\n')}
`
}

/** Text of JSON is text of YAML. */
const ruleOf = ({
  name,
  when,
  for: lasts,
  severity,
  summary,
  description,
}: Alert) => `      - alert: ${name}
        expr: ${JSON.stringify(when)}
        for: ${lasts}
        labels: { severity: ${severity} }
        annotations:
          summary: ${JSON.stringify(summary)}
          description: ${JSON.stringify(description)}`
