/** The parts of the OpenAPI document (3.0) that the reference shows. */
import { type ErrorCode, isErrorCode } from '../../contract/errors.ts'

type Named<T> = Readonly<Record<string, T>>

export interface Ref {
  $ref: string
}

export interface Schema {
  type?: string
  format?: string
  enum?: readonly unknown[]
  nullable?: boolean
  minimum?: number
  maximum?: number
  description?: string
  items?: Schema | Ref
  maxItems?: number
  anyOf?: readonly (Schema | Ref)[]
  allOf?: readonly (Schema | Ref)[]
  properties?: Named<Schema | Ref>
  required?: readonly string[]
}

export interface Parameter {
  name: string
  in: 'path' | 'query' | 'header'
  required?: boolean
  description?: string
  schema: Schema
  example?: unknown
}

export interface Example {
  summary: string
  value: unknown
}

interface Body {
  schema: Schema | Ref
  examples?: Named<Example | Ref>
}

export interface Response {
  description: string
  content?: Named<Body>
}

export interface Operation {
  operationId: string
  summary: string
  /** CommonMark; the document uses only paragraphs and code. */
  description: string
  parameters: readonly (Parameter | Ref)[]
  responses: Named<Response | Ref>
}

export interface OpenApi {
  paths: Named<{ get: Operation }>
  /** Other components are looked up by `resolved`. */
  components: { schemas: Named<Schema>; headers: Named<{ description: string }> }
}

/** Resolves a reference; returns anything else as it is. */
export function resolved<T extends object>(document: OpenApi, node: T | Ref): T {
  if (!('$ref' in node)) return node
  const target = node.$ref
    .split('/')
    .slice(1)
    .reduce<unknown>((part, name) => (part as Record<string, unknown>)?.[name], document)
  if (!target) throw new Error(`the OpenAPI document has no ${node.$ref}`)
  return target as T
}

/** Returns the name of the component that a reference names. */
export function nameOfRef({ $ref }: Ref): string {
  return $ref.slice($ref.lastIndexOf('/') + 1)
}

/** The operation of a path. @throws Error where the document has no such path */
export function operationAt(document: OpenApi, path: string): Operation {
  const found = document.paths[path]
  if (!found) throw new Error(`the OpenAPI document has no path ${path}`)
  return found.get
}

/** The body of an answer; undefined where it is no JSON. */
export const bodyOf = ({ content }: Response): Body | undefined => content?.['application/json']

/** The codes of the errors that an operation can answer, by status. */
export function codesOf(document: OpenApi, { responses }: Operation): ErrorCode[] {
  return Object.values(responses)
    .flatMap((response) => Object.values(bodyOf(resolved(document, response))?.examples ?? {}))
    .map((example) => ('$ref' in example ? nameOfRef(example) : ''))
    .filter(isErrorCode)
}

/** Returns the names of an operation's bodies: live, and as a sample if it has one. */
export function bodyNamesOf(
  document: OpenApi,
  { operationId, responses }: Operation,
): { live: string; sample?: string } {
  const schema = responses[200] && bodyOf(resolved(document, responses[200]))?.schema
  const parts = !schema || '$ref' in schema ? [schema] : (schema.anyOf ?? [])
  // The sample stands first, because its schema extends the live one.
  const [live, sample] = parts
    .flatMap((part) => (part && '$ref' in part ? nameOfRef(part) : []))
    .reverse()
  if (!live) throw new Error(`the OpenAPI document has no body for ${operationId}`)
  return sample ? { live, sample } : { live }
}

/** Returns the names of the records in an operation's bodies and parameters, nested ones included. */
export function recordsOf(document: OpenApi, operation: Operation): string[] {
  const bodies = Object.values(bodyNamesOf(document, operation))
  const names = new Set<string>(bodies)
  const visit = (node: Schema | Ref): void => {
    if ('$ref' in node) {
      names.add(nameOfRef(node))
      return
    }
    const { anyOf = [], allOf = [], items, properties = {} } = node
    const inner = [...anyOf, ...allOf, ...(items ? [items] : []), ...Object.values(properties)]
    inner.forEach(visit)
  }
  for (const parameter of operation.parameters) visit(resolved(document, parameter).schema)
  // A set is walked to its end, with what is added on the way.
  for (const name of names) {
    const schema = document.components.schemas[name]
    if (schema) visit(schema)
  }
  return [...names].slice(bodies.length)
}
