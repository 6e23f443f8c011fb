/** The documentation's pages have the figures, tables and links of the contract and of the loaded directory. */
import { describe, expect, test } from 'bun:test'
import { readdir } from 'node:fs/promises'
import {
  CALL_CREDITS,
  documentedPath,
  ENDPOINTS,
  REVEAL_CREDITS,
  SCOPES,
  WEB_OPERATIONS,
} from '../../src/contract/endpoints.ts'
import { docsOf, ERRORS, type ErrorCode } from '../../src/contract/errors.ts'
import { PLANS, TIER_RULES } from '../../src/contract/tiers.ts'
import { API_VERSION } from '../../src/contract/version.ts'
import { LISTS } from '../../src/contract/vocabulary.ts'
import { FIELDS } from '../../src/intake/import/kinds.ts'
import { DOCUMENTS, ENDPOINT_DOCUMENTS } from '../../src/site/docs/documents.ts'
import { exampleValues } from '../../src/site/docs/example-values.ts'
import { exampleUrl } from '../../src/site/docs/examples.tsx'
import { code } from '../../src/site/docs/markdown.ts'
import {
  bodyNamesOf,
  codesOf,
  type OpenApi,
  operationAt,
  recordsOf,
} from '../../src/site/docs/openapi.ts'
import { fill, PLACEHOLDERS } from '../../src/site/docs/placeholders.ts'
import { BOREALIS } from '../helpers/fixtures.ts'
import { plansIn, tableIn, textIn } from './reading.ts'
import { openapi, SITE, sharedSite, testSite } from './site.ts'

const { service, site } = sharedSite()
const document = openapi as object as OpenApi

describe('placeholders', () => {
  const uses = DOCUMENTS.flatMap(({ text }) => [...text.matchAll(/\{\{([\w.-]+)/g)])

  test('each that a page uses exists, and each that exists is used', () => {
    const names = new Set(uses.map(([, name = '']) => name))
    expect([...names].sort()).toEqual(Object.keys(PLACEHOLDERS).sort())
  })

  test('each page is filled in whole, with links that lead to the application', async () => {
    for (const { path } of DOCUMENTS) {
      const text = await (await site.get(`${path}.md`)).text()
      expect([path, text.includes('{{'), text.includes('](/')]).toEqual([path, false, false])
    }
  })

  test.each(['{{no-such}}', '{{error no_such}}', '{{url none}}', '{{import.fields none}}'])(
    '%s is refused',
    (text) => {
      const { directory } = service
      const context = { site: SITE, openapi, directory, href: String, examples: {} }
      expect(() => fill({ text }, context, 'page')).toThrow()
    },
  )

  test('each file of a page is one of the pages', async () => {
    const files = await readdir(new URL('../../src/site/docs/pages', import.meta.url))
    // One text for all endpoints, and their programs.
    expect(files).toHaveLength(DOCUMENTS.length - ENDPOINT_DOCUMENTS.length + 2)
  })
})

test('every error code has its section with status, cause and cure, where error.docs points', async () => {
  for (const [code, { status, cause }] of Object.entries(ERRORS)) {
    const { pathname, hash } = new URL(docsOf(code as ErrorCode, SITE.appUrl))
    const [, section = ''] = (await site.text(pathname)).split(
      `<section class="entry" id="${hash.slice(1)}"`,
    )
    expect(section).toContain(`<code>${code}</code> ${status}</h2>`)
    expect(textIn(section)).toContain(cause.replaceAll('`', ''))
  }
})

test('errors that pass are those to repeat', async () => {
  const rows = tableIn(await site.text('/docs/retries'), 'When to repeat')
  const passing = Object.entries(ERRORS).filter(([, { status }]) =>
    [429, 500, 503].includes(status),
  )
  expect(rows.map(([, code]) => code)).toEqual(passing.map(([code]) => code))
})

test('prices are those of the table that bills', async () => {
  const rows = tableIn(await site.text('/docs/credits'), 'Prices')
  for (const { path, credits, revealCredits } of Object.values(ENDPOINTS)) {
    const price = revealCredits > credits ? `${credits} or ${revealCredits}` : `${credits}`
    expect(rows).toContainEqual([`GET ${documentedPath(path)}`, expect.any(String), price])
  }
  const price = `${CALL_CREDITS} or ${REVEAL_CREDITS}`
  expect(textIn(await site.text('/docs/reference'))).toContain(`channels. ${price} credits.`)
  const tools = tableIn(await site.text('/docs/mcp'), 'Tools and prices')
  expect(tools.map(([, , credits]) => credits)).toContain(price)
})

test('charges of the application are listed with the plans that have them', async () => {
  const rows = tableIn(await site.text('/docs/credits'), 'In the application')
  const { csvExport, bulkSearch } = WEB_OPERATIONS
  expect(rows.map(([, credits]) => Number(credits))).toEqual([
    REVEAL_CREDITS,
    CALL_CREDITS,
    csvExport.credits,
    bulkSearch.credits,
  ])
  expect(rows.map((row) => row[3]).slice(2)).toEqual([
    'Essential, Pro, Team or Enterprise',
    'Pro, Team or Enterprise',
  ])
})

test('limits are those of the tiers', async () => {
  const rows = tableIn(await site.text('/docs/limits'), 'By tier')
  for (const { tier, rateLimit, revealLimit } of Object.values(TIER_RULES)) {
    const row = rows.find(([name]) => name?.endsWith(`(${tier})`))
    expect(row?.slice(1)).toEqual([
      expect.stringMatching(new RegExp(`^${rateLimit} a `)),
      expect.stringMatching(new RegExp(`^${revealLimit} an hour`)),
    ])
  }
  // A tier is named as its plan is sold; a limit by the second is said by the minute too.
  expect(rows.map(([name]) => name)).toContain('Essential (starter)')
  expect(rows.at(-1)).toContain('5 a second (300 a minute)')
})

test('plans are those of the table, with the calls and reveals that their credits pay for', async () => {
  const plans = plansIn(await site.text('/credits'))
  const figure = (value: number) => value.toLocaleString('en-US')
  for (const { usdPerMonth, credits, extras } of Object.values(PLANS)) {
    const { price, features = [] } = plans.shift() ?? {}
    expect(price).toBe(usdPerMonth === null ? 'Custom price' : `$${usdPerMonth} a month`)
    const [calls, reveals] = [CALL_CREDITS, REVEAL_CREDITS].map((it) => figure((credits ?? 0) / it))
    const worth =
      credits === null
        ? []
        : [`${figure(credits)} credits a month`, `${calls} data calls or ${reveals} reveals`]
    expect(features.slice(0, worth.length)).toEqual(worth)
    // The extras of a plan stand after the features of those before it.
    expect(features.at(-1)?.toLowerCase()).toBe(extras.toLowerCase())
  }
})

test('every parameter of every list is documented, with the values of closed sets', async () => {
  const text = await site.text('/docs/paging')
  for (const list of LISTS) {
    const rows = tableIn(text, `GET /v1/${list}`)
    for (const [name, parameter] of Object.entries(ENDPOINTS[list].parameters)) {
      const [, , values] = rows.find(([key]) => key === name) ?? []
      if ('choices' in parameter) expect(values).toBe(parameter.choices.join(', '))
      else if ('example' in parameter) expect(values).toBe(`e.g. ${parameter.example}`)
      else expect(values).toBeDefined()
    }
  }
})

test('an endpoint’s page has its parameters, programs, bodies, errors with cures and limits', async () => {
  for (const { path, endpoint } of ENDPOINT_DOCUMENTS) {
    const contract = ENDPOINTS[endpoint]
    const text = await site.text(path)
    const operation = operationAt(document, documentedPath(contract.path))
    const parameters = tableIn(text, 'Parameters').map(([name = '']) => name.split(' ')[0])
    for (const name of Object.keys(contract.parameters)) {
      const isRefused = endpoint === 'people' && name === 'include'
      expect([path, name, parameters.includes(name)]).toEqual([path, name, !isRefused])
    }
    expect(tableIn(text, 'Errors').map(([code, , cure]) => [code, cure])).toEqual(
      codesOf(document, operation).map((code) => [
        `${ERRORS[code].status} ${code}`,
        ERRORS[code].cure.replaceAll('`', ''),
      ]),
    )
    const bodies = Object.values(bodyNamesOf(document, operation))
    for (const name of [...bodies, ...recordsOf(document, operation)]) {
      expect(text).toContain(`id="record-${name}"`)
    }
    expect(tableIn(text, 'Limits').map(([name]) => /\((\w+)\)/.exec(name ?? '')?.[1])).toEqual(
      Object.keys(TIER_RULES),
    )
    expect(tableIn(text, 'Limits')[0]).toHaveLength(endpoint === 'person' ? 3 : 2)
    const url = exampleUrl(endpoint, SITE.baseUrl, exampleValues(service.directory))
    const programs = [...text.matchAll(/<div class="example (\w+)">.*?<pre[^>]*>(.*?)<\/pre>/gs)]
    expect(programs.map(([, language]) => language)).toEqual(['curl', 'typescript', 'python', 'go'])
    for (const [, , program = ''] of programs) expect(textIn(program)).toContain(url)
  }
})

test('every field of a record and of an import is described', async () => {
  const records = await site.text('/docs/records')
  for (const [, name = ''] of records.matchAll(/aria-label="Table: (Fields of \w+)"/g)) {
    const silent = tableIn(records, name).filter(([, , description]) => !description)
    expect([name, silent]).toEqual([name, []])
  }
  const imports = await site.text('/docs/import')
  for (const [kind, fields] of Object.entries(FIELDS)) {
    const label = `Fields of ${kind[0]?.toUpperCase()}${kind.slice(1)}`
    const rows = tableIn(imports, label)
    expect(rows.map(([name]) => name)).toEqual(Object.keys(fields))
    for (const [i, { type, example, aliases }] of Object.values(fields).entries()) {
      const [, shownType, description = ''] = rows[i] ?? []
      expect(shownType).toBe(type.replaceAll('`', ''))
      expect(description).toContain(`Example: ${example}`)
      if (aliases.length > 0) expect(description).toEndWith(`Other names: ${aliases.join(', ')}`)
    }
  }
})

test('addresses of the reference from before endpoints and records had pages still lead to them', async () => {
  const text = await site.text('/docs/reference')
  for (const { operationId } of Object.values(ENDPOINTS)) {
    expect(text).toContain(`id="${operationId}"`)
    expect(text).toContain(`href="/docs/reference/${operationId}"`)
  }
  for (const name of Object.keys(document.components.schemas)) {
    const [, page = ''] = new RegExp(`<a href="([^"#]+)#record-${name}"`).exec(text) ?? []
    expect(await site.text(page)).toContain(`<section class="entry" id="record-${name}"`)
  }
})

test('scopes and the version of this service are explained', async () => {
  const scopes = tableIn(await site.text('/docs/authentication'), 'Scopes')
  expect(scopes.map(([scope]) => scope)).toEqual([...SCOPES])
  const versions = (await site.text('/docs/versions')).match(/(?<=<h2 id="v[^"]*">)[^<]+/g)
  expect(versions?.[0]).toBe(API_VERSION)
})

test('every value of a filter is listed with how many records have it now, for people and for programs', async () => {
  const { sql, database, directory } = service
  const own = await testSite({ database, directory })
  const expectValues = async () => {
    const html = textIn(await own.text('/docs/values'))
    const markdown = await (await own.get('/docs/values.md')).text()
    for (const [list, filter] of [
      ['people', 'roles'],
      ['projects', 'sector'],
      ['investors', 'fundType'],
      ['services', 'sector'],
    ] as const) {
      const values = directory.values(list, filter)
      expect(values.length).toBeGreaterThan(1)
      for (const { value, count } of values) {
        expect(html).toContain(`${value} ${count}`)
        expect(markdown).toContain(`\`${value}\` ${count}`)
      }
    }
    return html
  }
  expect(await expectValues()).not.toContain('Restaking')
  await sql`update companies set sectors = '{Restaking}' where slug = ${BOREALIS.slug}`
  await directory.refresh()
  expect(await expectValues()).toContain('Restaking 1')
  await sql`update companies set sectors = ${BOREALIS.sectors} where slug = ${BOREALIS.slug}`
  await directory.refresh()
})

test('a value that looks like a mark, a tag, a link or the place of the console stays text', async () => {
  const { sql, database, directory } = service
  const own = await testSite({ database, directory })
  const values = ['<p>', '[a](#b)', '[c](/d)', '<slot name="console"></slot>', '`<summary>`']
  await sql`update companies set sectors = ${values} where slug = ${BOREALIS.slug}`
  await directory.refresh()
  const html = textIn(await own.text('/docs/values'))
  const markdown = await (await own.get('/docs/values.md')).text()
  for (const value of values) {
    expect(html).toContain(`${value} 1`)
    expect(markdown).toContain(`${code(value)} 1`)
  }
  await sql`update companies set sectors = ${BOREALIS.sectors} where slug = ${BOREALIS.slug}`
  await directory.refresh()
})

test('each page leads to the next, has all pages in its contents, and weighs less than 60 kB', async () => {
  for (const [position, { path }] of DOCUMENTS.entries()) {
    const text = await site.text(path)
    expect([path, Buffer.byteLength(text) < 60_000]).toEqual([path, true])
    for (const other of DOCUMENTS) expect(text).toContain(`href="${other.path}"`)
    const next = DOCUMENTS[position + 1]
    expect(text.includes('rel="next"')).toBe(next !== undefined)
    if (next) expect(text).toContain(`<a rel="next" href="${next.path}">`)
  }
})
