/** Every page by its path: the one registry of what this host answers beside its assets. */

import { confirm, confirmPage } from '../account/confirm.tsx'
import { askReset, forgottenPage, reset, resetPage } from '../account/forgotten.tsx'
import { changeSettings, settingsPage } from '../account/settings.tsx'
import { signIn, signInPage, signOut, signOutPage } from '../account/sign-in.tsx'
import { signUp, signUpPage } from '../account/sign-up.tsx'
import { balancePage } from '../billing/balance.tsx'
import { ledgerFile } from '../billing/ledger.tsx'
import { choosePlan, plansPage } from '../billing/plans.tsx'
import { referralPage } from '../billing/referral.tsx'
import { stopPlan, stopPlanPage } from '../billing/stop-plan.tsx'
import { investorsPage, projectsPage, servicesPage } from '../directory/companies.tsx'
import {
  investorPage,
  projectPage,
  servicePage,
  showInvestorTeam,
  showProjectTeam,
  showServiceTeam,
} from '../directory/company.tsx'
import { peoplePage } from '../directory/people.tsx'
import { personPage, showChannels } from '../directory/person.tsx'
import { searchPage } from '../directory/search.tsx'
import { documentPage } from '../docs/document.tsx'
import { DOCUMENTS } from '../docs/documents.ts'
import { bulkPage, bulkSearch, MAX_BULK_BYTES } from '../export/bulk-search-page.tsx'
import { exportFile, exportPage } from '../export/export-page.tsx'
import { homePage } from '../home/home.tsx'
import { keysPage, makeKey, revoke, revokePage, rotate, rotatePage } from '../keys/keys.tsx'
import { accept, invitationPage } from '../workspace/invitation.tsx'
import {
  changeWorkspace,
  leave,
  leavePage,
  remove,
  removePage,
  workspacePage,
} from '../workspace/workspace.tsx'
import type { Route } from './page.ts'

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
