/** Many searches at once: which lines of a text are searched for, and what is found for each. */
import { wholeOf } from '../../../index-build/documents.ts'
import { DIRECTORIES } from '../../contract/vocabulary.ts'
import type { Directory } from '../../directory/directory.ts'
import { parseQuery } from '../../search/query.ts'
import { FieldError } from '../../users/validation.ts'
import {
  companyPath,
  nameOf,
  personPath,
  personRecord,
  projectRecord,
} from '../directory/view-models.ts'

export const MAX_LINES = 200
const MAX_LINE_CHARACTERS = 200
/** Records shown of each line. */
const MATCHES = 3

/** The lines that hold something, trimmed, in their order. @throws FieldError that names the line */
export function linesOf(field: string, text: string): string[] {
  const lines: string[] = []
  for (const [position, line] of text.split(/\r\n|\r|\n/).entries()) {
    const trimmed = line.trim()
    if (trimmed === '') continue
    if (trimmed.length > MAX_LINE_CHARACTERS) {
      throw new FieldError(
        field,
        `Line ${position + 1} has ${trimmed.length} characters: at most ${MAX_LINE_CHARACTERS}.`,
      )
    }
    if (trimmed.includes('\0')) {
      throw new FieldError(field, `Line ${position + 1} holds a character that no text has.`)
    }
    lines.push(trimmed)
  }
  if (lines.length === 0) throw new FieldError(field, 'Please put in at least one line.')
  if (lines.length > MAX_LINES) {
    throw new FieldError(field, `There are ${lines.length} lines: at most ${MAX_LINES} at once.`)
  }
  return lines
}

export interface Match {
  /** `people`, or the directory of the company. */
  list: string
  id: string
  name: string
  /** Job title and company, or what a company is. */
  detail: string
  path: string
}

/** The best records for a line: those that are called exactly so before others, then by turns from each list. */
export function bestMatches(directory: Directory, line: string): Match[] {
  const whole = parseQuery(line).whole
  const head = { q: line, page: 1, limit: MATCHES }
  const found = [
    directory.people({ ...head, roles: [], channels: [] }).people.map((person, rank) => {
      const record = personRecord(person)
      return {
        rank,
        isExact: isCalled(whole, [nameOf(record), record.twitterHandle]),
        match: {
          list: 'people',
          id: record.id,
          name: nameOf(record),
          detail: [record.jobTitle, record.company?.name].filter(Boolean).join(', '),
          path: personPath(record),
        },
      }
    }),
    ...DIRECTORIES.map((list) =>
      directory.companies(list, { ...head, sectors: [] }).companies.map((company, rank) => {
        const record = projectRecord(company)
        return {
          rank,
          isExact: isCalled(whole, [
            record.name,
            record.ticker,
            record.twitterHandle,
            record.domain,
          ]),
          match: {
            list,
            id: record.id,
            name: record.name,
            detail: [record.companyType, ...record.sectors.slice(0, 2)].join(', '),
            path: companyPath(record),
          },
        }
      }),
    ),
  ].flat()
  const sorted = found.sort((a, b) => Number(b.isExact) - Number(a.isExact) || a.rank - b.rank)
  // A company may be listed in two directories.
  const distinct = new Map(sorted.map(({ match }) => [match.id, match] as const).toReversed())
  return sorted
    .filter(({ match }) => distinct.get(match.id) === match)
    .slice(0, MATCHES)
    .map(({ match }) => match)
}

function isCalled(whole: string, names: readonly (string | null)[]): boolean {
  return names.some((name) => name !== null && wholeOf(name) === whole)
}
