/** The settings, as `serve --help` names them: all that `src/config.ts` reads (`test/documents.test.ts` compares the two). */
import { Help } from 'commander'

/** Name, default ('' where there is none) and meaning. */
type Setting = readonly [name: string, otherwise: string, meaning: string]

const SETTINGS: Readonly<Record<string, readonly Setting[]>> = {
  'The database': [
    [
      'DATABASE_URL',
      '',
      'a PostgreSQL, 14 or newer, of one host or several; without it the embedded database',
    ],
    ['DATABASE_READ_URL', '', 'a standby of that PostgreSQL, from which the directory is loaded'],
    ['DATABASE_WAIT_SECONDS', '30', 'how long a start waits for that PostgreSQL'],
    ['DATA_DIR', './data', 'where the embedded database keeps its files'],
    [
      'LEDGER_MONTHS',
      '',
      'months that ledger archive leaves in the database; it takes none by itself',
    ],
    ['INDEX_SNAPSHOT', '', 'a file of index build --out, from which a start takes half as long'],
  ],
  'Where it answers': [
    ['HOST', '127.0.0.1', 'the address of all listeners'],
    ['PORT', '3000', 'the API; 0 takes a free port'],
    ['APP_PORT', '3001', 'the application and /health/ready; 0 takes a free port'],
    ['BASE_URL', "the listener's", 'the public address of the API'],
    ['APP_URL', "the listener's", 'the public address of the application'],
    ['TRUSTED_PROXIES', '', 'addresses or networks whose X-Forwarded-For counts'],
    ['CORS_ORIGINS', '', 'origins that browsers may call from, or *'],
    ['WORKERS', '1', 'processes that share the ports, or auto; --workers goes first'],
    ['SERVICE_NAME', 'Chainkin', "the service's name"],
  ],
  'How it is watched and stopped': [
    ['LOG_LEVEL', 'info', 'debug, info, warn, error or silent'],
    [
      'ACCESS_LOG',
      '',
      'a file for a JSON line of each request, without keys, ids and values; - is stderr',
    ],
    [
      'REQUEST_LOG',
      'on',
      'REQUEST_LOG=off keeps none of the latest 1,000 calls of an account for its page Requests',
    ],
    ['METRICS_PORT', '', 'the port of a metrics page, for Prometheus'],
    ['MAX_LAG', '10', 'seconds behind the database from which /health/ready says 503'],
    [
      'DRAIN_SECONDS',
      '5',
      'how long SIGTERM lets it answer on while /health/ready says 503; a second signal ends it at once',
    ],
  ],
  Backups: [
    [
      'BACKUP_DIR',
      '',
      'a directory for backups that it makes by itself; without one it makes none',
    ],
    ['BACKUP_EVERY', '24h', 'how often: 90m, 6h, 7d'],
    ['BACKUP_KEEP', '14', 'how many of them stay, the newest'],
  ],
  'People and mail': [
    ['SMTP_URL', '', 'where mails are handed over; without it none is sent'],
    ['MAIL_FROM', '', 'who they are from; goes with SMTP_URL'],
    ['PRIVACY_CONTACT', '', 'who answers for the directory, as /privacy names them'],
    ['PRIVACY_SOURCES', '', 'where its records are from, as /privacy says it'],
    [
      'PICTURE_NETWORKS',
      '',
      'networks beside the public internet from which image refresh may fetch',
    ],
    ['PAGES_PER_MINUTE', '60', 'pages of the directory that an account may read'],
    ['PAGES_PER_DAY', '1000', 'the same in a day'],
  ],
  'Credits and payments': [
    ['TRIAL_CREDITS', '250', 'of a new person, for 7 days'],
    ['REFERRAL_CREDITS', '250', 'of a referral, to each side'],
    ['REFERRAL_HOLD_DAYS', '120', 'days from a payment until it rewards its referral'],
    ['REFERRALS_PER_MONTH', '20', 'referrals that reward one account in a month'],
    ['PAYMENTS', 'manual', 'or stripe, with the next two'],
    ['STRIPE_SECRET_KEY', '', 'sk_… or rk_…'],
    ['STRIPE_WEBHOOK_SECRET', '', 'whsec_…'],
    ['STRIPE_URL', "Stripe's", 'another address of its API, for tests'],
  ],
}

const WIDTH = 100
const NAME_WIDTH = 24

/** A paragraph for each group, a line or two for each setting. */
export function settingsText(): string {
  const groups = Object.entries(SETTINGS).map(
    ([group, settings]) => `${group}:\n${settings.map(lineOf).join('\n')}`,
  )
  return `
Settings are variables of the environment; a wrong value is named at the start.

${groups.join('\n\n')}

src/commands/README.md says more of each. chainkin print writes files to deploy with.`
}

function lineOf([name, otherwise, meaning]: Setting): string {
  const text = otherwise === '' ? meaning : `${meaning} (${otherwise})`
  const wrapped = new Help().boxWrap(text, WIDTH - NAME_WIDTH - 2)
  return `  ${name.padEnd(NAME_WIDTH)}${wrapped.replaceAll('\n', `\n${' '.repeat(NAME_WIDTH + 2)}`)}`
}
