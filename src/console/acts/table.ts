/** Every act of an operator, by name. */
import * as accounts from './accounts.ts'
import type { Act } from './act.ts'
import * as backups from './backups.ts'
import * as imports from './imports.ts'
import * as payments from './payments.ts'
import * as records from './records.ts'
import * as requests from './requests.ts'
import * as users from './users.ts'

const ROWS: readonly Act[] = [
  ...[accounts.createAccount, accounts.setAccount, accounts.suspendAccount, accounts.resumeAccount],
  ...[accounts.noteAccount, accounts.grantCredits, accounts.takeBackCredits],
  ...[accounts.startPlan, accounts.stopPlan, accounts.stopRenewal],
  ...[accounts.createKey, accounts.revokeKey, accounts.revokeKeys],
  ...[users.giveOperator, users.takeOperatorAway, users.beginOperator],
  ...[users.resetLink, users.verifyEmail, users.turnSecondFactorOff, users.endSessions],
  ...[payments.acceptPayment, payments.refusePayment, payments.refund],
  ...[payments.takeOver, payments.dismissEvent],
  ...[requests.answerRequest, requests.closeRequest, requests.endAsDone, requests.refuseRequest],
  ...[requests.eraseAsAsked, records.unpin, records.deleteOne, records.erase, records.undo],
  ...[imports.addImport, imports.runImport, imports.undoImport, imports.cancelImport],
  ...[imports.deleteImport, imports.confirmColumns, backups.makeBackup, backups.downloadBackup],
]

export const ACTS: ReadonlyMap<string, Act> = new Map(ROWS.map((act) => [act.name, act]))

/** Names in the audit log: acts with a statement, and changes of the directory, whose lines the journal writes. */
export const AUDIT_NAMES: readonly string[] = [
  ...ROWS.filter(({ statement }) => statement).map(({ name }) => name),
  ...['add', 'delete', 'erase', 'import', 'merge', 'set', 'undo'].map(
    (what) => `directory.${what}`,
  ),
].sort()
