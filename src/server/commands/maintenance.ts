/** `migrate`, `grants`, `index build`, `ledger archive`: work on the database as a whole. */
import { type Command, InvalidArgumentError } from 'commander'
import { isRoleName, reportGrants, serveGrants } from '../../database/grants.ts'
import { MIGRATIONS } from '../../database/migrations.ts'
import { requestRebuild } from '../../directory/records/changes.ts'
import {
  type Archived,
  ArchiveRefused,
  archiveLedger,
  monthsAgo,
} from '../../money/charge/ledger-archive.ts'
import {
  makingDatabase,
  namingFile,
  Refusal,
  type Result,
  reporting,
  subcommand,
  tell,
  withDatabase,
} from './command.ts'

export function registerMigrate(program: Command) {
  subcommand(program, 'migrate', 'bring the database to this version’s tables').action(
    makingDatabase(async () => {
      const newest = MIGRATIONS.at(-1)?.name ?? 'none'
      const text = `the database is at ${newest}`
      return { json: { migrations: MIGRATIONS.length, newest }, text }
    }),
  )
}

interface GrantOptions {
  serve?: string
  report?: string
}

export function registerGrants(program: Command) {
  subcommand(program, 'grants', 'print the rights of roles on a PostgreSQL, as SQL for its owner')
    .option('--serve <role>', 'the role of DATABASE_URL for serve: rows, and no tables', parseRole)
    .option(
      '--report <role>',
      'a role that reads, without private channels and addresses',
      parseRole,
    )
    .action(reporting(grants))
}

function parseRole(name: string): string {
  if (isRoleName(name)) return name
  throw new InvalidArgumentError(
    'Expected the name of a role: one line of at most 63 bytes, without "$".',
  )
}

async function grants({ serve, report }: GrantOptions): Promise<Result> {
  if (!serve && !report) throw new Refusal('expected --serve ROLE, --report ROLE, or both')
  const sql = [serve && serveGrants(serve), report && reportGrants(report)].filter(Boolean)
  return { json: { sql: sql.join('\n') }, text: sql.join('\n').trimEnd() }
}

export function registerIndex(program: Command) {
  const index = program.command('index').description('the search index')

  subcommand(
    index,
    'build',
    'rebuild the index in every running server, beside the one that serves',
  ).action(
    withDatabase(async ({ database }) => {
      const position = await database.use(({ sql }) => requestRebuild(sql))
      return { json: { requested: true, position }, text: 'running servers rebuild their index' }
    }),
  )
}

interface ArchiveOptions {
  to: string
  before?: string
}

export function registerLedger(program: Command) {
  const ledger = program.command('ledger').description('what accounts were charged and given')

  subcommand(
    ledger,
    'archive',
    'take old months of the ledger out of the database into files, behind one entry for each account',
  )
    .requiredOption('--to <folder>', 'where the files go')
    .option(
      '--before <YYYY-MM>',
      'months before this one (default: all but the last LEDGER_MONTHS)',
      parseMonth,
    )
    .action(
      withDatabase(async ({ config, database, takeLongLock }, { to, before }: ArchiveOptions) => {
        const start = before ?? (await keptSince(config.ledgerMonths))
        const month = await monthsAgo(database, 0)
        if (start > month) {
          throw new Refusal(`--before ${start.slice(0, 7)}: that month has not begun`)
        }
        const lock = await takeLongLock('ledger archive')
        if (!lock) throw new Refusal('another process archives the ledger of this database')
        const { archived, next } = await archiveLedger(database, to, start, sayWait)
          .catch(foreseen)
          .catch(namingFile(to))
          .finally(lock.release)
        const rest =
          next && next.since === null && archived.length === 0 ? [lastOf(next.until, month)] : []
        const text = [...archived.map(archivedText), ...rest].join('\n')
        return {
          json: { folder: to, before: start, archived },
          text: text || `nothing before ${start.slice(0, 7)} is in the database`,
        }

        async function keptSince(months: number | undefined) {
          if (months === undefined) {
            throw new Refusal('nothing says how much is kept: give --before, or set LEDGER_MONTHS')
          }
          return monthsAgo(database, months)
        }
      }),
    )
}

function sayWait(holders: string) {
  tell(`waiting until the ledger is read no more by ${holders}`)
}

function foreseen(error: unknown): never {
  if (error instanceof ArchiveRefused) throw new Refusal(error.message)
  throw error
}

/** The beginning of a month like `2026-01`, as an ISO time. */
function parseMonth(value: string): string {
  const at = /^\d{4}-\d\d$/.test(value) ? Date.parse(`${value}-01T00:00:00Z`) : Number.NaN
  if (Number.isNaN(at)) throw new InvalidArgumentError('Expected a month like 2026-01.')
  return new Date(at).toISOString()
}

const archivedText = ({ file, entries, credits, accounts, bytes }: Archived) =>
  `${file}: ${entries} entries, ${credits} credits, ${bytes} bytes; carried forward for ${accounts} accounts`

/** A hint about the single table of earlier versions, which is archived as a whole. */
function lastOf(until: string, thisMonth: string): string {
  const month = until.slice(0, 7)
  const when = until > thisMonth ? ' once that month has begun' : ''
  return `entries before ${month} stand in one table, which can be archived with --before ${month}${when}`
}
