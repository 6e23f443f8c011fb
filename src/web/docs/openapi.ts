/** The parts of the OpenAPI document (3.0) that the reference draws. */

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
  /** CommonMark, of which the document uses paragraphs and code. */
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

/** What a reference names, or the thing itself. */
export function resolved<T extends object>(document: OpenApi, node: T | Ref): T {
  if (!('$ref' in node)) return node
  const target = node.$ref
    .split('/')
    .slice(1)
    .reduce<unknown>((part, name) => (part as Record<string, unknown>)?.[name], document)
  if (!target) throw new Error(`the OpenAPI document has no ${node.$ref}`)
  return target as T
}

/** The last part of a reference: the component's name. */
export function nameOfRef({ $ref }: Ref): string {
  return $ref.slice($ref.lastIndexOf('/') + 1)
}
