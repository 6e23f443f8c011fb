/** Schemas of every 200: live answers and samples of each endpoint. */
import { type TObject, type TProperties, type TSchema, Type } from '@sinclair/typebox'
import type { ENDPOINTS } from '../endpoints.ts'
import { account, billed, meta, sampleMeta } from './account.ts'
import { investor, portfolioRow, project, projectDetail } from './companies.ts'
import { facets, person, personDetail, personMember } from './people.ts'
import { constant, count, list, record, text } from './shapes.ts'

/** A page of a list. */
function page<Item extends TSchema, Extra extends TProperties>(
  name: string,
  item: Item,
  what: string,
  extra: Extra,
) {
  const members = {
    data: list(item, 'Records of the page.'),
    total: count('Records of all pages.'),
    page: Type.Integer({ minimum: 1, description: 'Number of the page.' }),
    limit: Type.Integer({ minimum: 1, maximum: 100, description: 'Page size actually used.' }),
    totalPages: count('Pages to walk.'),
    ...extra,
  }
  return bodies(name, what, members, members.data, {})
}

/**
 * A live body and its sample, which adds the marks of a sample to the same members.
 * @param data the synthetic records of the sample.
 * @param liveOnly members that only the live body has.
 */
function bodies<Members extends TProperties, Data extends TSchema, LiveOnly extends TProperties>(
  name: string,
  what: string,
  members: Members,
  data: Data,
  liveOnly: LiveOnly,
) {
  const sampleMembers = {
    notice: Type.String({
      pattern: '^NOT REAL DATA',
      description: 'Says that the data is not real, and where to get credits.',
    }),
    sample: constant(true, 'Marks a sample.'),
    ...members,
    data,
    total: count('Number of synthetic records.'),
    meta: sampleMeta,
  }
  return {
    live: record(name, `${what}.`, { ...members, ...liveOnly, meta }),
    sample: record(`${name}Sample`, `${what}, invented: the balance was too low.`, sampleMembers),
  }
}

/** A company under the endpoint's name, and its team. */
function company<Key extends string, Company extends TSchema, Extra extends TProperties>(
  name: string,
  what: string,
  key: Key,
  schema: Company,
  extra: Extra,
) {
  const team = list(
    personMember,
    'Its people, by name. Channels show for contacts already unlocked.',
  )
  const named = { [key]: schema } as { [name in Key]: Company }
  const data = list(schema, 'The same synthetic record.')
  return bodies(name, what, { ...named, team, ...extra }, data, {})
}

const personData = record('PersonData', 'A person and who works at the same company.', {
  person: personDetail,
  coworkers: list(personMember, 'By name, at most 100.'),
})

const searchGroups = {
  q: text('The search text.'),
  limit: Type.Integer({
    minimum: 1,
    maximum: 12,
    description: 'Size of each group actually used.',
  }),
  projects: list(project, 'The head of /v1/projects?q=.'),
  people: list(person, 'The head of /v1/people?q=.'),
}

const portfolio = list(portfolioRow, 'Its investments, newest first.')

const ALL = {
  me: { live: account },
  people: page('PersonPage', person, 'A page of people', { facets }),
  person: bodies('PersonRead', 'One person', { data: personData }, personData, {
    creditsCharged: Type.Optional(billed.creditsCharged),
    creditsBalance: Type.Optional(billed.creditsBalance),
  }),
  projects: page('ProjectPage', project, 'A page of projects', {}),
  project: company('ProjectRead', 'One company', 'project', projectDetail, {}),
  investors: page('InvestorPage', investor, 'A page of investors', {}),
  investor: company('InvestorRead', 'One investor', 'investor', investor, { portfolio }),
  services: page('ServicePage', project, 'A page of service providers', {}),
  service: company('ServiceRead', 'One service provider', 'service', project, {}),
  search: bodies(
    'SearchResult',
    'Projects and people that match',
    searchGroups,
    list(Type.Union([project, person]), 'The synthetic records of both groups.'),
    {},
  ),
}

/** Schemas by endpoint; `/v1/me` has no sample. */
export const BODIES: Readonly<Record<keyof typeof ENDPOINTS, { live: TObject; sample?: TObject }>> =
  ALL

/** `BODIES` with every field's type, for typed clients. */
export type TypedBodies = typeof ALL
