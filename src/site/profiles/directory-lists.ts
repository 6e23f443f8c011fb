/** Parameters of the application's lists, and how lists are read from the directory. */
import { PEOPLE_PARAMETERS } from '../../contract/parameters.ts'
import type { ListParameter, Parameters, Values } from '../../contract/query.ts'
import {
  CHANNELS,
  COMPANY_TYPES,
  CONTACT_TYPES,
  type DirectoryName,
  ENTITY_KINDS,
  type ListName,
} from '../../contract/vocabulary.ts'
import type { Company } from '../../directory/records/company.ts'
import type {
  BrowsedPage,
  BrowseQuery,
  CompanyFacet,
  Directory,
  PeopleFacet,
} from '../../directory/records/directory.ts'
import type { Person } from '../../directory/records/person.ts'

function facet(description: string, choices?: readonly string[]) {
  return { kind: 'list', description, ...(choices && { choices }) } as const
}

/** Records on a page, to stay below 60 KB of HTML. */
const MAX_ROWS = 50

/** Parameters of every list. */
const common = (facets: readonly string[]) =>
  ({
    q: PEOPLE_PARAMETERS.q,
    page: PEOPLE_PARAMETERS.page,
    limit: {
      ...PEOPLE_PARAMETERS.limit,
      max: MAX_ROWS,
      description: `Records on a page; clamped to 1..${MAX_ROWS}.`,
    },
    more: {
      kind: 'choice',
      choices: facets,
      description: 'The facet of which more values are shown.',
    },
    within: {
      kind: 'text',
      maxLength: 100,
      description: 'A text that the values of that facet have which are shown.',
    },
    view: { kind: 'text', maxLength: 36, description: 'The saved view that was opened.' },
  }) as const

const sort = <S extends string>(...choices: readonly S[]) =>
  ({ kind: 'choice', choices, description: 'Order; most prominent first unless given.' }) as const

const sector = facet('Sectors.')
const raised = facet('Years of the last round.')

const PEOPLE_FACETS = {
  roles: facet('Roles.'),
  channels: facet('Channels on file.', CHANNELS),
  company: facet('Companies, by their slugs.'),
  sector,
  raised,
  contactType: facet('Kinds of contact.', CONTACT_TYPES),
} satisfies Record<PeopleFacet, ListParameter>

const COMPANY_FACETS = {
  kind: facet('Kinds of company.', COMPANY_TYPES),
  sector,
  chain: facet('Chains.'),
  token: facet('Whether there is a token.', ['launched', 'pre']),
  stage: facet('Kinds of the last round.'),
  raised,
} satisfies Partial<Record<CompanyFacet, ListParameter>>

const FUND_FACETS = {
  fundType: facet('Kinds of fund.'),
  trustTier: facet('Trust tiers.'),
  entity: facet('Whether it is a firm or one person.', ENTITY_KINDS),
  sector,
} satisfies Partial<Record<CompanyFacet, ListParameter>>

const { kind, chain } = COMPANY_FACETS
const SERVICE_FACETS = { kind, sector, chain, raised }

export const LIST_PARAMETERS = {
  people: {
    ...common(Object.keys(PEOPLE_FACETS)),
    ...PEOPLE_FACETS,
    sort: sort('prominence', 'followers', 'recent', 'name'),
  },
  projects: {
    ...common(Object.keys(COMPANY_FACETS)),
    ...COMPANY_FACETS,
    sort: sort('prominence', 'followers', 'raised', 'last-round', 'investors', 'recent', 'name'),
  },
  investors: {
    ...common(Object.keys(FUND_FACETS)),
    ...FUND_FACETS,
    sort: sort('prominence', 'active', 'portfolio', 'roi', 'followers', 'name', 'recent'),
  },
  services: {
    ...common(Object.keys(SERVICE_FACETS)),
    ...SERVICE_FACETS,
    sort: sort('prominence', 'followers', 'raised', 'last-round', 'recent', 'name'),
  },
} as const satisfies Record<ListName, Parameters>

type Query<L extends keyof typeof LIST_PARAMETERS> = Values<(typeof LIST_PARAMETERS)[L]>
type CompaniesQuery = Query<'projects'> | Query<'investors'> | Query<'services'>
type Counting = Pick<BrowseQuery<never, never>, 'facets'>

/** Names of a list's facets, in display order. */
export function facetNames(parameters: Parameters): string[] {
  return Object.entries(parameters).flatMap(([name, { kind }]) => (kind === 'list' ? [name] : []))
}

/** Selected values of each facet. */
function wantedOf(
  parameters: Parameters,
  values: Readonly<Record<string, unknown>>,
): Record<string, readonly string[]> {
  const names = facetNames(parameters)
  return Object.fromEntries(names.map((name) => [name, values[name] as readonly string[]]))
}

function withinOf<F extends string>({
  more,
  within,
}: {
  more?: F | undefined
  within?: string | undefined
}) {
  return more === undefined || within === undefined ? undefined : { facet: more, text: within }
}

export function listedPeople(
  directory: Directory,
  values: Query<'people'> & Counting,
): BrowsedPage<Person, PeopleFacet> {
  const wanted = wantedOf(LIST_PARAMETERS.people, values)
  const within = withinOf({ ...values, more: values.more as PeopleFacet | undefined })
  return directory.browsePeople({ ...values, wanted, within })
}

export function listedCompanies(
  directory: Directory,
  list: DirectoryName,
  values: CompaniesQuery & Counting,
): BrowsedPage<Company, CompanyFacet> {
  const wanted = wantedOf(LIST_PARAMETERS[list], values)
  const within = withinOf({ ...values, more: values.more as CompanyFacet | undefined })
  return directory.browseCompanies(list, { ...values, wanted, within })
}
