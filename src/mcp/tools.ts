/** Tools that read: one for each endpoint, named as its operation is, and two that answer a part of one in pages. */
import { type TObject, Type } from '@sinclair/typebox'
import {
  documentedPath,
  ENDPOINTS,
  type Endpoint,
  type EndpointName,
} from '../contract/endpoints.ts'
import type { ListParameter, Parameters } from '../contract/query.ts'
import { meta } from '../contract/schemas/account.ts'
import { BODIES } from '../contract/schemas/bodies.ts'
import { investor, portfolioRow, project, projectDetail } from '../contract/schemas/companies.ts'
import { person, personDetail, personMember } from '../contract/schemas/people.ts'
import { count, list, record } from '../contract/schemas/shapes.ts'
import { ID, offered, pageOf, pagesOf } from './inputs.ts'
import { ALL, type Body, BRIEF, bodies, body, brief, detail, type Selection } from './records.ts'

/** Asks the API once, and answers the part that a call asks for. */
export interface ReadingTool {
  name: string
  title: string
  description: string
  endpoint: Exclude<EndpointName, 'me'>
  /** `view` reads those that the endpoint does not have. */
  parameters: Parameters
  output: TObject
  /** Makes the answer of a live body; `meta` is added to it. @param given the call's arguments */
  view(answer: Body, selection: Selection, given: Readonly<Record<string, unknown>>): Body
}

interface Wording extends Pick<ReadingTool, 'view'> {
  title?: string
  description: string
  /** Schemas of records whose fields may be named. */
  records: readonly TObject[]
}

/** People of a company, or investments, that stand beside a single record. */
const MOST_BESIDE = 20

/** The parameter `fields`. @param more what may be named beside fields of records */
function fieldsOf(records: readonly TObject[], more: readonly string[] = []): ListParameter {
  const names = records.flatMap(({ properties }) => Object.keys(properties))
  return {
    kind: 'list',
    choices: [...new Set([ALL, ...more, ...names])],
    description: `More fields of each record; ${ALL} gives everything, which is long.`,
  }
}

const page = (names: readonly string[]) => (answer: Body, selection: Selection) => {
  const { data, facets, ...paging } = answer
  const isCounted = selection.fields.has('facets')
  return { data: each(data, names, selection), ...paging, ...(isCounted && { facets }) }
}

function each(records: unknown, names: readonly string[], selection: Selection): Body[] {
  return bodies(records).map((one) => brief(one, names, selection))
}

/** The first of those that stand beside a single record. */
function first(records: unknown, names: readonly string[], selection: Selection): Body[] {
  return each(bodies(records).slice(0, MOST_BESIDE), names, selection)
}

const company = (key: string) => (answer: Body, selection: Selection) => ({
  [key]: detail(body(answer[key]), selection),
  team: first(answer.team, BRIEF.person, selection),
  teamTotal: bodies(answer.team).length,
})

/** Endpoints that are tools as they are. */
const WORDINGS: Readonly<Record<ReadingTool['endpoint'], Wording>> = {
  search: {
    description:
      'Finds projects and people by a name or words, the best of each. The cheapest way where a name is known. To filter, count or page call list_people, list_projects, list_investors or list_services.',
    records: [person, project],
    view: ({ q, limit, projects, people }, selection) => ({
      q,
      limit,
      projects: each(projects, BRIEF.company, selection),
      people: each(people, BRIEF.person, selection),
    }),
  },
  people: {
    description:
      'People with their companies. Filters combine, so that one call finds founders of DeFi with an e-mail address: roles founder, sector DeFi, channels email. That is cheaper than reading companies one by one. hasEmail, hasPhone, hasTelegram and hasLinkedin say what reveal_contact would show; lists never show channels themselves.',
    records: [person],
    view: page(BRIEF.person),
  },
  person: {
    title: 'Full profile and coworkers',
    description:
      'One person in full, with the first coworkers (get_team has all). Shows the private channels of contacts that the account has unlocked before, and unlocks nobody: reveal_contact does, and needs no call of this tool first.',
    records: [personDetail],
    view: ({ data }, selection) => {
      const { person: one, coworkers } = body(data)
      const others = first(coworkers, BRIEF.person, selection)
      return { data: { person: detail(body(one), selection), coworkers: others } }
    },
  },
  projects: {
    description:
      'Projects and institutions, by sector, token and words. For the people of a sector call list_people with sector instead.',
    records: [project],
    view: page(BRIEF.company),
  },
  project: {
    description: `One company of any kind in full, with its newest rounds and the first ${MOST_BESIDE} people of its team. get_team has the whole team, for the same price.`,
    records: [projectDetail],
    view: company('project'),
  },
  investors: {
    description: 'Funds and angels, by kind, trust and words; largest portfolio first.',
    records: [investor],
    view: page(BRIEF.investor),
  },
  investor: {
    description: `One fund in full, with the first ${MOST_BESIDE} of its team and of its portfolio. get_team and get_portfolio have all of them, each for the same price.`,
    records: [investor],
    view: (answer, selection) => ({
      ...company('investor')(answer, selection),
      portfolio: first(answer.portfolio, BRIEF.investment, selection),
      portfolioTotal: bodies(answer.portfolio).length,
    }),
  },
  services: {
    description:
      'Service providers, platforms and launchpads, by sector and words: auditors, legal counsel, exchanges.',
    records: [project],
    view: page(BRIEF.company),
  },
  service: {
    description: `One service provider, platform or launchpad in full, with the first ${MOST_BESIDE} of its team. get_team has all of them, for the same price.`,
    records: [project],
    view: company('service'),
  },
}

/** `listPeople` as tools are named: `list_people`. */
const toolName = (operationId: string) =>
  operationId.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)

function wholeAnswer([name, wording]: [ReadingTool['endpoint'], Wording]): ReadingTool {
  const endpoint: Endpoint = ENDPOINTS[name]
  // `include` reveals, which only the tool reveal_contact does.
  const { include: _, ...query } = offered(endpoint.parameters)
  const { title = endpoint.summary, description, records, view } = wording
  const fields = fieldsOf(records, name === 'people' ? ['facets'] : [])
  const isSingle = documentedPath(endpoint.path).includes('{')
  return {
    name: toolName(endpoint.operationId),
    title,
    description,
    view,
    endpoint: name,
    parameters: { ...(isSingle && { id: ID }), ...query, fields },
    output: BODIES[name].live,
  }
}

/** Rows of a page where the model names no other number: brief, all of these are short enough. */
const ROWS = 100

const paging = {
  total: count('Rows of all pages.'),
  page: count('Number of the page.'),
  limit: count('Rows of a page.'),
  totalPages: count('Pages that there are.'),
}

const TEAM: ReadingTool = {
  name: 'get_team',
  title: 'Team of one company',
  description:
    'Everybody at a company of any kind, without the rest of its record, 100 a page. Each page is a call with its price.',
  endpoint: 'project',
  parameters: { id: ID, ...pagesOf(ROWS), fields: fieldsOf([personMember]) },
  output: record('Team', 'A company and its people.', {
    company: Type.Object({}),
    team: list(personMember, 'Its people, by name. Channels show for contacts already unlocked.'),
    ...paging,
    meta,
  }),
  view({ project: one, team }, selection, given) {
    const { rows, ...of } = pageOf(bodies(team), given)
    const company = brief(body(one), BRIEF.company, selection)
    return { company, team: each(rows, BRIEF.person, selection), ...of }
  },
}

const PORTFOLIO: ReadingTool = {
  name: 'get_portfolio',
  title: 'Portfolio of one fund',
  description:
    'What a fund or angel has invested in, newest first, without the rest of its record, 100 a page. Each page is a call with its price.',
  endpoint: 'investor',
  parameters: { id: ID, ...pagesOf(ROWS), fields: fieldsOf([portfolioRow]) },
  output: record('Portfolio', 'A fund and its investments.', {
    investor: Type.Object({}),
    portfolio: list(portfolioRow, 'Its investments, newest first.'),
    ...paging,
    meta,
  }),
  view({ investor: one, portfolio }, selection, given) {
    const { rows, ...of } = pageOf(bodies(portfolio), given)
    const fund = brief(body(one), BRIEF.investor, selection)
    return {
      investor: fund,
      portfolio: each(rows, BRIEF.investment, selection),
      ...of,
    }
  },
}

export const READING_TOOLS: readonly ReadingTool[] = [
  ...(Object.entries(WORDINGS) as [ReadingTool['endpoint'], Wording][]).map(wholeAnswer),
  TEAM,
  PORTFOLIO,
]
