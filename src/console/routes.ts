/** The console's pages by path. Anybody but an operator gets the 404 of an unknown path. */
import { MOST_FILE_BYTES } from '../intake/import/jobs/types.ts'
import type { Form } from '../site/http/form.ts'
import type { Reply, Route, RouteOf, SignedInContext } from '../site/http/page.ts'
import type { ConsoleServices } from './acts/services.ts'
import { accountPage, changeAccount, PASSWORD_LINK } from './pages/accounts/account.tsx'
import { accountsPage } from './pages/accounts/accounts.tsx'
import { auditPage } from './pages/audit.tsx'
import { addIt, addPage } from './pages/directory/add.tsx'
import { browsePage } from './pages/directory/browse.tsx'
import { journalPage, UNDO_VIEW } from './pages/directory/journal.tsx'
import { merge, mergePage } from './pages/directory/merge.tsx'
import { PERSON_VIEWS } from './pages/directory/person-views.tsx'
import { changeRecord, recordPage } from './pages/directory/record.tsx'
import { requestPage, requestsPage } from './pages/directory/requests.tsx'
import { beginAsOperator, firstOperatorPage, holdsLink } from './pages/first-operator.tsx'
import { homePage } from './pages/home.tsx'
import {
  changeImport,
  importPage,
  MAX_IMPORT_FORM_BYTES,
  reportFile,
} from './pages/imports/import.tsx'
import { importsPage, takeUpload } from './pages/imports/imports.tsx'
import { confirmSourceColumns, sourceColumnsPage } from './pages/imports/source-columns.tsx'
import { changePayment, paymentPage } from './pages/payments/payment.tsx'
import { decide, paymentsPage } from './pages/payments/payments.tsx'
import { secondFactorFirst } from './pages/second-factor-first.tsx'
import { BACKUP_FILE, backUpNow, backupsPage } from './pages/system/backups.tsx'
import { settingsPage } from './pages/system/settings.tsx'
import { type ActView, confirmationOf } from './ui/acts.tsx'
import { isOperator, type OperatorContext } from './ui/frame.tsx'

/** Size of a record's form, in which each value comes twice: as it was and as edited. */
const RECORD_BYTES = 256 * 1024

/** Acts that show more than their rows say. */
const VIEWS: readonly ActView[] = [PASSWORD_LINK, BACKUP_FILE, UNDO_VIEW, ...PERSON_VIEWS]

/** The only list of pages: the access check and its test use it. */
const PAGES: readonly RouteOf<OperatorContext>[] = [
  { path: '/operator', get: homePage },
  { path: '/operator/accounts', get: accountsPage },
  { path: '/operator/accounts/:id', get: accountPage, post: changeAccount },
  { path: '/operator/confirm', ...confirmationOf(VIEWS) },
  { path: '/operator/directory', get: browsePage },
  { path: '/operator/directory/journal', get: journalPage },
  { path: '/operator/directory/merge', get: mergePage, post: merge },
  {
    path: '/operator/directory/new',
    get: (context) => addPage(context),
    post: addIt,
    maxFormBytes: RECORD_BYTES,
  },
  { path: '/operator/directory/requests', get: requestsPage },
  { path: '/operator/directory/requests/:id', get: requestPage },
  ...['companies', 'people', 'rounds'].map((kind) => ({
    path: `/operator/directory/${kind}/:id` as const,
    get: recordPage,
    post: changeRecord,
    maxFormBytes: RECORD_BYTES,
  })),
  { path: '/operator/payments', get: paymentsPage, post: decide },
  { path: '/operator/payments/:id', get: paymentPage, post: changePayment },
  { path: '/operator/backups', get: backupsPage, post: backUpNow },
  { path: '/operator/settings', get: settingsPage },
  { path: '/operator/imports', get: importsPage, post: takeUpload, largeFile: MOST_FILE_BYTES },
  {
    path: '/operator/imports/columns',
    get: sourceColumnsPage,
    post: confirmSourceColumns,
    maxFormBytes: MAX_IMPORT_FORM_BYTES,
  },
  { path: '/operator/imports/report.csv', get: reportFile },
  {
    path: '/operator/imports/:id',
    get: importPage,
    post: changeImport,
    maxFormBytes: MAX_IMPORT_FORM_BYTES,
  },
  { path: '/operator/audit', get: auditPage },
]

type ConsoleRoute = RouteOf<OperatorContext> & { needsSignIn: true }

export const OPERATOR_ROUTES: readonly ConsoleRoute[] = [
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

/** Replaces every page by the advice to set up two-step sign-in, for operators who sign in by a password alone. */
function inTwoSteps<Rest extends unknown[]>(
  answer: (context: OperatorContext, ...rest: Rest) => Reply | Promise<Reply>,
) {
  return async (context: OperatorContext, ...rest: Rest): Promise<Reply> =>
    (await secondFactorFirst(context)) ?? answer(context, ...rest)
}

/** The routes for the site's host: pages find the console's services in their context. */
export function consoleRoutes(console: ConsoleServices): readonly Route[] {
  return OPERATOR_ROUTES.map(({ get, post, ...route }) => ({
    ...route,
    get: (context: SignedInContext) => get(Object.assign(context, { console })),
    ...(post && {
      post: (context: SignedInContext, form: Form) =>
        post(Object.assign(context, { console }), form),
    }),
  }))
}
