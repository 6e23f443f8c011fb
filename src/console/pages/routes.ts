/** The operator's pages by their paths. Who is no operator gets an unknown path's page of each of them (D183). */
import { MOST_FILE_BYTES } from '../../intake/import/jobs/types.ts'
import type { Reply, Route, RouteOf, SignedInContext } from '../../site/http/page.ts'
import { accountPage, changeAccount } from './accounts/account.tsx'
import { accountsPage } from './accounts/accounts.tsx'
import { auditPage } from './audit.tsx'
import { confirm, confirmPage } from './confirm.tsx'
import { addIt, addPage } from './directory/add.tsx'
import { browsePage } from './directory/browse.tsx'
import { deleteIt, deletePage } from './directory/delete.tsx'
import { journalPage } from './directory/journal.tsx'
import { merge, mergePage } from './directory/merge.tsx'
import { changeRecord, recordPage } from './directory/record.tsx'
import { requestPage } from './directory/request.tsx'
import { requestsPage } from './directory/requests.tsx'
import { undo, undoPage } from './directory/undo.tsx'
import { beginAsOperator, firstOperatorPage, holdsLink } from './first-operator.tsx'
import { isOperator } from './frame.tsx'
import { homePage } from './home.tsx'
import { changeImport, MAX_IMPORT_FORM_BYTES } from './imports/change-import.ts'
import { importPage } from './imports/import.tsx'
import { addImport, importsPage } from './imports/imports.tsx'
import { reportFile } from './imports/report.ts'
import { confirmSourceColumns, sourceColumnsPage } from './imports/source-columns.tsx'
import { undoImport, undoImportPage } from './imports/undo.tsx'
import { changePayment, paymentPage } from './payments/payment.tsx'
import { decide, paymentsPage } from './payments/payments.tsx'
import { secondFactorFirst } from './second-factor-first.tsx'
import { backUpNow, backupsPage } from './system/backups.tsx'
import { settingsPage } from './system/settings.tsx'

/** Of a record's form: each value comes twice, as it was and as it is to be. */
const RECORD_BYTES = 256 * 1024

/** Named here once: the gate, and the test that asks everybody for every page, go by this list. */
const PAGES: readonly RouteOf<SignedInContext>[] = [
  { path: '/operator', get: homePage },
  { path: '/operator/accounts', get: accountsPage },
  { path: '/operator/accounts/:id', get: accountPage, post: changeAccount },
  { path: '/operator/confirm', get: confirmPage, post: confirm },
  { path: '/operator/directory', get: browsePage },
  { path: '/operator/directory/delete', get: deletePage, post: deleteIt },
  { path: '/operator/directory/journal', get: journalPage },
  { path: '/operator/directory/merge', get: mergePage, post: merge },
  {
    path: '/operator/directory/new',
    ...{ get: (context) => addPage(context), post: addIt, maxFormBytes: RECORD_BYTES },
  },
  { path: '/operator/directory/requests', get: requestsPage },
  { path: '/operator/directory/requests/:id', get: requestPage },
  { path: '/operator/directory/undo', get: undoPage, post: undo },
  ...['companies', 'people', 'rounds'].map((kind) => ({
    path: `/operator/directory/${kind}/:id` as const,
    ...{ get: recordPage, post: changeRecord, maxFormBytes: RECORD_BYTES },
  })),
  { path: '/operator/payments', get: paymentsPage, post: decide },
  { path: '/operator/payments/:id', get: paymentPage, post: changePayment },
  { path: '/operator/backups', get: backupsPage, post: backUpNow },
  { path: '/operator/settings', get: settingsPage },
  { path: '/operator/imports', get: importsPage, post: addImport, largeFile: MOST_FILE_BYTES },
  {
    path: '/operator/imports/columns',
    get: sourceColumnsPage,
    post: confirmSourceColumns,
    maxFormBytes: MAX_IMPORT_FORM_BYTES,
  },
  { path: '/operator/imports/undo', get: undoImportPage, post: undoImport },
  { path: '/operator/imports/report.csv', get: reportFile },
  {
    path: '/operator/imports/:id',
    get: importPage,
    post: changeImport,
    maxFormBytes: MAX_IMPORT_FORM_BYTES,
  },
  { path: '/operator/audit', get: auditPage },
]

export const OPERATOR_ROUTES: readonly Route[] = [
  ...PAGES.map(({ get, post, ...page }) => ({
    ...page,
    get: inTwoSteps(get),
    ...(post && { post: inTwoSteps(post) }),
    needsSignIn: true as const,
    admits: isOperator,
  })),
  {
    path: '/first-operator',
    get: firstOperatorPage,
    post: beginAsOperator,
    needsSignIn: true,
    admits: holdsLink,
  },
]

/** Whoever is an operator and signs in by a password alone gets nothing of these pages but where to change that (D184). */
function inTwoSteps<Rest extends unknown[]>(
  answer: (context: SignedInContext, ...rest: Rest) => Reply | Promise<Reply>,
) {
  return async (context: SignedInContext, ...rest: Rest): Promise<Reply> =>
    (await secondFactorFirst(context)) ?? answer(context, ...rest)
}
