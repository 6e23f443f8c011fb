/** The parts of the OpenAPI document (3.0) that the reference shows. */

export interface Ref {
  $ref: string
}

export interface Schema {
  type?: string
  format?: string
  enum?: readonly unknown[]
  nullable?: boolean
  description?: string
  items?: Schema | Ref
  anyOf?: readonly (Schema | Ref)[]
  allOf?: readonly (Schema | Ref)[]
  properties?: Readonly<Record<string, Schema | Ref>>
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

export interface Response {
  description: string
  content?: Readonly<
    Record<string, { schema: Schema | Ref; examples?: Readonly<Record<string, Example | Ref>> }>
  >
}

export interface Operation {
  operationId: string
  tags: readonly string[]
  summary: string
  /** CommonMark; the document uses only paragraphs and code. */
  description: string
  parameters: readonly (Parameter | Ref)[]
  responses: Readonly<Record<string, Response | Ref>>
}

export interface OpenApi {
  tags: readonly { name: string; description: string }[]
  paths: Readonly<Record<string, { get: Operation }>>
  components: {
    schemas: Readonly<Record<string, Schema>>
    parameters: Readonly<Record<string, Parameter>>
    headers: Readonly<Record<string, { description: string }>>
    responses: Readonly<Record<string, Response>>
    examples: Readonly<Record<string, Example>>
  }
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
