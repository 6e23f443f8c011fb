/** The files of `drizzle/`, embedded so that no folder is needed at run time. A test holds both lists complete. */
import { createHash } from 'node:crypto'
import tables from '../../drizzle/0000_tables.sql' with { type: 'text' }
import meter from '../../drizzle/0001_meter.sql' with { type: 'text' }
import changes from '../../drizzle/0002_changes.sql' with { type: 'text' }
import application from '../../drizzle/0003_application.sql' with { type: 'text' }
import users from '../../drizzle/0004_users.sql' with { type: 'text' }
import payments from '../../drizzle/0005_payments.sql' with { type: 'text' }
import sinceRelease160 from '../../drizzle/0006_to_0029.sql' with { type: 'text' }
import mailsAndColumns from '../../drizzle/0030_mails_and_columns.sql' with { type: 'text' }
import changesFunctions from '../../drizzle/functions/changes.sql' with { type: 'text' }
import chargeFunctions from '../../drizzle/functions/charge.sql' with { type: 'text' }
import creditsFunctions from '../../drizzle/functions/credits.sql' with { type: 'text' }
import erasuresFunctions from '../../drizzle/functions/erasures.sql' with { type: 'text' }
import identityFunctions from '../../drizzle/functions/identity.sql' with { type: 'text' }
import importsFunctions from '../../drizzle/functions/imports.sql' with { type: 'text' }
import journalFunctions from '../../drizzle/functions/journal.sql' with { type: 'text' }
import keysFunctions from '../../drizzle/functions/keys.sql' with { type: 'text' }
import ledgerDaysFunctions from '../../drizzle/functions/ledger-days.sql' with { type: 'text' }
import ledgerMonthsFunctions from '../../drizzle/functions/ledger-months.sql' with { type: 'text' }
import listsFunctions from '../../drizzle/functions/lists.sql' with { type: 'text' }
import mergeFunctions from '../../drizzle/functions/merge.sql' with { type: 'text' }
import newcomersFunctions from '../../drizzle/functions/newcomers.sql' with { type: 'text' }
import operatorsFunctions from '../../drizzle/functions/operators.sql' with { type: 'text' }
import paymentEventsFunctions from '../../drizzle/functions/payment-events.sql' with {
  type: 'text',
}
import paymentsFunctions from '../../drizzle/functions/payments.sql' with { type: 'text' }
import picturesFunctions from '../../drizzle/functions/pictures.sql' with { type: 'text' }
import rejectedFunctions from '../../drizzle/functions/rejected.sql' with { type: 'text' }
import requestsFunctions from '../../drizzle/functions/requests.sql' with { type: 'text' }
import reversalsFunctions from '../../drizzle/functions/reversals.sql' with { type: 'text' }
import secondFactorsFunctions from '../../drizzle/functions/second-factors.sql' with {
  type: 'text',
}
import serviceDaysFunctions from '../../drizzle/functions/service-days.sql' with { type: 'text' }
import sourcesFunctions from '../../drizzle/functions/sources.sql' with { type: 'text' }
import timeFunctions from '../../drizzle/functions/time.sql' with { type: 'text' }
import usersFunctions from '../../drizzle/functions/users.sql' with { type: 'text' }

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
]

const REPLACED_COUNT = 24
const REPLACED = /^00(0[6-9]|1\d|2\d)_(?!to_)/

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
    replaced.length === REPLACED_COUNT
      ? '0006_to_0029'
      : `${replaced.at(-1)} of an unreleased build`
  return [...others, name].sort()
}

/** Functions and triggers: all are applied again, in this order, when one of them changed. */
export const FUNCTIONS: readonly SqlFile[] = [
  { name: 'time', sql: timeFunctions },
  { name: 'credits', sql: creditsFunctions },
  { name: 'ledger-months', sql: ledgerMonthsFunctions },
  { name: 'ledger-days', sql: ledgerDaysFunctions },
  { name: 'service-days', sql: serviceDaysFunctions },
  { name: 'keys', sql: keysFunctions },
  { name: 'charge', sql: chargeFunctions },
  { name: 'rejected', sql: rejectedFunctions },
  { name: 'journal', sql: journalFunctions },
  { name: 'changes', sql: changesFunctions },
  { name: 'pictures', sql: picturesFunctions },
  { name: 'merge', sql: mergeFunctions },
  { name: 'sources', sql: sourcesFunctions },
  { name: 'erasures', sql: erasuresFunctions },
  { name: 'identity', sql: identityFunctions },
  { name: 'newcomers', sql: newcomersFunctions },
  { name: 'users', sql: usersFunctions },
  { name: 'second-factors', sql: secondFactorsFunctions },
  { name: 'payments', sql: paymentsFunctions },
  { name: 'reversals', sql: reversalsFunctions },
  { name: 'payment-events', sql: paymentEventsFunctions },
  { name: 'requests', sql: requestsFunctions },
  { name: 'lists', sql: listsFunctions },
  { name: 'imports', sql: importsFunctions },
  { name: 'operators', sql: operatorsFunctions },
]

/**
 * The revisions of `FUNCTIONS`, oldest first, as hashes of their text: a change of a function adds one here.
 * A released line never changes, because its number tells an instance which text is newer.
 */
export const FUNCTION_REVISIONS: readonly string[] = [
  '8409834810987686aa0f2dab85455512',
  'd7426ef38272a27afa24e028e4877a54',
  '575c2b3189464f39551cb66814d1cbce',
  '0c8906e27d7ef4a8413f17f545e19f0b',
  '138a2ad4b77cb1785f2b58dcb542dd4e',
  'f3c2a5e8c39fb3c64cc8ce172ae4800e',
  '97402e896dae772db16e024fc3a5c64e',
  '32f3bf6667b1e95c584f2073acf987a3',
  '50b2e810bbb7b429ee57057a58beb830',
  '4c48df161b7fcb097ac9f03952602a69',
  '192431b6e5a029494455f4ffccf430b4',
  'bd14602d4035232fe119919a154d8856',
  'd7bf1a15c2cc5806f5a98e437eea521f',
  'a5086a9f5d44be2e00346e0c60791312',
  'c26ee7aab7e38dc499ab62d696811ffa',
  '289d3775af20a8346c9f363d45c1e4b8',
  '3fa11f1aa7758c3a8461296f09fc1c2d',
  'f8acf60177ad00dbb4b8492025841fdf',
  'b0abda5ee30518fb512a7c770e82151e',
  'cab9bc2b533696cb8f0269959293a4d4',
  '77bef090b3cd0cdb571e2c05d61e4ab8',
  '024623b68729d7d862b104d87fb55ebb',
  '8345fa4d14c67811b05372ae97db307e',
  'e8f0108f636eb18425c07581390b4346',
  '1a79e83938e26f844733f3573fa064d8',
  '18edeee172298665ee38739221fbb35f',
  'b7826a880459f639332448355b4985b5',
  '3bccde02ffd5d0629239458c4fd0becb',
  '6dc3a38f42df8ce6c8d28e9d7ed170ef',
  'a82e85b526f5b65e9e51ebcb2629c5fc',
  'a4e3429e36a09ab8bca38bc8c1289a5d',
  '1769edfb5b6ce532b6f67688bfb3cd0b',
  '79bd5713bce2acb1436b4a97d1c838f9',
  '5c46974b96af4c97b231fc03a07bd9bf',
  '724a140054205ab2e7cd9f6dd5e0b715',
  '1f21058be5915d2ca9ac96109d6b0d9f',
  'db42705eaabe5cfd28904f7264562840',
  'b8d7a7debae80f9d5d32992d7e4cdf72',
  '79fb00d8d5ca2c80e8d039cb01476dcd',
  '0543200708bf96fa48db94d726c4ad26',
  '7d4862548b8fa9b88993cd95bad39847',
  '7658ed8edb4e355ca7d967c057a6108c',
  '0b9db49264ebee3bc1393def1459964e',
]

/** What tells one text of these files from another: 32 hexadecimal digits. */
export function hashOfText(files: readonly SqlFile[]): string {
  const hash = createHash('sha256')
  for (const { name, sql } of files) hash.update(`\0${name}\0${sql}`)
  return hash.digest('hex').slice(0, 32)
}
