/**
 * `bun run sdk`: makes `src/sdk/generated`, the client's types and its table of operations, from the tables and schemas that
 * the API answers by. They are plain TypeScript, so that whoever uses the client needs neither TypeBox nor a new compiler.
 */
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { documentedPath, ENDPOINTS, type EndpointName } from '../../contract/endpoints.ts'
import { ERRORS } from '../../contract/errors.ts'
import type { Parameter } from '../../contract/query.ts'
import { account, meta, sampleMeta } from '../../contract/schemas/account.ts'
import { BODIES } from '../../contract/schemas/bodies.ts'
import { investor, portfolioRow, project, projectDetail } from '../../contract/schemas/companies.ts'
import {
  channel,
  facets,
  person,
  personDetail,
  personMember,
} from '../../contract/schemas/people.ts'

export const GENERATED = join(import.meta.dirname, '../../sdk/generated')

const HEAD = '// Made by `bun run sdk` from src/contract. Changes go there.\n'

/** What the types are made of: as much of TypeBox's schemas as the contract uses. */
interface Schema {
  $id?: string
  description?: string
  type?: string
  const?: unknown
  anyOf?: Schema[]
  items?: Schema
  properties?: Record<string, Schema>
  required?: string[] | undefined
}
type Named = Schema & { $id: string }

/** The files of types, each with the schemas that it begins at; what they hold comes with them, once. */
const TYPE_FILES: Readonly<Record<string, readonly Schema[]>> = {
  account: [account, meta, sampleMeta],
  companies: [project, projectDetail, investor, portfolioRow],
  people: [person, personMember, personDetail, facets, channel],
  live: Object.values(BODIES).map(({ live }) => live),
  samples: Object.values(BODIES).flatMap(({ sample }) => (sample ? [sample] : [])),
}

/** The named types of the files so far: where each is, and the type's schema. */
type Known = Map<string, { file: string; schema: Schema }>

/** Every file by its name, with its text. */
export function sdkFiles(): Record<string, string> {
  const known: Known = new Map()
  const types = Object.entries(TYPE_FILES).map(([file, schemas]) => {
    const names = namesIn(schemas).filter((name) => !known.has(name.$id))
    for (const schema of names) known.set(schema.$id, { file, schema })
    return [`${file}.ts`, typeFile(file, names, known)]
  })
  return {
    ...Object.fromEntries(types),
    'queries.ts': queriesFile(known),
    'operations.ts': operationsFile(known),
    'errors.ts': errorsFile(),
  }
}

/** The named schemas in these, each after those that it holds. */
function namesIn(schemas: readonly Schema[]): Named[] {
  const found = new Map<string, Named>()
  const visit = (value: unknown) => {
    if (typeof value !== 'object' || value === null) return
    Object.values(value).forEach(visit)
    if ('$id' in value) found.set((value as Named).$id, value as Named)
  }
  visit(schemas)
  return [...found.values()]
}

function typeFile(file: string, schemas: readonly Named[], known: Known): string {
  const texts = schemas.map((schema) => {
    const comment = `/** ${schema.description} */\n`
    if (schema.type !== 'object')
      return `${comment}export type ${schema.$id} = ${plainType(schema)}\n`
    return `${comment}export interface ${schema.$id} ${membersOf(schema, schemas)}\n`
  })
  const text = texts.join('\n')
  return HEAD + importsOf(text, file, known) + text
}

/** The members of an interface; those of another one that it has whole are named by `extends`. */
function membersOf({ properties = {}, required = [] }: Schema, others: readonly Named[]): string {
  const base = others.find(({ properties: of }) => {
    const members = Object.entries(of ?? {})
    const isWhole = members.every(([name, value]) => properties[name] === value)
    return isWhole && members.length > 0 && members.length < Object.keys(properties).length
  })
  const lines = Object.entries(properties)
    .filter(([name]) => base?.properties?.[name] === undefined)
    .flatMap(([name, value]) => {
      const mark = required.includes(name) ? '' : '?'
      return [...commentOf(value), `  ${name}${mark}: ${typeOf(value)}`]
    })
  return `${base ? `extends ${base.$id} ` : ''}{\n${lines.join('\n')}\n}`
}

function commentOf({ description = '' }: { description?: string }): string[] {
  return description === '' ? [] : [`  /** ${description} */`]
}

const typeOf = (schema: Schema): string => schema.$id ?? plainType(schema)

/** The type of a schema that has no name, or what its name stands for. */
function plainType(schema: Schema): string {
  if (schema.const !== undefined) return literal(schema.const)
  if (schema.anyOf) return [...new Set(schema.anyOf.map(typeOf))].join(' | ')
  switch (schema.type) {
    case 'integer':
      return 'number'
    case 'array':
      return arrayOf(typeOf(schema.items ?? {}))
    case 'string':
    case 'number':
    case 'boolean':
    case 'null':
      return schema.type
    default:
      throw new TypeError(`no type is known for ${JSON.stringify(schema)}`)
  }
}

const arrayOf = (item: string) => (item.includes(' | ') ? `(${item})[]` : `${item}[]`)

const literal = (value: unknown) => (typeof value === 'string' ? `'${value}'` : String(value))

/** Imports of the types that a text names and another file has. */
function importsOf(text: string, file: string, known: Known): string {
  const byFile = new Map<string, string[]>()
  for (const [name, { file: home }] of known) {
    if (home === file || !new RegExp(`\\b${name}\\b`).test(text.replace(/\/\*.*?\*\//g, '')))
      continue
    byFile.set(home, [...(byFile.get(home) ?? []), name])
  }
  return [...byFile]
    .map(([home, names]) => `import type { ${names.sort().join(', ')} } from './${home}.ts'\n`)
    .sort()
    .concat('\n')
    .join('')
}

const entries = Object.entries(ENDPOINTS) as [EndpointName, (typeof ENDPOINTS)[EndpointName]][]

const queryName = (operationId: string) =>
  `${operationId.charAt(0).toUpperCase()}${operationId.slice(1)}Query`

/** Parameters that a caller may send: without those that are always refused. */
function parametersOf(name: EndpointName): [string, Parameter][] {
  return Object.entries<Parameter>(ENDPOINTS[name].parameters).filter(
    ([, parameter]) => parameter.kind !== 'choice' || parameter.rejected === undefined,
  )
}

function queriesFile(known: Known): string {
  const texts = entries.map(([name, { operationId, path }]) => {
    const head = `/** Parameters of \`GET ${documentedPath(path)}\`. */\n`
    const lines = parametersOf(name).flatMap(([parameter, what]) => {
      const mark = what.kind === 'text' && what.required ? '' : '?'
      return [...commentOf(what), `  ${parameter}${mark}: ${sentType(what, known)}`]
    })
    if (lines.length === 0)
      return `${head}export type ${queryName(operationId)} = Readonly<Record<string, never>>\n`
    return `${head}export interface ${queryName(operationId)} {\n${lines.join('\n')}\n}\n`
  })
  const text = texts.join('\n')
  return HEAD + importsOf(text, 'queries', known) + text
}

/** What a caller gives for a parameter; undefined counts as not given. A list is an array, or text with commas. */
function sentType(parameter: Parameter, known: Known): string {
  switch (parameter.kind) {
    case 'text':
      return parameter.required ? 'string' : 'string | undefined'
    case 'integer':
      return 'number | undefined'
    case 'choice':
      return `${closedSet(parameter.choices, known)} | undefined`
    case 'list': {
      const { choices = parameter.known } = parameter
      const item = choices ? closedSet(choices, known) : 'string'
      return `string | readonly ${arrayOf(item)} | undefined`
    }
  }
}

/** The name of the type that has the same values, or the values. */
function closedSet(values: readonly string[], known: Known): string {
  const text = values.map(literal).join(' | ')
  const same = [...known].find(([, { schema }]) => schema.anyOf && plainType(schema) === text)
  return same?.[0] ?? text
}

function operationsFile(known: Known): string {
  const rows = entries.map(([, { operationId, path, credits, revealCredits }]) => {
    const fields = `path: '${documentedPath(path)}', credits: ${credits}, revealCredits: ${revealCredits}`
    return `  ${operationId}: { ${fields} },`
  })
  const types = entries.map(([name, { operationId }]) => {
    const { live, sample } = BODIES[name]
    const bodies = `live: ${live.$id}; sample: ${sample?.$id ?? 'never'}`
    return `  ${operationId}: { query: ${queryName(operationId)}; ${bodies} }`
  })
  const queries = entries.map(([, { operationId }]) => queryName(operationId)).sort()
  const text = `/** Path and prices of each operation, in credits. */
export const OPERATIONS = {
${rows.join('\n')}
} as const

/** What each operation takes and answers. */
export interface Contract {
${types.join('\n')}
}
`
  const ofQueries = `import type {\n${queries.map((name) => `  ${name},\n`).join('')}} from './queries.ts'\n`
  const imports = importsOf(text, 'operations', known).trimEnd()
  return `${HEAD}${imports}\n${ofQueries}\n${text}`
}

function errorsFile(): string {
  const codes = Object.entries(ERRORS).map(
    ([code, { status, cause }]) => `  /** ${status}: ${cause} */\n  | '${code}'`,
  )
  return `${HEAD}\n/** Every \`error.code\` of the API. */\nexport type ApiErrorCode =\n${codes.join('\n')}\n`
}

if (import.meta.main) {
  for (const [name, text] of Object.entries(sdkFiles()))
    await writeFile(join(GENERATED, name), text)
}
