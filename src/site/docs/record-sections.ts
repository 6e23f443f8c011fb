/** Records and bodies of the OpenAPI document as Markdown: each a section with a table of its fields. */
import { documentedPath, ENDPOINTS } from '../../contract/endpoints.ts'
import type { Document, PlaceholderContext } from './document.ts'
import { code, folded, prose, table } from './markdown.ts'
import {
  bodyNamesOf,
  nameOfRef,
  type OpenApi,
  operationAt,
  type Ref,
  resolved,
  type Schema,
} from './openapi.ts'

/** The page of records that several endpoints answer. */
export const RECORDS_PATH = '/docs/records'

/** Returns the path of the page that explains a schema: its endpoint's if it is the body of one. */
export function placeOf(document: OpenApi, name: string): Document['path'] {
  const endpoint = Object.values(ENDPOINTS).find(({ path }) => {
    const bodies = bodyNamesOf(document, operationAt(document, documentedPath(path)))
    return Object.values(bodies).includes(name)
  })
  return endpoint ? `/docs/reference/${endpoint.operationId}` : RECORDS_PATH
}

/** Returns sections in the document's order. @param level of the headings; fields below one of level 2 are folded on a phone */
export function recordSections(
  context: Pick<PlaceholderContext, 'openapi' | 'purpose'>,
  names: readonly string[],
  level: 2 | 3,
): string {
  const document = context.openapi as OpenApi
  return Object.entries(document.components.schemas)
    .filter(([name]) => names.includes(name))
    .map(([name, schema]) => {
      const heading = `${'#'.repeat(level)} ${name} {#record-${name} .entry}`
      const fields = schema.properties && fieldsTable(context, schema)
      const body = fields ?? `One of ${typeText(schema)}.`
      const isFolded = fields && level === 2
      return [
        heading,
        prose(schema.description ?? ''),
        isFolded ? folded(`Fields of ${name}`, body, 'record-fields') : body,
      ].join('\n\n')
    })
    .join('\n\n')
}

function fieldsTable(
  context: Pick<PlaceholderContext, 'openapi' | 'purpose'>,
  { properties = {}, required }: Schema,
): string {
  return table(
    ['Field', 'Type', 'What it says'],
    Object.entries(properties).map(([field, type]) => [
      code(field),
      typeText(type) + (required?.includes(field) ? '' : ', optional'),
      descriptionOf(context, type),
    ]),
  )
}

/** Returns a type in words; a named type links to its section. */
export function typeText(type: Schema | Ref): string {
  if ('$ref' in type) return `[${nameOfRef(type)}](#record-${nameOfRef(type)})`
  const { anyOf, allOf, items, enum: values, format, minimum, maximum, nullable } = type
  const words = (): string => {
    const parts = anyOf ?? allOf
    if (parts) return parts.map(typeText).join(' or ')
    if (items) return `list of ${typeText(items)}`
    if (values) return prose(values.map((value) => JSON.stringify(value)).join(', '))
    return String(minimum !== undefined && minimum === maximum ? minimum : (format ?? type.type))
  }
  return words() + (nullable ? ' or null' : '')
}

/** Returns the description of a field; of one without, that of the record in it, which stands on that record's page as well. */
function descriptionOf(
  { openapi, purpose }: Pick<PlaceholderContext, 'openapi' | 'purpose'>,
  type: Schema | Ref,
): string {
  const { description, ...rest }: Partial<Schema & Ref> = type
  if (description) return prose(description)
  const parts = [type, ...(rest.allOf ?? rest.anyOf ?? []), ...(rest.items ? [rest.items] : [])]
  const record = parts.find((part): part is Ref => '$ref' in part)
  if (!record || purpose === 'search' || purpose === 'whole') return ''
  return prose(resolved<Schema>(openapi as OpenApi, record).description ?? '')
}
