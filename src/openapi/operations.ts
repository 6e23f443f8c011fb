/** What each operation is called and said to do. Prices, parameters and answers come from the tables. */
import { CALL_CREDITS, ENDPOINTS, REVEAL_CREDITS } from '../contract/endpoints.ts'
import type { Parameters } from '../contract/query.ts'
import { rejectedParameters } from './parameters.ts'

/** The document's own description, in CommonMark. */
export const OVERVIEW = `A read-only API over people, projects, funds and service providers of the crypto industry.

- Every call is a GET with \`Authorization: Bearer <API_KEY>\`. HEAD and OPTIONS are free.
- A data call costs ${CALL_CREDITS} credits, the first reveal of a contact ${REVEAL_CREDITS}. Only a 200 with live data is charged; an empty list is live data.
- A free account without enough credits gets **samples**: invented records, marked by the header \`Service-Sample\` and by \`sample: true\`. A paid one gets a 402.
- A parameter that does not exist is a 400, so that a misspelt filter costs nothing.
- Fields may be added within a major version. Ignore those that you don't know.`

export const TAGS = [
  { name: 'Account', description: 'Who calls, with how many credits, at what prices.' },
  {
    name: 'People',
    description: 'Founders, operators and allocators, and their contact channels.',
  },
  {
    name: 'Projects',
    description: 'Projects and institutions; one company of any kind by its id.',
  },
  { name: 'Investors', description: 'Funds and angels with their portfolios.' },
  { name: 'Services', description: 'Service providers, platforms and launchpads.' },
  { name: 'Search', description: 'Projects and people at once.' },
] as const

interface Operation {
  id: string
  tag: (typeof TAGS)[number]['name']
  /** CommonMark. */
  description: string
}

export const OPERATIONS: Readonly<Record<keyof typeof ENDPOINTS, Operation>> = {
  me: {
    id: 'getAccount',
    tag: 'Account',
    description:
      'The account behind the key: its tier, its balance, and every endpoint with its price, from the table that bills. Free.',
  },
  people: {
    id: 'listPeople',
    tag: 'People',
    description:
      'Private channels are always null here; the `has*` flags say which of them a reveal would show. `isLocked` speaks for the calling account.',
  },
  person: {
    id: 'getPerson',
    tag: 'People',
    description: `With \`include=private\` the channels of a contact are revealed: ${REVEAL_CREDITS} credits once, and the contact stays unlocked. Later reads show its channels for ${CALL_CREDITS} credits, with or without \`include\`. A contact without any channel on file has nothing to reveal and costs ${CALL_CREDITS}.`,
  },
  projects: {
    id: 'listProjects',
    tag: 'Projects',
    description: 'Companies of the types project and institution.',
  },
  project: {
    id: 'getProject',
    tag: 'Projects',
    description:
      'A company of any kind: `project.companyType` tells the directory it lives in. Team members show private channels where the contact is already unlocked.',
  },
  investors: {
    id: 'listInvestors',
    tag: 'Investors',
    description: 'Companies of the type investor.',
  },
  investor: {
    id: 'getInvestor',
    tag: 'Investors',
    description:
      'One fund with its team and what it invested in. A company that is not a fund is a 404 here, even if it has backed rounds.',
  },
  services: {
    id: 'listServices',
    tag: 'Services',
    description:
      'Companies of the types service, platform and launchpad, and others that also sell a service.',
  },
  service: {
    id: 'getService',
    tag: 'Services',
    description: 'One provider with its team.',
  },
  search: {
    id: 'search',
    tag: 'Search',
    description:
      'The first records of each group, without paging. For a complete set, page through `/v1/projects?q=` or `/v1/people?q=`.',
  },
}

/** Everything an operation says for itself, in CommonMark: its text, its price, its scope. */
export function descriptionOf(name: keyof typeof ENDPOINTS, parameters: Parameters): string {
  const { credits, revealCredits } = ENDPOINTS[name]
  const reveal = revealCredits > credits ? `, or ${revealCredits} on a first reveal` : ''
  const scope = reveal ? '; a reveal also `read:contacts`' : ''
  const price = `Costs ${credits} credits${reveal}. Needs the scope \`read:metadata\`${scope}.`
  return `${OPERATIONS[name].description}\n\n${price}${rejectedParameters(parameters)}`
}
