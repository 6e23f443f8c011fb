/** `GET /v1/search`: projects and people at once. */

import { ENDPOINTS } from '../../contract/endpoints.ts'
import { SEARCH_PARAMETERS } from '../../contract/parameters.ts'
import { personItem, projectItem } from '../../directory/render.ts'
import { dataEndpoint, listReading } from '../endpoint.ts'
import { samplePage, samplePeople, sampleProjects } from '../samples.ts'
import { ids } from './people.ts'

export const search = dataEndpoint({
  price: ENDPOINTS.search,
  parameters: SEARCH_PARAMETERS,
  read(directory, { q: text, limit }) {
    const { projects, people } = directory.search(text, limit)
    const head = `"q":${JSON.stringify(text)},"limit":${limit},"projects":[${projects.map(projectItem).join(',')}]`
    return listReading(ids(people), (unlocked) => {
      const records = people.map((person) => personItem(person, unlocked.has(person.id)))
      return `${head},"people":[${records.join(',')}]`
    })
  },
  sample({ q: text, limit }) {
    const projects = samplePage(sampleProjects, limit).map(projectItem)
    const people = samplePage(samplePeople, limit).map((person) => personItem(person, false))
    return {
      data: `[${[...projects, ...people].join(',')}]`,
      total: projects.length + people.length,
      members: `"q":${JSON.stringify(text)},"limit":${limit},"projects":[${projects.join(',')}],"people":[${people.join(',')}]`,
    }
  },
})
