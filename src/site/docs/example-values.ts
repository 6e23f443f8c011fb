/** Values for examples, from records of the loaded directory, so that each example finds something. */
import { isDeepStrictEqual } from 'node:util'
import {
  documentedPath,
  ENDPOINTS,
  type Endpoint,
  type EndpointName,
} from '../../contract/endpoints.ts'
import { DIRECTORIES, type DirectoryName } from '../../contract/vocabulary.ts'
import type { Company } from '../../directory/records/company.ts'
import type { Directory } from '../../directory/records/directory.ts'
import type { Person } from '../../directory/records/person.ts'
import { nameOf, personRecord } from '../profiles/view-models.ts'
import { type OpenApi, operationAt } from './openapi.ts'

type Values = Readonly<Record<string, string | undefined>>

/** Values by endpoint and parameter, a path's under `id`. An endpoint is absent if the directory has no record for it. */
export type ExampleValues = Readonly<Partial<Record<EndpointName, Values>>>

/** Values by the moment of the directory, so that no text of a record outlives the record. */
const kept = new WeakMap<object, ExampleValues>()
const latest = new WeakMap<Directory, WeakRef<ExampleValues>>()

/** Returns the same object until a value changes: pages that are rendered with it are kept. */
export function exampleValues(directory: Directory): ExampleValues {
  const moment = directory.moment()
  const known = kept.get(moment)
  if (known) return known
  const now = chosen(directory)
  const before = latest.get(directory)?.deref()
  const values = before && isDeepStrictEqual(before, now) ? before : now
  kept.set(moment, values)
  latest.set(directory, new WeakRef(values))
  return values
}

/** The most prominent records, among which the fullest one is the example. */
const HEAD = { wanted: {}, page: 1, limit: 20, facets: [] }

function chosen(directory: Directory): ExampleValues {
  const head = (list: DirectoryName) => directory.browseCompanies(list, HEAD).records
  const [project, investor, service] = DIRECTORIES.map((list) => fullest(head(list), ofCompany))
  const person = fullest(directory.browsePeople(HEAD).records, ofPerson)
  const q = [project?.q, person?.q].find((text) => text && finds(directory, text))
  return {
    me: {},
    ...(person && { people: person, person }),
    ...(project && { projects: project, project }),
    ...(investor && { investors: investor, investor }),
    ...(service && { services: service, service }),
    ...(q && { search: { q } }),
  }
}

function finds(directory: Directory, q: string): boolean {
  const { projects, people } = directory.search(q, 1)
  return projects.length + people.length > 0
}

/** The values of the record that has most of them. */
function fullest<R>(records: readonly R[], valuesOf: (record: R) => Values): Values | undefined {
  const known = (values: Values) => Object.values(values).filter(Boolean).length
  return records.map(valuesOf).toSorted((a, b) => known(b) - known(a))[0]
}

function ofPerson(person: Person): Values {
  const { id, slug, roles, channels, contactType, company } = person
  const name = personRecord(person)
  const { parameters } = ENDPOINTS.people
  return {
    id: slug ?? id,
    q: name.firstName || name.lastName ? queryFor(nameOf(name)) : undefined,
    roles: listed(roles, parameters.roles.example),
    channels: listed(channels, parameters.channels.example),
    sector: listed(company?.sectors ?? [], parameters.sector.example),
    contactType,
  }
}

function ofCompany({ slug, name, ...company }: Company): Values {
  const { tokenLaunched, fundType, trustTier } = company
  return {
    id: slug,
    q: queryFor(name),
    sector: listed(company.sectors, ENDPOINTS.projects.parameters.sector.example),
    token: tokenLaunched === null ? undefined : tokenLaunched ? 'launched' : 'pre',
    fundType: fundType ?? undefined,
    trustTier: trustTier ?? undefined,
  }
}

/** The usual example of a list where it has a value of the record, else one of the record's own; a comma would divide it. */
function listed(values: readonly string[], usual: string): string | undefined {
  const isOwn = usual.split(',').some((value) => values.includes(value))
  return isOwn ? usual : values.find((value) => !value.includes(','))
}

/** A search takes 200, and nobody reads so long an example. */
const MOST_CHARACTERS = 40

/** A query that finds a name: its beginning, because the last word may be unfinished. Undefined without a letter or digit. */
export function queryFor(name: string): string | undefined {
  const query = [...name].slice(0, MOST_CHARACTERS).join('').trim()
  return /[\p{L}\p{N}]/u.test(query) ? query : undefined
}

/** The document with these values as the examples of its parameters. */
export function withExamples(document: OpenApi, values: ExampleValues): OpenApi {
  const paths = { ...document.paths }
  for (const [name, own] of Object.entries(values)) {
    const { path }: Endpoint = ENDPOINTS[name as EndpointName]
    const operation = operationAt(document, documentedPath(path))
    const parameters = operation.parameters.map((parameter) => {
      if ('$ref' in parameter) return parameter
      const value = own[parameter.in === 'path' ? 'id' : parameter.name]
      if (value === undefined) return parameter
      return { ...parameter, example: Array.isArray(parameter.example) ? value.split(',') : value }
    })
    paths[documentedPath(path)] = { get: { ...operation, parameters } }
  }
  return { ...document, paths }
}
