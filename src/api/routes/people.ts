/** `GET /v1/people` and `GET /v1/people/{id}`. */

import { ENDPOINTS } from '../../contract/endpoints.ts'
import { PEOPLE_PARAMETERS } from '../../contract/parameters.ts'
import type { Person } from '../../directory/person.ts'
import { personDetail, personItem, personMember } from '../../directory/render.ts'
import {
  dataEndpoint,
  listReading,
  missingReading,
  recordReading,
  type Unlocked,
} from '../endpoint.ts'
import { sampleChannels, samplePage, samplePeople } from '../samples.ts'
import { envelope, sampleEnvelope } from './envelope.ts'

export const listPeople = dataEndpoint({
  price: ENDPOINTS.people,
  parameters: {
    ...PEOPLE_PARAMETERS,
    include: {
      kind: 'choice',
      choices: [],
      rejected:
        'include=private is not available on a list: read one person with GET /v1/people/{id}?include=private.',
      description: 'Not available on a list: answers 400. Reveal one person at a time.',
    },
  },
  read(directory, query) {
    const { people, total, facets } = directory.people(query)
    const facetsJson = JSON.stringify(facets)
    return listReading(ids(people), (unlocked) => {
      const records = people.map((person) => personItem(person, unlocked.has(person.id)))
      return `${envelope(records, total, query)},"facets":${facetsJson}`
    })
  },
  sample(query) {
    const people = samplePage(samplePeople, query.limit)
    const facets = {
      roles: [{ value: 'founder', count: 3 }],
      channels: [{ value: 'email', count: 3 }],
    }
    return {
      data: `[${people.map((person) => personItem(person, false)).join(',')}]`,
      total: people.length,
      members: `${sampleEnvelope(people.length, query)},"facets":${JSON.stringify(facets)}`,
    }
  },
})

export const readPerson = dataEndpoint({
  price: ENDPOINTS.person,
  parameters: {
    include: {
      kind: 'choice',
      choices: ['private'],
      description:
        'private reveals email, phone, telegram and linkedinUrl: 10 credits the first time, then the contact stays unlocked. Needs the scope read:contacts.',
    },
  },
  needsContacts: (query) => query.include === 'private',
  read(directory, query, id) {
    const asksReveal = query.include === 'private'
    const person = directory.person(id)
    // An unknown id is quoted like a contact that is still locked, so that a sample tells nothing apart.
    if (!person) return missingReading(asksReveal)
    const coworkers = directory.coworkers(person)
    return {
      ...recordReading(ids([person, ...coworkers]), (unlocked) => {
        const contact = unlocked.get(person.id)
        const detail = personDetail(person, contact !== undefined, contact ?? null)
        return `"data":{"person":${detail},"coworkers":${members(coworkers, unlocked)}}`
      }),
      person: person.id,
      reveal: asksReveal && person.hasChannels,
    }
  },
  sample(query) {
    const [person, ...coworkers] = samplePeople
    const channels = query.include === 'private' ? sampleChannels : null
    const detail = person ? personDetail(person, channels !== null, channels) : 'null'
    const data = `{"person":${detail},"coworkers":${members(coworkers, new Map())}}`
    return { data, total: 1, members: '' }
  },
})

/** Team members or coworkers, each with its channels where it is unlocked (D29). */
export function members(people: readonly Person[], unlocked: Unlocked): string {
  const records = people.map((person) => {
    const contact = unlocked.get(person.id)
    return personMember(person, contact !== undefined, contact ?? null)
  })
  return `[${records.join(',')}]`
}

export function ids(people: readonly Person[]): string[] {
  return people.map((person) => person.id)
}
