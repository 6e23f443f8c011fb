/** Health checks that take no time, for `doctor` and the console's first page. */
import type { Config } from '../../config.ts'
import { keptBackups } from '../../database/backup/kept.ts'
import { identityOf } from '../../database/backup/save.ts'
import { type Database, describeError, errorCode } from '../../database/client.ts'
import { freeBytes, MIN_FREE_BYTES } from '../../database/disk.ts'
import { scalar } from '../../database/scalar.ts'
import { durationOf } from '../../duration.ts'
import { ledgerState } from '../../money/charge/ledger-archive.ts'
import { type MailReason, REASON_WORDS } from '../../people/users/mail.ts'
import { type MailCount, mailCounts } from './waiting.ts'

/** Settings that the checks need. */
export type Checked = Pick<Config, 'databaseUrl' | 'dataDir' | 'ledgerMonths' | 'backups'>

export interface Finding {
  /** `skipped`: nothing to find out from here, and the text says why. */
  state: 'ok' | 'failed' | 'skipped'
  text: string
}

export const ok = (text: string): Finding => ({ state: 'ok', text })
export const failed = (text: string): Finding => ({ state: 'failed', text })
export const skipped = (text: string): Finding => ({ state: 'skipped', text })

const MAX_CLOCK_MS = 2_000

/** Makes these checks. One that throws has failed, for a reason that the log of the command `doctor` tells. */
export async function quickChecks(
  database: Database,
  config: Checked & Pick<Config, 'smtpUrl'>,
): Promise<Record<string, Finding>> {
  const checks = {
    disk: checkDisk(config),
    clock: checkClock(database),
    ledger: checkLedger(database, config),
    backups: checkBackups(database, config),
    mails: checkMails(database, config),
  }
  const findings = Object.entries(checks).map(async ([name, check]) => {
    const finding = await check.catch((error: unknown) =>
      failed(describeError(error).split('\n')[0] ?? ''),
    )
    return [name, finding] as const
  })
  return Object.fromEntries(await Promise.all(findings))
}

/** @param read tells how many bytes are free */
export async function checkDisk(config: Checked, read = freeBytes): Promise<Finding> {
  let free: number | undefined
  try {
    free = await read(config)
  } catch (error) {
    const reason = errorCode(error) ?? 'unknown'
    return failed(
      `free bytes of ${config.dataDir} can't be read (${reason}): nothing large is refused for want of them`,
    )
  }
  if (free === undefined) return skipped('the disk of a PostgreSQL is not checked')
  const text = `${Math.floor(free / 1e6)} MB free for ${config.dataDir}`
  return free < MIN_FREE_BYTES
    ? failed(`${text}, fewer than ${Math.floor(MIN_FREE_BYTES / 1e6)}`)
    : ok(text)
}

/** The meter's only clock is the database's; this one dates the logs. */
export async function checkClock(database: Database): Promise<Finding> {
  const before = Date.now()
  const answer = await database.use(({ sql }) =>
    scalar<number>(sql`select (extract(epoch from clock_timestamp()) * 1000)::float8`),
  )
  // The database read its clock at some time between the two.
  const after = Date.now()
  const there = answer ?? Number.NaN
  const difference = Math.round(Math.max(before - there, there - after, 0))
  const text = `${difference} ms from the database's`
  return difference <= MAX_CLOCK_MS ? ok(text) : failed(`${text}: set this machine's or that one's`)
}

export async function checkLedger(database: Database, { ledgerMonths }: Checked): Promise<Finding> {
  const { tables, strays, late, hasThisMonth, due } = await ledgerState(database, ledgerMonths)
  if (!hasThisMonth) return failed('there is no table for this month: a running server makes it')
  if (strays > 0) {
    return failed(`${strays} entries are of months without a table, as of a clock that was wrong`)
  }
  const older = due > 0 ? `, ${due} older than LEDGER_MONTHS: "ledger archive" takes them out` : ''
  const behind = late > 0 ? `, ${late} entries of a clock that was set back to months in files` : ''
  return ok(`${tables} monthly tables${older}${behind}`)
}

/** Fails if the newest backup is older than two intervals. */
export async function checkBackups(
  database: Database,
  { backups: { dir, everySeconds } }: Checked,
): Promise<Finding> {
  if (!dir) return skipped('no backup is made by itself, because BACKUP_DIR is not set')
  const identity = await database.use(({ sql }) => identityOf(sql))
  const backups = await keptBackups(dir, identity)
  const [newest] = backups
  const every = durationOf(everySeconds)
  if (!newest)
    return failed(`no backup of this database is in ${dir}, and one is due every ${every}`)
  const text = `${backups.length} in ${dir}, the newest is of ${newest.madeAt}`
  const isLate = Date.now() - Date.parse(newest.madeAt) > 2 * everySeconds * 1_000
  return isLate ? failed(`${text}, one is due every ${every}: the log says why`) : ok(text)
}

/** Reasons that are of the mail server or its settings, and not of one mail. */
const SERVER_REASONS: readonly MailReason[] = ['unreached', 'certificate', 'login']

/** Mails that wait or were given up, and why. */
export async function checkMails(
  database: Database,
  { smtpUrl }: Pick<Config, 'smtpUrl'>,
): Promise<Finding> {
  if (!smtpUrl) return skipped('no mail is sent, because SMTP_URL is not set')
  const counts = await mailCounts(database)
  const waiting = counts.filter(({ isGivenUp }) => !isGivenUp)
  const givenUp = counts.filter(({ isGivenUp }) => isGivenUp)
  const [oldest] = waiting.map(({ since }) => since).sort()
  const text = [
    oldest ? `${countsText('waiting', waiting)}, the oldest since ${oldest}` : 'none waits',
    ...(givenUp.length > 0 ? [`${countsText('given up in the last day', givenUp)}`] : []),
  ].join('; ')
  const isOfServer = counts.some(({ reason }) => reason && SERVER_REASONS.includes(reason))
  return isOfServer ? failed(text) : ok(text)
}

function countsText(state: string, counts: readonly MailCount[]): string {
  const parts = counts.map(({ reason, code, count }) =>
    reason ? `${count} ${REASON_WORDS[reason]} (${code})` : `${count} not tried`,
  )
  return `${state}: ${parts.join(', ')}`
}
