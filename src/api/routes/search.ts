/** `GET /v1/search`: projects and people at once. */
import { ENDPOINTS } from '../../contract/endpoints.ts'
import { personItem, projectItem } from '../../directory/records/render.ts'
import { arrayOf, lockedText, type Template, template } from '../../directory/records/template.ts'
import { apiEndpoint, listReading } from './endpoint.ts'
import * as samples from './samples.ts'

export const search = apiEndpoint(ENDPOINTS.search, {
  read(directory, { q, limit }) {
    const answer = directory.ready(`search ${limit} ${q}`, () => {
      const { projects, people } = directory.search(q, limit)
      const text = () => groups(q, limit, projects.map(projectItem), people.map(personItem))
      return { shows: [...projects, ...people], text }
    })
    return listReading(answer)
  },
  sample({ q, limit }) {
    const projects = samples.page(samples.companies.projects, limit).map(projectItem)
    const people = samples.page(samples.people, limit).map(personItem)
    return {
      data: lockedText(arrayOf([...projects, ...people])),
      total: projects.length + people.length,
      members: lockedText(groups(q, limit, projects, people)),
    }
  },
})

function groups(
  q: string,
  limit: number,
  projects: readonly Template[],
  people: readonly Template[],
): Template {
  const head = `"q":${JSON.stringify(q)},"limit":${limit}`
  return template`${head},"projects":${arrayOf(projects)},"people":${arrayOf(people)}`
}
