/** Every page by its path: the one registry of what this host answers beside its assets. */
import { documentPage } from './docs/document.tsx'
import { DOCUMENTS } from './docs/documents.ts'
import type { Route } from './page.ts'
import { balancePage } from './pages/balance.tsx'
import { bulkPage, bulkSearch, MAX_BULK_BYTES } from './pages/bulk-search.tsx'
import { investorsPage, projectsPage, servicesPage } from './pages/companies.tsx'
import {
  investorPage,
  projectPage,
  servicePage,
  showInvestorTeam,
  showProjectTeam,
  showServiceTeam,
} from './pages/company.tsx'
import { confirm, confirmPage } from './pages/confirm.tsx'
import { exportFile, exportPage } from './pages/export.tsx'
import { askReset, forgottenPage, reset, resetPage } from './pages/forgotten.tsx'
import { homePage } from './pages/home.tsx'
import { accept, invitationPage } from './pages/invitation.tsx'
import { keysPage, makeKey, revoke, revokePage, rotate, rotatePage } from './pages/keys.tsx'
import { ledgerFile } from './pages/ledger.tsx'
import { peoplePage } from './pages/people.tsx'
import { personPage, showChannels } from './pages/person.tsx'
import { choosePlan, plansPage } from './pages/plans.tsx'
import { referralPage } from './pages/referral.tsx'
import { searchPage } from './pages/search.tsx'
import { changeSettings, settingsPage } from './pages/settings.tsx'
import { signIn, signInPage, signOut, signOutPage } from './pages/sign-in.tsx'
import { signUp, signUpPage } from './pages/sign-up.tsx'
import { stopPlan, stopPlanPage } from './pages/stop-plan.tsx'
import {
  changeWorkspace,
  leave,
  leavePage,
  remove,
  removePage,
  workspacePage,
} from './pages/workspace.tsx'

export const ROUTES: readonly Route[] = [
  { path: '/', get: homePage, fixedFor: 'everybody' },
  { path: '/credits', get: plansPage, post: choosePlan, fixedFor: 'strangers' },
  ...DOCUMENTS.map(
    (document): Route => ({
      path: document.path,
      get: (visit) => documentPage(document, DOCUMENTS, visit),
      fixedFor: 'everybody',
    }),
  ),
  { path: '/sign-in', get: signInPage, post: signIn },
  { path: '/sign-up', get: signUpPage, post: signUp },
  { path: '/sign-out', get: signOutPage, post: signOut },
  { path: '/forgotten', get: (visit) => forgottenPage(visit), post: askReset },
  { path: '/reset', get: resetPage, post: reset },
  { path: '/confirm', get: confirmPage, post: confirm },
  { path: '/keys', get: (visit) => keysPage(visit), post: makeKey, isPersonal: true },
  { path: '/keys/revoke', get: revokePage, post: revoke, isPersonal: true },
  { path: '/keys/rotate', get: rotatePage, post: rotate, isPersonal: true },
  {
    path: '/settings',
    get: (visit) => settingsPage(visit),
    post: changeSettings,
    isPersonal: true,
  },
  {
    path: '/workspace',
    get: (visit) => workspacePage(visit),
    post: changeWorkspace,
    isPersonal: true,
  },
  { path: '/workspace/remove', get: removePage, post: remove, isPersonal: true },
  { path: '/workspace/leave', get: leavePage, post: leave, isPersonal: true },
  { path: '/invitation', get: invitationPage, post: accept },
  { path: '/balance', get: balancePage, isPersonal: true },
  { path: '/balance/ledger.csv', get: ledgerFile, isPersonal: true },
  { path: '/balance/stop-plan', get: stopPlanPage, post: stopPlan, isPersonal: true },
  { path: '/referral', get: referralPage, isPersonal: true },
  { path: '/export/:list', get: exportPage, post: exportFile, isPersonal: true },
  {
    path: '/bulk-search',
    get: (visit) => bulkPage(visit),
    post: bulkSearch,
    isPersonal: true,
    takesFiles: true,
    maxFormBytes: MAX_BULK_BYTES,
  },
  { path: '/search', get: searchPage, isCounted: true },
  { path: '/people', get: peoplePage, isCounted: true },
  { path: '/people/:id', get: personPage, post: showChannels, isCounted: true },
  { path: '/projects', get: projectsPage, isCounted: true },
  { path: '/projects/:id', get: projectPage, post: showProjectTeam, isCounted: true },
  { path: '/investors', get: investorsPage, isCounted: true },
  { path: '/investors/:id', get: investorPage, post: showInvestorTeam, isCounted: true },
  { path: '/services', get: servicesPage, isCounted: true },
  { path: '/services/:id', get: servicePage, post: showServiceTeam, isCounted: true },
]
