/** Examples of pages, documents and the OpenAPI document ask for what the directory has that is loaded. */
import { describe, expect, test } from 'bun:test'
import { seedDemo } from '../../src/server/demo/demo.ts'
import { DOCUMENTS } from '../../src/site/docs/documents.ts'
import { exampleValues } from '../../src/site/docs/example-values.ts'
import { type OpenApi, resolved } from '../../src/site/docs/openapi.ts'
import type { TestService } from '../helpers/service.ts'
import { SITE } from './site.ts'
import { sharedTown, type Town } from './visitor.ts'

const CALL = new RegExp(`${SITE.baseUrl}(/v1/[^"'\`\\s<>\\\\]+)`, 'g')

const callsIn = (text: string): string[] =>
  [
    ...text
      .replaceAll('<wbr/>', '')
      .replaceAll(/&(quot|#39);/g, '"')
      .matchAll(CALL),
  ].map(([, path = '']) => path.replaceAll('&amp;', '&'))

/** Every call of the API that pages and documents print, each with the places that do. */
async function printedCalls({ site, person }: Town): Promise<Map<string, string[]>> {
  const user = await person()
  const fields = { label: 'first', scopes: ['read:metadata', 'read:contacts'] }
  const texts: [string, string][] = [
    ['overview', await user.text('/overview')],
    ['new key', await (await user.submit('/keys', fields)).text()],
  ]
  const files = ['/llms.txt', '/llms-full.txt']
  const documents = DOCUMENTS.flatMap(({ path }) => [path, `${path}.md`])
  for (const path of ['/', ...documents, ...files]) texts.push([path, await site.text(path)])
  for (const name of ['overview', 'new key', '/', '/docs']) {
    expect([name, callsIn(texts.find(([place]) => place === name)?.[1] ?? '').length]).not.toEqual([
      name,
      0,
    ])
  }
  const calls = new Map<string, string[]>()
  for (const [place, text] of texts) {
    for (const call of callsIn(text)) calls.set(call, [...(calls.get(call) ?? []), place])
  }
  return calls
}

/** What a tool sends that fills in every example of an operation. */
function callsOf(document: OpenApi): string[] {
  return Object.entries(document.paths).map(([path, { get: operation }]) => {
    const query = new URLSearchParams()
    let filled = path
    for (const parameter of operation.parameters.map((it) => resolved(document, it))) {
      const value = String(parameter.example)
      // A list without values is left out, as generators do.
      if (value === '') continue
      if (parameter.in === 'path') filled = filled.replace(`{${parameter.name}}`, value)
      else if (parameter.in === 'query') query.set(parameter.name, value)
    }
    return `${filled}?${query}`
  })
}

/** Records of an answer of any endpoint. */
function recordsOf({ data, error, name }: Record<string, unknown>): unknown[] {
  if (error) return []
  // `/v1/me` is a record itself.
  if (data === undefined) return [name]
  return Object.values(Array.isArray(data) ? data : (data as object)).flat()
}

const rich = (service: TestService) =>
  service.account({ tier: 'team', credits: 10_000, scopes: ['read:metadata', 'read:contacts'] })

describe('in the demo', () => {
  const { service, town } = sharedTown(seedDemo)

  test('every example call that a page or a document prints finds a record', async () => {
    const { get } = await rich(service)
    const calls = await printedCalls(town)
    expect(calls.size).toBeGreaterThan(10)
    for (const [call, places] of calls) {
      const { status, body } = await get(call)
      expect([call, places, status, recordsOf(body).length > 0]).toEqual([call, places, 200, true])
    }
  })

  test('so does every call that is made of all examples of the OpenAPI document', async () => {
    const { get } = await rich(service)
    const calls = callsOf(JSON.parse(await town.site.text('/openapi.json')))
    expect(calls).toHaveLength(10)
    for (const call of calls) {
      const { status, body } = await get(call)
      expect([call, status, recordsOf(body).length > 0]).toEqual([call, 200, true])
    }
  })

  test('a change of other records makes no page anew', async () => {
    const { directory, sql } = service
    const [examples, moment] = [exampleValues(directory), directory.moment()]
    const { id = '' } = examples.person ?? {}
    await sql`
      update people set job_title = 'Of another title'
       where id = (select id from people where slug <> ${id} order by slug limit 1)`
    await directory.refresh()
    expect(directory.moment()).not.toBe(moment)
    expect(exampleValues(directory)).toBe(examples)
  })

  test('a record that goes leaves the examples with it', async () => {
    const { text } = town.site
    const slugIn = (page: string) => /\/v1\/people\/([\w-]+)/.exec(page)?.[1] ?? ''
    const slug = slugIn(await text('/docs/reference/getPerson.md'))
    await service.sql`delete from people where slug = ${slug}`
    await service.directory.refresh()
    const documents = DOCUMENTS.flatMap(({ path }) => [path, `${path}.md`])
    for (const path of ['/', ...documents, '/openapi.json', '/llms-full.txt']) {
      expect([path, (await text(path)).includes(slug)]).toEqual([path, false])
    }
    const next = slugIn(await text('/docs/reference/getPerson'))
    expect((await (await rich(service)).get(`/v1/people/${next}`)).status).toBe(200)
  })
})

describe('in an empty directory', () => {
  const { service, town } = sharedTown(async () => {})

  test('pages say that an example finds nothing, and each call answers an empty list or a free 404', async () => {
    const { get } = await rich(service)
    for (const call of (await printedCalls(town)).keys()) {
      const { status, body } = await get(call)
      const isOfOne = /^\/v1\/\w+\/[^?]/.test(call)
      expect([call, status, body.error?.charged]).toEqual(
        isOfOne ? [call, 404, 0] : [call, 200, undefined],
      )
    }
    const note = 'Nothing is in this directory yet that the example could find'
    const paths = ['/', '/docs', '/docs/reference/listPeople', '/docs/reference/getPerson.md']
    for (const path of paths) {
      expect([path, (await town.site.text(path)).includes(note)]).toEqual([path, true])
    }
  })
})
