/** `ledger archive` */
import { type Command, InvalidArgumentError } from 'commander'
import {
  type Archived,
  ArchiveRefused,
  archiveLedger,
  monthsAgo,
} from '../../money/charge/ledger-archive.ts'
import { FilesRefused } from '../../money/charge/ledger-files.ts'
import { namingFile, Refusal, subcommand, tell, withDatabase } from './command.ts'

interface Options {
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
    .requiredOption('--to <folder>', 'where the files and their manifest go')
    .option(
      '--before <YYYY-MM>',
      'months before this one (default: all but the last LEDGER_MONTHS)',
      parseMonth,
    )
    .action(
      withDatabase(async ({ config, database, takeLongLock }, { to, before }: Options) => {
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
        const text = [...archived.map(textOf), ...rest].join('\n')
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

/** For a person who looks at a command that goes on for long. */
function sayWait(holders: string) {
  tell(`waiting until the ledger is read no more by ${holders}`)
}

function foreseen(error: unknown): never {
  if (error instanceof ArchiveRefused || error instanceof FilesRefused) {
    throw new Refusal(error.message)
  }
  throw error
}

/** `2026-01` as the moment at which it begins. */
function parseMonth(value: string): string {
  const at = /^\d{4}-\d\d$/.test(value) ? Date.parse(`${value}-01T00:00:00Z`) : Number.NaN
  if (Number.isNaN(at)) throw new InvalidArgumentError('Expected a month like 2026-01.')
  return new Date(at).toISOString()
}

const textOf = ({ file, entries, credits, accounts, bytes }: Archived) =>
  `${file}: ${entries} entries, ${credits} credits, ${bytes} bytes; carried forward for ${accounts} accounts`

/** Of the table that an earlier version had, which goes as a whole. */
function lastOf(until: string, thisMonth: string): string {
  const month = until.slice(0, 7)
  const when = until > thisMonth ? ' once that month has begun' : ''
  return `entries before ${month} stand in one table, which can be archived with --before ${month}${when}`
}
