/** Every page by its path. */

import { DOCUMENT_ROUTES } from './docs/document-page.tsx'
import { unsentPage } from './frame/unsent-page.tsx'
import type { Route } from './http/page.ts'
import { UNSENT_PATH } from './http/unsent-form.ts'
import {
  confirm,
  confirmPage,
  forgottenPage,
  requestReset,
  reset,
  resetPage,
} from './pages/account/mail-links.tsx'
import {
  appearancePage,
  changeSettings,
  setAppearance,
  settingsPage,
} from './pages/account/settings.tsx'
import {
  codePage,
  showCode,
  signIn,
  signInPage,
  signOut,
  signOutPage,
} from './pages/account/sign-in.tsx'
import { signUp, signUpPage } from './pages/account/sign-up.tsx'
import {
  changeTwoStep,
  codesPage,
  makeCodes,
  offPage,
  turnOff,
  twoStepPage,
} from './pages/account/two-step.tsx'
import { alertsPage, setAlerts } from './pages/billing/alerts.tsx'
import { orderPage } from './pages/billing/order.tsx'
import { changeOrders, plansPage } from './pages/billing/plans.tsx'
import { receiptPage } from './pages/billing/receipt.tsx'
import { transactionsFile } from './pages/billing/transactions.tsx'
import { cancelPlan, cancelPlanPage, referralPage, usagePage } from './pages/billing/usage.tsx'
import { contactsFile, contactsPage, notePage, saveNote } from './pages/contacts/contacts.tsx'
import { revealedPage, revealPage, revealSeveral } from './pages/contacts/reveal.tsx'
import {
  INVESTOR_PROFILES,
  PROJECT_PROFILES,
  SERVICE_PROFILES,
} from './pages/directory/company.tsx'
import {
  companyConnectionsPage,
  personConnectionsPage,
} from './pages/directory/connections-page.tsx'
import { investorsPage, peoplePage, projectsPage, servicesPage } from './pages/directory/lists.tsx'
import { personPage, revealContact } from './pages/directory/person.tsx'
import { searchPage } from './pages/directory/search.tsx'
import {
  bulkPage,
  bulkSearch,
  bulkSearchPage,
  confirmBulkSearch,
  MAX_BULK_BYTES,
} from './pages/export/bulk-search.tsx'
import { exportFile, exportPage } from './pages/export/export.tsx'
import { homePage } from './pages/home/home.tsx'
import { listFile, listPage } from './pages/kept/list.tsx'
import {
  addPage,
  addRecords,
  deleteKeptList,
  deleteListPage,
  listsPage,
  makeList,
  removeRecords,
  removePage as removeRecordsPage,
  renameKeptList,
  renameListPage,
} from './pages/kept/lists.tsx'
import { changeView, changeViewPage, newViewPage, openView, saveView } from './pages/kept/views.tsx'
import { keysPage, makeKey, revoke, revokePage, rotate, rotatePage } from './pages/keys/keys.tsx'
import { overviewPage } from './pages/overview/overview.tsx'
import {
  askPrivacy,
  confirmRequest,
  confirmRequestPage,
  privacyPage,
} from './pages/privacy/privacy.tsx'
import { requestsPage } from './pages/requests/requests.tsx'
import {
  accept,
  changeWorkspace,
  invitationPage,
  leave,
  leavePage,
  remove,
  removePage,
  workspacePage,
} from './pages/workspace/workspace.tsx'

export const ROUTES: readonly Route[] = [
  { path: '/', get: homePage, signedInPath: '/overview' },
  { path: '/overview', get: overviewPage, needsSignIn: true },
  { path: '/credits', get: plansPage, post: changeOrders },
  { path: '/credits/order', get: orderPage, needsSignIn: true },
  { path: '/credits/receipts/:id', get: receiptPage, needsSignIn: true },
  ...DOCUMENT_ROUTES,
  { path: '/sign-in', get: signInPage, post: signIn },
  { path: '/sign-in/code', get: codePage, post: showCode },
  { path: UNSENT_PATH, get: unsentPage, needsSignIn: true },
  { path: '/sign-up', get: signUpPage, post: signUp },
  { path: '/sign-out', get: signOutPage, post: signOut },
  { path: '/forgotten', get: forgottenPage, post: requestReset },
  { path: '/reset', get: resetPage, post: reset },
  { path: '/confirm', get: confirmPage, post: confirm },
  { path: '/appearance', get: appearancePage, post: setAppearance },
  { path: '/privacy', get: privacyPage, post: askPrivacy },
  { path: '/privacy/confirm', get: confirmRequestPage, post: confirmRequest },
  { path: '/keys', get: keysPage, post: makeKey, needsSignIn: true },
  { path: '/keys/revoke', get: revokePage, post: revoke, needsSignIn: true },
  { path: '/keys/rotate', get: rotatePage, post: rotate, needsSignIn: true },
  { path: '/requests', get: requestsPage, needsSignIn: true },
  { path: '/settings', get: settingsPage, post: changeSettings, needsSignIn: true },
  { path: '/settings/two-step', get: twoStepPage, post: changeTwoStep, needsSignIn: true },
  { path: '/settings/two-step/codes', get: codesPage, post: makeCodes, needsSignIn: true },
  { path: '/settings/two-step/off', get: offPage, post: turnOff, needsSignIn: true },
  { path: '/workspace', get: workspacePage, post: changeWorkspace, needsSignIn: true },
  { path: '/workspace/remove', get: removePage, post: remove, needsSignIn: true },
  { path: '/workspace/leave', get: leavePage, post: leave, needsSignIn: true },
  { path: '/invitation', get: invitationPage, post: accept },
  { path: '/balance', get: usagePage, needsSignIn: true },
  { path: '/balance/ledger.csv', get: transactionsFile, needsSignIn: true },
  { path: '/balance/alerts', get: alertsPage, post: setAlerts, needsSignIn: true },
  { path: '/balance/stop-plan', get: cancelPlanPage, post: cancelPlan, needsSignIn: true },
  { path: '/contacts', get: contactsPage, needsSignIn: true },
  { path: '/contacts/contacts.csv', get: contactsFile, needsSignIn: true },
  { path: '/contacts/note', get: notePage, post: saveNote, needsSignIn: true },
  { path: '/reveal', get: revealPage, post: revealSeveral, isRateLimited: true },
  { path: '/reveal/done', get: revealedPage, needsSignIn: true, isRateLimited: true },
  { path: '/lists', get: listsPage, post: makeList, needsSignIn: true },
  // Rows of the directory: they count as pages of it.
  { path: '/lists/add', get: addPage, post: addRecords, needsSignIn: true, isRateLimited: true },
  { path: '/lists/rename', get: renameListPage, post: renameKeptList, needsSignIn: true },
  { path: '/lists/delete', get: deleteListPage, post: deleteKeptList, needsSignIn: true },
  { path: '/lists/remove', get: removeRecordsPage, post: removeRecords, needsSignIn: true },
  { path: '/lists/list.csv', get: listFile, needsSignIn: true, isRateLimited: true },
  { path: '/lists/:id', get: listPage, needsSignIn: true, isRateLimited: true },
  { path: '/views/new/:list', get: newViewPage, post: saveView, needsSignIn: true },
  { path: '/views/change', get: changeViewPage, post: changeView, needsSignIn: true },
  { path: '/views/:id', get: openView, needsSignIn: true },
  { path: '/referral', get: referralPage, needsSignIn: true },
  { path: '/export/:list', get: exportPage, post: exportFile, needsSignIn: true },
  {
    path: '/bulk-search',
    get: bulkPage,
    post: bulkSearch,
    needsSignIn: true,
    takesFiles: true,
    maxFormBytes: MAX_BULK_BYTES,
    // Each form's lines are kept for a day.
    isRateLimited: true,
  },
  // Searches of the directory: they count as a page of it.
  {
    path: '/bulk-search/:id',
    get: bulkSearchPage,
    post: confirmBulkSearch,
    needsSignIn: true,
    isRateLimited: true,
  },
  { path: '/search', get: searchPage, isRateLimited: true },
  { path: '/people', get: peoplePage, isRateLimited: true },
  { path: '/people/:id', get: personPage, post: revealContact, isRateLimited: true },
  { path: '/projects', get: projectsPage, isRateLimited: true },
  { path: '/projects/:id', ...PROJECT_PROFILES, isRateLimited: true },
  { path: '/investors', get: investorsPage, isRateLimited: true },
  { path: '/investors/:id', ...INVESTOR_PROFILES, isRateLimited: true },
  { path: '/services', get: servicesPage, isRateLimited: true },
  { path: '/connections/people/:id', get: personConnectionsPage, isRateLimited: true },
  { path: '/connections/companies/:id', get: companyConnectionsPage, isRateLimited: true },
  { path: '/services/:id', ...SERVICE_PROFILES, isRateLimited: true },
]
