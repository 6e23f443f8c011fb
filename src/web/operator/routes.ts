/** The operator's pages by their paths. Who is no operator gets an unknown path's page of each of them (D183). */
import type { Route, RouteOf, SignedInContext } from '../http/page.ts'
import { auditPage } from './audit.tsx'
import { beginAsOperator, firstOperatorPage, holdsLink } from './first-operator.tsx'
import { isOperator } from './frame.tsx'
import { homePage } from './home.tsx'

/** Named here once: the gate, and the test that asks everybody for every page, go by this list. */
const PAGES: readonly Omit<RouteOf<SignedInContext>, 'isStatic'>[] = [
  { path: '/operator', get: homePage },
  { path: '/operator/audit', get: auditPage },
]

export const OPERATOR_ROUTES: readonly Route[] = [
  ...PAGES.map((page) => ({ ...page, needsSignIn: true as const, admits: isOperator })),
  {
    path: '/first-operator',
    get: firstOperatorPage,
    post: beginAsOperator,
    needsSignIn: true,
    admits: holdsLink,
  },
]
