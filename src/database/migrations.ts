/** The files of `drizzle/`, embedded so that no folder is needed at run time. A test compares them with the folder. */
import { createHash } from 'node:crypto'
import tables from '../../drizzle/0000_tables.sql' with { type: 'text' }
import meter from '../../drizzle/0001_meter.sql' with { type: 'text' }
import changes from '../../drizzle/0002_changes.sql' with { type: 'text' }
import application from '../../drizzle/0003_application.sql' with { type: 'text' }
import users from '../../drizzle/0004_users.sql' with { type: 'text' }
import payments from '../../drizzle/0005_payments.sql' with { type: 'text' }
import sinceRelease160 from '../../drizzle/0006_to_0029.sql' with { type: 'text' }
import mailsAndColumns from '../../drizzle/0030_mails_and_columns.sql' with { type: 'text' }
import oneSumOfDays from '../../drizzle/0031_one_sum_of_days.sql' with { type: 'text' }
import operatorsFunctions from '../../drizzle/functions/console/operators.sql' with { type: 'text' }
import timeFunctions from '../../drizzle/functions/database/time.sql' with { type: 'text' }
import changesFunctions from '../../drizzle/functions/directory/changes.sql' with { type: 'text' }
import picturesFunctions from '../../drizzle/functions/directory/pictures.sql' with { type: 'text' }
import erasuresFunctions from '../../drizzle/functions/intake/erasures.sql' with { type: 'text' }
import identityFunctions from '../../drizzle/functions/intake/identity.sql' with { type: 'text' }
import importsFunctions from '../../drizzle/functions/intake/imports.sql' with { type: 'text' }
import journalFunctions from '../../drizzle/functions/intake/journal.sql' with { type: 'text' }
import mergeFunctions from '../../drizzle/functions/intake/merge.sql' with { type: 'text' }
import sourcesFunctions from '../../drizzle/functions/intake/sources.sql' with { type: 'text' }
import chargeFunctions from '../../drizzle/functions/money/charge.sql' with { type: 'text' }
import creditsFunctions from '../../drizzle/functions/money/credits.sql' with { type: 'text' }
import keysFunctions from '../../drizzle/functions/money/keys.sql' with { type: 'text' }
import ledgerDaysFunctions from '../../drizzle/functions/money/ledger-days.sql' with {
  type: 'text',
}
import ledgerMonthsFunctions from '../../drizzle/functions/money/ledger-months.sql' with {
  type: 'text',
}
import newcomersFunctions from '../../drizzle/functions/money/newcomers.sql' with { type: 'text' }
import paymentEventsFunctions from '../../drizzle/functions/money/payment-events.sql' with {
  type: 'text',
}
import paymentsFunctions from '../../drizzle/functions/money/payments.sql' with { type: 'text' }
import rejectedFunctions from '../../drizzle/functions/money/rejected.sql' with { type: 'text' }
import requestsFunctions from '../../drizzle/functions/money/requests.sql' with { type: 'text' }
import reversalsFunctions from '../../drizzle/functions/money/reversals.sql' with { type: 'text' }
import listsFunctions from '../../drizzle/functions/people/lists.sql' with { type: 'text' }
import secondFactorsFunctions from '../../drizzle/functions/people/second-factors.sql' with {
  type: 'text',
}
import usersFunctions from '../../drizzle/functions/people/users.sql' with { type: 'text' }
import { UNRELEASED_BUILD } from '../start-errors.ts'

interface SqlFile {
  name: string
  sql: string
}

interface Migration extends SqlFile {
  /** Tables that it alters and that charges write, which are locked before any other. */
  alters?: readonly (typeof CHARGED_TABLES)[number][]
}

/** Tables in the order in which a charge locks them: a migration of another order would wait for charges that wait for it. */
export const CHARGED_TABLES = ['accounts', 'api_keys'] as const

/** Migrations, each of which is applied once, in this order. */
export const MIGRATIONS: readonly Migration[] = [
  { name: '0000_tables', sql: tables },
  { name: '0001_meter', sql: meter },
  { name: '0002_changes', sql: changes },
  { name: '0003_application', sql: application },
  { name: '0004_users', sql: users },
  { name: '0005_payments', sql: payments },
  { name: '0006_to_0029', sql: sinceRelease160, alters: CHARGED_TABLES },
  { name: '0030_mails_and_columns', sql: mailsAndColumns },
  { name: '0031_one_sum_of_days', sql: oneSumOfDays },
]

const REPLACED_COUNT = 24
const REPLACED = /^00(0[6-9]|1\d|2\d)_(?!to_)/
/** The functions of the last unreleased build. Those of earlier ones take other arguments, beside which the texts here would stand. */
const UNRELEASED_REVISION = 42

/**
 * This program's names for the migrations that a database or a backup records. Unreleased builds after 1.6.0 recorded 24
 * migrations, 0006 to 0029, which `0006_to_0029` replaces. A database that stopped among them is refused: the result
 * has a name that no program knows.
 */
export function currentNames(recorded: readonly string[]): string[] {
  const replaced = recorded.filter((name) => REPLACED.test(name)).sort()
  if (replaced.length === 0) return [...recorded]
  const others = recorded.filter((name) => !REPLACED.test(name))
  const name =
    replaced.length === REPLACED_COUNT ? '0006_to_0029' : `${replaced.at(-1)} ${UNRELEASED_BUILD}`
  return [...others, name].sort()
}

/** @returns what no program knows of a database that recorded these migrations and functions of this revision */
export function unknownFunctions(recorded: readonly string[], revision: number): string[] {
  const isUnreleased = recorded.some((name) => REPLACED.test(name))
  return isUnreleased && revision < UNRELEASED_REVISION
    ? [`functions of revision ${revision} ${UNRELEASED_BUILD}`]
    : []
}

/** Functions and triggers: all are applied again, in this order, when one of them changed. */
export const FUNCTIONS: readonly SqlFile[] = [
  { name: 'database/time', sql: timeFunctions },
  { name: 'money/credits', sql: creditsFunctions },
  { name: 'money/ledger-months', sql: ledgerMonthsFunctions },
  { name: 'money/ledger-days', sql: ledgerDaysFunctions },
  { name: 'money/keys', sql: keysFunctions },
  { name: 'money/charge', sql: chargeFunctions },
  { name: 'money/rejected', sql: rejectedFunctions },
  { name: 'intake/journal', sql: journalFunctions },
  { name: 'directory/changes', sql: changesFunctions },
  { name: 'directory/pictures', sql: picturesFunctions },
  { name: 'intake/merge', sql: mergeFunctions },
  { name: 'intake/sources', sql: sourcesFunctions },
  { name: 'intake/erasures', sql: erasuresFunctions },
  { name: 'intake/identity', sql: identityFunctions },
  { name: 'money/newcomers', sql: newcomersFunctions },
  { name: 'people/users', sql: usersFunctions },
  { name: 'people/second-factors', sql: secondFactorsFunctions },
  { name: 'money/payments', sql: paymentsFunctions },
  { name: 'money/reversals', sql: reversalsFunctions },
  { name: 'money/payment-events', sql: paymentEventsFunctions },
  { name: 'money/requests', sql: requestsFunctions },
  { name: 'people/lists', sql: listsFunctions },
  { name: 'intake/imports', sql: importsFunctions },
  { name: 'console/operators', sql: operatorsFunctions },
]

/**
 * The revision of `FUNCTIONS`: a change of their text changes the hash and raises the number, which tells an instance whose
 * text is newer. `chainkin_functions` records those that a database has seen.
 */
export const FUNCTION_REVISION = { number: 47, hash: '14a23909233083f37ecb1b83a2dc014c' }

/** A hash of names and texts: 32 hexadecimal digits. */
export function hashOfText(files: readonly SqlFile[]): string {
  const hash = createHash('sha256')
  for (const { name, sql } of files) hash.update(`\0${name}\0${sql}`)
  return hash.digest('hex').slice(0, 32)
}
