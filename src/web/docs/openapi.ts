/** The parts of the OpenAPI document (3.0) that the reference shows. */

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
  /** Those that references name are looked up by `resolved`. */
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
