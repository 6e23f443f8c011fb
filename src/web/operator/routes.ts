/** The operator's pages by their paths. Who is no operator gets an unknown path's page of each of them (D183). */
import type { Reply, Route, RouteOf, SignedInContext } from '../http/page.ts'
import { accountPage, changeAccount } from './account.tsx'
import { accountsPage } from './accounts.tsx'
import { auditPage } from './audit.tsx'
import { confirm, confirmPage } from './confirm.tsx'
import { beginAsOperator, firstOperatorPage, holdsLink } from './first-operator.tsx'
import { isOperator } from './frame.tsx'
import { homePage } from './home.tsx'
import { decide, paymentsPage } from './payments.tsx'
import { secondFactorFirst } from './second-factor-first.tsx'

/** Named here once: the gate, and the test that asks everybody for every page, go by this list. */
const PAGES: readonly Omit<RouteOf<SignedInContext>, 'isStatic'>[] = [
  { path: '/operator', get: homePage },
  { path: '/operator/accounts', get: accountsPage },
  { path: '/operator/accounts/:id', get: accountPage, post: changeAccount },
  { path: '/operator/confirm', get: confirmPage, post: confirm },
  { path: '/operator/payments', get: paymentsPage, post: decide },
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
