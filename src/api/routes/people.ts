/** `GET /v1/people` and `GET /v1/people/{id}`. */
import { ENDPOINTS } from '../../contract/endpoints.ts'
import type { Person } from '../../directory/records/person.ts'
import { personDetail, personItem, personMember } from '../../directory/records/render.ts'
import {
  arrayOf,
  fill,
  lockedText,
  type Template,
  template,
} from '../../directory/records/template.ts'
import {
  apiEndpoint,
  envelope,
  listReading,
  MISSING,
  recordReading,
  sampleEnvelope,
} from './endpoint.ts'
import * as samples from './samples.ts'

export const listPeople = apiEndpoint(ENDPOINTS.people, {
  list: 'people',
  read(directory, query) {
    const answer = directory.ready(`people ${JSON.stringify(query)}`, () => {
      const { people, total, facets } = directory.people(query)
      const counted = JSON.stringify(facets)
      const text = () =>
        template`${envelope(people.map(personItem), total, query)},"facets":${counted}`
      return { shows: [...people, total, counted], text }
    })
    return listReading(answer)
  },
  sample(query) {
    const people = samples.page(samples.people, query.limit)
    const facets = {
      roles: [{ value: 'founder', count: 3 }],
      channels: [{ value: 'email', count: 3 }],
    }
    return {
      data: lockedText(arrayOf(people.map(personItem))),
      total: people.length,
      members: `${sampleEnvelope(people.length, query)},"facets":${JSON.stringify(facets)}`,
    }
  },
})

export const readPerson = apiEndpoint(ENDPOINTS.person, {
  asksReveal: (query) => query.include === 'private',
  find(directory, id) {
    const person = directory.person(id)
    return { exists: person !== undefined, person: person?.id ?? null }
  },
  read(directory, _, id) {
    const person = directory.person(id)
    if (!person) return MISSING
    const answer = directory.ready(`person ${person.id}`, () => {
      const coworkers = directory.coworkers(person)
      const text = () => template`"data":${profile(person, coworkers)}`
      return { shows: [person, ...coworkers], text }
    })
    return { ...recordReading(answer), person: person.id }
  },
  sample(query) {
    const [person, ...coworkers] = samples.people
    const unlocked = query.include === 'private' ? [[person.id, samples.channels] as const] : []
    const data = fill(profile(person, coworkers), new Map(unlocked), true)
    return { data, total: 1, members: '' }
  },
})

function profile(person: Person, coworkers: readonly Person[]): Template {
  return template`{"person":${personDetail(person)},"coworkers":${arrayOf(coworkers.map(personMember))}}`
}
