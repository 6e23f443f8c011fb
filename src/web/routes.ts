/** Every page by its path: the one registry of what this host answers beside its assets. */
import { documentPage } from './docs/document.tsx'
import { DOCUMENTS } from './docs/documents.ts'
import type { Route } from './page.ts'
import { investorsPage, projectsPage, servicesPage } from './pages/companies.tsx'
import { investorPage, projectPage, servicePage } from './pages/company.tsx'
import { homePage } from './pages/home.tsx'
import { peoplePage } from './pages/people.tsx'
import { personPage } from './pages/person.tsx'
import { plansPage } from './pages/plans.tsx'
import { searchPage } from './pages/search.tsx'

export const ROUTES: readonly Route[] = [
  { path: '/', get: homePage, isFixed: true },
  { path: '/credits', get: plansPage, isFixed: true },
  ...DOCUMENTS.map(
    (document): Route => ({
      path: document.path,
      get: (visit) => documentPage(document, DOCUMENTS, visit),
      isFixed: true,
    }),
  ),
  { path: '/search', get: searchPage, isCounted: true },
  { path: '/people', get: peoplePage, isCounted: true },
  { path: '/people/:id', get: personPage, isCounted: true },
  { path: '/projects', get: projectsPage, isCounted: true },
  { path: '/projects/:id', get: projectPage, isCounted: true },
  { path: '/investors', get: investorsPage, isCounted: true },
  { path: '/investors/:id', get: investorPage, isCounted: true },
  { path: '/services', get: servicesPage, isCounted: true },
  { path: '/services/:id', get: servicePage, isCounted: true },
]
