import { arrayOf, type Template, template } from '../../directory/template.ts'

interface PageQuery {
  page: number
  limit: number
}

type Records = readonly (string | Template)[]

/** The pagination envelope of lists, as JSON members. */
export function envelope(records: Records, total: number, query: PageQuery): Template {
  return template`"data":${arrayOf(records)},"total":${total},${sampleEnvelope(total, query)}`
}

/** The envelope without `data` and `total`, which a sample writes elsewhere (D34). */
export function sampleEnvelope(total: number, { page, limit }: PageQuery): string {
  return `"page":${page},"limit":${limit},"totalPages":${Math.ceil(total / limit)}`
}
