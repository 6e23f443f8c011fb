/** The kinds of records as the operator's pages name them, and the paths of their pages. */
import { RECORD_KINDS, type RecordKind, type ShownRecord } from '../../../intake/editing/records.ts'
import { companyPath, personPath } from '../../../site/profiles/view-models.ts'
import { text } from '../../acts/records.ts'
import { KIND_NAMES } from '../../ui/paths.ts'
import { choiceIn } from '../../ui/query.ts'

/** The kind of the record that a page's path names. */
export function kindOfPath(path: string): RecordKind {
  const kind = RECORD_KINDS.find((one) => path.includes(`/${KIND_NAMES[one].path}/`))
  if (!kind) throw new Error('a path of no kind of record')
  return kind
}

/** @throws PageError 400 */
export const kindIn = (asked: URLSearchParams, otherwise?: RecordKind): RecordKind =>
  choiceIn(asked, 'kind', RECORD_KINDS, otherwise)

/** Distinction between namesakes: a company's domain, a person's title and company, a round's day; else the slug, or ''. */
export function markOfRecord(kind: RecordKind, record: ShownRecord): string {
  const { domain, jobTitle, company, announceDate, slug } = record
  const parts = { company: [domain], person: [jobTitle, company], round: [announceDate] }[kind]
  return parts.map(text).filter(Boolean).join(', ') || text(slug)
}

/** The path of a record's public page; undefined for a round, which has none of its own. */
export function publicPath(kind: RecordKind, record: ShownRecord): string | undefined {
  const { id, slug, companyType } = record
  if (kind === 'person') return personPath({ id, slug: text(slug) || null })
  if (kind === 'round') return undefined
  return companyPath({ slug: text(slug), companyType: text(companyType) })
}
