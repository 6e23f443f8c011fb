/** The records that a line of a bulk search finds. */
import { DIRECTORIES } from '../../../contract/vocabulary.ts'
import type { Directory } from '../../../directory/records/directory.ts'
import { exactly } from '../../../directory/search/query.ts'
import {
  companyNames,
  companyPath,
  nameOf,
  personNames,
  personPath,
  personRecord,
  projectRecord,
} from '../../profiles/view-models.ts'

/** Records shown of each line. */
const MATCHES = 3

export interface Match {
  /** `people`, or the directory of the company. */
  list: string
  id: string
  name: string
  /** Job title and company, or type and sectors. */
  detail: string
  path: string
}

/** Tells whether a line has a match. */
export function hasMatch(directory: Directory, line: string): boolean {
  const head = { q: line, page: 1, limit: 1 }
  return (
    directory.people(head).total > 0 ||
    DIRECTORIES.some((list) => directory.companies(list, head).total > 0)
  )
}

/** The best records for a line: those with exactly this name first, then the best of each list in turn. */
export function bestMatches(directory: Directory, line: string): Match[] {
  const isExact = exactly(line)
  const head = { q: line, page: 1, limit: MATCHES }
  const people = directory.people(head).people.map(personRecord)
  const found = people.map((person, rank) => ({
    rank,
    isExact: isExact(personNames(person)),
    match: {
      list: 'people',
      id: person.id,
      name: nameOf(person),
      detail: [person.jobTitle, person.company?.name].filter(Boolean).join(', '),
      path: personPath(person),
    },
  }))
  for (const list of DIRECTORIES) {
    const companies = directory.companies(list, head).companies.map(projectRecord)
    for (const [rank, company] of companies.entries()) {
      const { id, name, companyType, sectors } = company
      found.push({
        rank,
        isExact: isExact(companyNames(company)),
        match: {
          list,
          id,
          name,
          detail: [companyType, ...sectors.slice(0, 2)].join(', '),
          path: companyPath(company),
        },
      })
    }
  }
  found.sort((a, b) => Number(b.isExact) - Number(a.isExact) || a.rank - b.rank)
  const shown = new Map<string, Match>()
  for (const { match } of found) {
    // Two directories may list the same company: its first match counts.
    if (shown.size < MATCHES && !shown.has(match.id)) shown.set(match.id, match)
  }
  return [...shown.values()]
}
