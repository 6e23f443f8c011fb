/** Tools that read: one for each endpoint, named as its operation is, and two that answer a part of one. */
import { type TObject, Type } from '@sinclair/typebox'
import {
  documentedPath,
  ENDPOINTS,
  type Endpoint,
  type EndpointName,
} from '../contract/endpoints.ts'
import type { Parameters } from '../contract/query.ts'
import { meta } from '../contract/schemas/account.ts'
import { BODIES } from '../contract/schemas/bodies.ts'
import { investor, portfolioRow, projectDetail } from '../contract/schemas/companies.ts'
import { personMember } from '../contract/schemas/people.ts'
import { list, record } from '../contract/schemas/shapes.ts'
import { ID, offered } from './inputs.ts'

/** A body of the API. */
export type Body = Readonly<Record<string, unknown>>

/** Asks the API once, and answers what came or a part of it. */
export interface ReadingTool {
  name: string
  title: string
  description: string
  endpoint: Exclude<EndpointName, 'me'>
  parameters: Parameters
  output: TObject
  /** Of a live body, what the tool answers beside `meta`; all of it unless given. */
  part?(body: Body): Body
}

interface Wording {
  title?: string
  description?: string
  /** What a model should know beside the endpoint's own description. */
  hint?: string
}

/** Endpoints that are tools as they are. */
const WORDINGS: Readonly<Record<ReadingTool['endpoint'], Wording>> = {
  search: { hint: 'Begin here where a name is known. Lists filter, count and page.' },
  people: { hint: 'reveal_contact shows the private channels of one person.' },
  person: {
    title: 'Full profile and coworkers',
    description: 'A person in full, and who works at the same company.',
    hint: 'Shows the private channels of contacts that the account has unlocked before, and unlocks nobody: reveal_contact does.',
  },
  projects: {},
  project: { hint: 'It has the rounds that the company raised.' },
  investors: {},
  investor: {
    hint: 'It holds team and portfolio: get_team and get_portfolio need not be called as well.',
  },
  services: {},
  service: {},
}

/** `listPeople` as tools are named: `list_people`. */
const toolName = (operationId: string) =>
  operationId.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)

function wholeAnswer([name, wording]: [ReadingTool['endpoint'], Wording]): ReadingTool {
  const endpoint: Endpoint = ENDPOINTS[name]
  // What a reveal takes is the tool reveal_contact's.
  const { include: _, ...query } = offered(endpoint.parameters)
  const { title = endpoint.summary, description = endpoint.description, hint = '' } = wording
  return {
    name: toolName(endpoint.operationId),
    title,
    description: `${description} ${hint}`.trim(),
    endpoint: name,
    parameters: documentedPath(endpoint.path).includes('{') ? { id: ID, ...query } : query,
    output: BODIES[name].live,
  }
}

/** Fields that say which company it is. */
const HEAD = ['id', 'name', 'slug', 'companyType'] as const

function headOf(company: unknown): Body {
  const fields = company as Body
  return Object.fromEntries(HEAD.map((name) => [name, fields[name]]))
}

const TEAM: ReadingTool = {
  name: 'get_team',
  title: 'Team of one company',
  description:
    'Who works at a company of any kind, without the rest of its record. get_project, get_investor and get_service hold the same team.',
  endpoint: 'project',
  parameters: { id: ID },
  output: record('Team', 'A company and its people.', {
    company: Type.Pick(projectDetail, HEAD),
    team: list(personMember, 'Its people, by name. Channels show for contacts already unlocked.'),
    meta,
  }),
  part: ({ project, team }) => ({ company: headOf(project), team }),
}

const PORTFOLIO: ReadingTool = {
  name: 'get_portfolio',
  title: 'Portfolio of one fund',
  description:
    'What a fund or angel has invested in, without its team and the rest of its record. get_investor holds the same portfolio.',
  endpoint: 'investor',
  parameters: { id: ID },
  output: record('Portfolio', 'A fund and its investments.', {
    investor: Type.Pick(investor, HEAD),
    portfolio: list(portfolioRow, 'Its investments, newest first.'),
    meta,
  }),
  part: ({ investor, portfolio }) => ({ investor: headOf(investor), portfolio }),
}

export const READING_TOOLS: readonly ReadingTool[] = [
  ...(Object.entries(WORDINGS) as [ReadingTool['endpoint'], Wording][]).map(wholeAnswer),
  TEAM,
  PORTFOLIO,
]
