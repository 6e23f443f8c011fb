/** The OpenAPI document: valid, complete against the tables in code, with examples that are true. */
import { describe, expect, test } from 'bun:test'
import SwaggerParser from '@apidevtools/swagger-parser'
import type { TSchema } from '@sinclair/typebox'
import { Value } from '@sinclair/typebox/value'
import { openApi31 } from '../../src/api/openapi/schemas.ts'
import { documentedPath, ENDPOINTS } from '../../src/contract/endpoints.ts'
import { ERRORS, type ErrorCode, type ErrorEntry } from '../../src/contract/errors.ts'
import { SEARCH_PARAMETERS } from '../../src/contract/parameters.ts'
import { type Parameters, parseQuery } from '../../src/contract/query.ts'
import { BODIES } from '../../src/contract/schemas/bodies.ts'
import { error as errorSchema } from '../../src/contract/schemas/error.ts'
import { API_VERSION } from '../../src/contract/version.ts'
import { ROLES } from '../../src/contract/vocabulary.ts'
import { documentOf } from '../helpers/openapi.ts'

const addresses = {
  baseUrl: 'http://127.0.0.1:3000',
  appUrl: 'http://127.0.0.1:3001',
  serviceName: 'Chainkin',
}

interface Parameter {
  name: string
  in: string
  description?: string
  required?: boolean
  example?: unknown
  schema: {
    type: string
    enum?: string[]
    maxLength?: number
    not?: { pattern: string }
    items?: { enum?: string[] }
  }
}

interface Document31 {
  openapi: string
  components: { schemas: Record<string, { properties?: object }> }
}

interface Response {
  description: string
  headers: Record<string, { example?: unknown; schema?: unknown }>
  content: Record<string, { schema: object; examples: Record<string, { value: unknown }> }>
}

interface Operation {
  operationId: string
  tags: string[]
  summary: string
  description: string
  parameters: Parameter[]
  responses: Record<string, Response>
}

interface Document {
  openapi: string
  info: { version: string; title: string }
  servers: { url: string }[]
  security: object[]
  paths: Record<string, Record<string, Operation>>
  components: { schemas: Record<string, object>; securitySchemes: Record<string, object> }
}

const raw = await documentOf(addresses)
/** With every reference put in its place. */
const document = (await SwaggerParser.dereference(structuredClone(raw) as never)) as Document

/** Statuses of the runtime's own listener. */
const LISTENER = ['413', '505']

const names = Object.keys(ENDPOINTS) as (keyof typeof ENDPOINTS)[]

function operationOf(name: keyof typeof ENDPOINTS): Operation {
  const operation = document.paths[documentedPath(ENDPOINTS[name].path)]?.get
  if (!operation) throw new Error(`${name} is not documented`)
  return operation
}

/** The API's own answers. Those of the listener have neither headers nor a body. */
function answersOf({ responses }: Operation) {
  return Object.entries(responses).filter(([status]) => !LISTENER.includes(status))
}

/** What is wrong with a value, a line each. */
function faults(schema: TSchema, value: unknown): string[] {
  return [...Value.Errors(schema, value)].map(({ path, message }) => `${path}: ${message}`)
}

describe('the document', () => {
  test('is valid OpenAPI 3.0', async () => {
    expect(document.openapi).toStartWith('3.0.')
    await SwaggerParser.validate(structuredClone(raw) as never)
  })

  test('names the service, its address and the version that answers', () => {
    expect(document.info.title).toBe('Chainkin API')
    expect(document.info.version).toBe(API_VERSION)
    expect(document.servers).toEqual([expect.objectContaining({ url: addresses.baseUrl })])
  })

  test('has every live endpoint and no other', () => {
    const documented = Object.keys(document.paths).sort()
    expect(documented).toEqual(names.map((name) => documentedPath(ENDPOINTS[name].path)).sort())
    for (const path of Object.values(document.paths)) expect(Object.keys(path)).toEqual(['get'])
  })

  test('asks for a bearer key', () => {
    expect(document.security).toEqual([{ bearer: [] }])
    expect(document.components.securitySchemes.bearer).toMatchObject({
      type: 'http',
      scheme: 'bearer',
    })
  })

  test('speaks only OpenAPI 3.0: no const, no type null, no $id', () => {
    const text = JSON.stringify(raw.components)
    expect(text).not.toContain('"const":')
    expect(text).not.toContain('"type":"null"')
    expect(text).not.toContain('"$id"')
  })

  test('carries a hostile service name as text', async () => {
    const serviceName = '</script><script>alert(1)</script>'
    const hostile = await documentOf({ ...addresses, serviceName })
    await SwaggerParser.validate(structuredClone(hostile) as never)
    expect(hostile.info).toMatchObject({ title: `${serviceName} API` })
  })
})

describe.each(names)('%s', (name) => {
  const operation = operationOf(name)
  const endpoint = ENDPOINTS[name]
  const parameters: Parameters = endpoint.parameters

  test('has an id, a tag, a summary and its price', () => {
    expect(operation.operationId).toMatch(/^[a-z][A-Za-z]+$/)
    expect(operation.tags).toHaveLength(1)
    expect(operation.summary).toBe(endpoint.summary)
    expect(operation.description).toContain(`Costs ${endpoint.credits} credits`)
  })

  test('documents every parameter of its table, and no other', () => {
    const query = operation.parameters.filter((parameter) => parameter.in === 'query')
    const rejected = Object.entries(parameters).filter(([, it]) => 'rejected' in it)
    const accepted = Object.entries(parameters).filter(([, it]) => !('rejected' in it))
    expect(query.map((parameter) => parameter.name)).toEqual(accepted.map(([key]) => key))
    for (const [key, { description }] of rejected) {
      expect(operation.description).toContain(`\`${key}\` is refused. ${description}`)
    }
    for (const [key, described] of accepted) {
      const documented = query.find((parameter) => parameter.name === key)
      expect(documented?.description).toBe(described.description)
      expect(documented?.required ?? false).toBe('required' in described && described.required)
      const values = documented?.schema.enum ?? documented?.schema.items?.enum
      expect(values).toEqual('choices' in described ? [...described.choices] : undefined)
    }
  })

  test('has an example for each parameter', () => {
    for (const parameter of operation.parameters) {
      expect([parameter.name, parameter.example]).toEqual([parameter.name, expect.anything()])
    }
  })

  test('tells of Idempotency-Key in words where it is billed: as a parameter, an import would send one key with every call', () => {
    const headers = operation.parameters
      .filter((parameter) => parameter.in === 'header')
      .map((parameter) => parameter.name)
    expect(headers).toEqual(['X-Request-Id'])
    expect(operation.description.includes('`Idempotency-Key`')).toBe(endpoint.credits > 0)
  })

  test('documents each status that it can answer', () => {
    const isBilled = endpoint.credits > 0
    const expected = [
      ...[200, 400, 401, 403, 413, 414, 429, 431, 500, 503, 505],
      ...(isBilled ? [402] : []),
      ...(endpoint.path.includes(':') ? [404] : []),
    ].sort()
    expect(Object.keys(operation.responses).map(Number).sort()).toEqual(expected)
  })

  test('says of the listener’s own answers that they have no body', () => {
    for (const status of LISTENER) {
      expect(operation.responses[status]).toEqual({
        description: expect.stringMatching(/No JSON\.$/),
      } as never)
    }
  })

  test('documents the headers of each answer', () => {
    for (const [status, { headers }] of answersOf(operation)) {
      const documented = Object.keys(headers)
      expect(documented).toContain('Service-API-Version')
      expect(documented).toContain('Product-API-Version')
      expect(documented).toContain('X-Request-Id')
      expect(documented).toContain('X-RateLimit-Limit')
      expect(documented).toContain('X-RateLimit-Remaining')
      expect(documented).toContain('X-RateLimit-Reset')
      expect(documented.includes('Retry-After')).toBe(['429', '503'].includes(status))
      expect(documented.includes('WWW-Authenticate')).toBe(['401', '403'].includes(status))
      expect(documented.includes('Service-Sample')).toBe(status === '200' && endpoint.credits > 0)
      expect(Object.values(headers).every((header) => header.example !== undefined)).toBe(true)
    }
  })

  test('has an example of each answer that its schema allows', () => {
    const { live, sample } = BODIES[name]
    for (const [status, { content }] of answersOf(operation)) {
      const examples = Object.entries(content['application/json']?.examples ?? {})
      expect(examples).not.toHaveLength(0)
      for (const [key, { value }] of examples) {
        const ofSample = key.endsWith('_sample') && sample
        const schema = status !== '200' ? errorSchema : ofSample ? sample : live
        expect([key, faults(schema, value)]).toEqual([key, []])
      }
    }
  })
})

test('an example of an error is of its own code, and every code of a GET has one', () => {
  const seen = new Set<string>()
  for (const name of names) {
    for (const [status, { content }] of answersOf(operationOf(name))) {
      if (status === '200') continue
      for (const [code, { value }] of Object.entries(content['application/json']?.examples ?? {})) {
        const docs = `${addresses.appUrl}/docs/errors#${code}`
        expect(value).toMatchObject({ error: { code, docs } })
        const entry: ErrorEntry = ERRORS[code as ErrorCode]
        expect(entry.status).toBe(Number(status))
        seen.add(code)
      }
    }
  }
  const others = ['not_live', 'method_not_allowed', 'unknown_method']
  expect([...seen, ...others].sort()).toEqual(Object.keys(ERRORS).sort())
})

test('a sample is not taken for a live answer, nor the other way round', () => {
  for (const name of names) {
    const { live, sample } = BODIES[name]
    if (!sample) continue
    const examples = operationOf(name).responses['200']?.content['application/json']?.examples
    expect(Value.Check(live, examples?.[`${name}_sample`]?.value)).toBe(false)
    expect(Value.Check(sample, examples?.[name]?.value)).toBe(false)
  }
})

test('a sample comes first, so that no generated client takes it for live data', () => {
  for (const name of names) {
    const { live, sample } = BODIES[name]
    if (!sample) continue
    const { anyOf }: { anyOf?: object[] } =
      operationOf(name).responses['200']?.content['application/json']?.schema ?? {}
    expect(anyOf?.map((each) => 'title' in each && each.title)).toEqual([sample.$id, live.$id])
  }
})

test('what the server takes is not forbidden: any X-Request-Id; other roles than the known ones', () => {
  const parameter = (name: string) => {
    const found = operationOf('people').parameters.find((each) => each.name === name)
    if (!found) throw new Error(`${name} is not documented`)
    return found.schema
  }
  const anyText = { type: 'string', not: { pattern: '\\x00' } }
  expect(parameter('X-Request-Id')).toEqual({ type: 'string' })
  expect(parameter('roles').items).toEqual({
    anyOf: [expect.objectContaining({ title: 'Role', enum: [...ROLES] }), anyText],
  } as never)
})

test('closed sets that records share have a name, and null stands beside a type or a reference', () => {
  const isObject = (value: unknown): value is Record<string, unknown> =>
    typeof value === 'object' && value !== null
  const wrong: string[] = []
  const visit = (value: unknown, path: string) => {
    if (!isObject(value)) return
    const { enum: values, type, nullable } = value
    if (Array.isArray(values)) {
      // Generators name the type of an enumeration with null, or of numbers, after its place: `…type_2_type_1`.
      const isMixed = values.includes(null) && values.length > 1
      if (isMixed || nullable || values.some((each) => typeof each === 'number')) wrong.push(path)
    }
    if (nullable && typeof type !== 'string') wrong.push(path)
    for (const [key, inner] of Object.entries(value)) visit(inner, `${path}/${key}`)
  }
  visit(raw.paths, 'paths')
  const { schemas, parameters, responses } = raw.components as Record<string, unknown>
  visit({ schemas, parameters, responses }, 'components')
  expect(wrong).toEqual([])
  const sets = ['Role', 'Channel', 'ContactType', 'CompanyType', 'Lifecycle', 'Tier', 'ErrorCode']
  expect(Object.keys(document.components.schemas)).toEqual(expect.arrayContaining(sets))
})

test('an import that sends every parameter, of a set of one value that value, reveals nobody', () => {
  const include = operationOf('person').parameters.find(({ name }) => name === 'include')
  expect(include).toMatchObject({
    explode: true,
    example: [],
    schema: { type: 'array', maxItems: 1, default: [], items: { enum: ['private'] } },
  } as never)
})

test('patterns are written as every language reads them: without \\u, and never beside a union', () => {
  const wrong: string[] = []
  const visit = (value: unknown, path: string) => {
    if (typeof value !== 'object' || value === null) return
    const { pattern, anyOf } = value as { pattern?: unknown; anyOf?: unknown }
    if (typeof pattern === 'string' && (/\\u|[^ -~]/.test(pattern) || anyOf)) wrong.push(path)
    for (const [key, inner] of Object.entries(value)) visit(inner, `${path}/${key}`)
  }
  visit(raw, '')
  expect(wrong).toEqual([])
})

test('the document in OpenAPI 3.1 says null as a type, and else what the one in 3.0 says', async () => {
  const newer: Document31 = JSON.parse(JSON.stringify(openApi31(raw)))
  expect(newer.openapi).toBe('3.1.1')
  await SwaggerParser.validate(structuredClone(newer) as never)
  expect(newer.components.schemas.Person?.properties).toMatchObject({
    slug: { type: ['string', 'null'] },
    email: { type: 'null' },
    company: { anyOf: [{ $ref: '#/components/schemas/Project' }, { type: 'null' }] },
  })
  const text = JSON.stringify({ ...newer, components: { ...newer.components, examples: {} } })
  expect(text).not.toContain('nullable')
  expect(text).not.toContain('"enum":[null]')
  const shapesOf = (document: object) =>
    JSON.stringify(document, (key, value) =>
      ['openapi', 'nullable', 'type', 'enum'].includes(key) ? undefined : value,
    )
  expect(shapesOf(newer)).toBe(shapesOf(raw))
})

test('what the server refuses of a text, the document forbids: NUL, and on search nothing but spaces', () => {
  const isAllowed = (name: (typeof names)[number], value: string) => {
    const found = operationOf(name).parameters.find(({ name: each }) => each === 'q')
    const forbidden = found?.schema.not?.pattern
    if (forbidden === undefined) throw new Error(`q of ${name} has no pattern`)
    return !new RegExp(forbidden).test(value)
  }
  for (const value of ['ada', ' ada\n', 'ада', '💎']) {
    expect([isAllowed('people', value), isAllowed('search', value)]).toEqual([true, true])
  }
  expect([isAllowed('people', 'a\0'), isAllowed('search', 'a\0')]).toEqual([false, false])
  const isTaken = (value: string) => {
    try {
      return parseQuery(SEARCH_PARAMETERS, `q=${encodeURIComponent(value)}`).q === value.trim()
    } catch {
      return false
    }
  }
  for (let code = 0; code < 0xd800; code++) {
    const value = String.fromCharCode(code)
    if (isAllowed('search', value) !== isTaken(value)) throw new Error(`U+${code.toString(16)}`)
  }
})
