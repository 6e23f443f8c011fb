/** The documentation says what the code does: codes, prices, limits, plans and parameters are those of the tables. */
import { expect, test } from 'bun:test'
import {
  CALL_CREDITS,
  documentedPath,
  ENDPOINTS,
  REVEAL_CREDITS,
  SCOPES,
  WEB_OPERATIONS,
} from '../../src/contract/endpoints.ts'
import { docsOf, ERRORS, type ErrorCode } from '../../src/contract/errors.ts'
import {
  INVESTORS_PARAMETERS,
  PEOPLE_PARAMETERS,
  PROJECTS_PARAMETERS,
  SERVICES_PARAMETERS,
} from '../../src/contract/parameters.ts'
import { PLANS, TIER_RULES } from '../../src/contract/tiers.ts'
import { API_VERSION } from '../../src/contract/version.ts'
import { FIELDS } from '../../src/intake/import/kinds.ts'
import { DOCUMENTS } from '../../src/site/docs/documents.ts'
import { ENDPOINT_DOCUMENTS } from '../../src/site/docs/endpoint-document.tsx'
import { exampleUrl, LANGUAGES } from '../../src/site/docs/example-call.ts'
import { exampleValues } from '../../src/site/docs/example-values.ts'
import {
  bodyNamesOf,
  codesOf,
  type OpenApi,
  type Operation,
  recordsOf,
} from '../../src/site/docs/openapi.ts'
import { BOREALIS } from '../helpers/fixtures.ts'
import { plansIn, tableIn, textIn } from './reading.ts'
import { openapi, SITE, sharedSite, testSite } from './site.ts'

const { service, site } = sharedSite()

test('every error code has its section with its status, cause and cure, where error.docs points', async () => {
  for (const [code, { status }] of Object.entries(ERRORS)) {
    const { pathname, hash } = new URL(docsOf(code as ErrorCode, SITE.appUrl))
    const text = await site.text(pathname)
    expect(text).toContain(`<section class="entry" id="${hash.slice(1)}"`)
    expect(text).toContain(`<code>${code}</code> <span class="status">${status}</span>`)
  }
  expect(await site.text('/docs/errors')).toContain('Bearer &lt;API_KEY&gt;')
})

test('prices are those of the table that bills', async () => {
  const rows = tableIn(await site.text('/docs/credits'), 'Prices')
  for (const { path, credits, revealCredits } of Object.values(ENDPOINTS)) {
    const price = revealCredits > credits ? `${credits} or ${revealCredits}` : `${credits}`
    expect(rows).toContainEqual([`GET ${documentedPath(path)}`, expect.any(String), price])
  }
})

test('the reference and the tools of models say the same prices as the table that bills', async () => {
  const price = `${CALL_CREDITS} or ${REVEAL_CREDITS}`
  expect(textIn(await site.text('/docs/reference'))).toContain(`channels. ${price} credits.`)
  const tools = tableIn(await site.text('/docs/mcp'), 'Tools')
  expect(tools.map(([, , credits]) => credits)).toContain(price)
})

test('every field of a record says what it is', async () => {
  const text = await site.text('/docs/records')
  for (const [, name = ''] of text.matchAll(/aria-label="Table: (Fields of \w+)"/g)) {
    const silent = tableIn(text, name).filter(([, , said]) => !said)
    expect([name, silent]).toEqual([name, []])
  }
})

test('every field that an import reads stands on its page, with example and other names', async () => {
  const text = await site.text('/docs/import')
  for (const [kind, fields] of Object.entries(FIELDS)) {
    const rows = tableIn(text, `Fields of ${kind}`)
    expect(rows.map(([name]) => name)).toEqual(Object.keys(fields))
    for (const [i, { type, example, aliases }] of Object.values(fields).entries()) {
      const [, typeShown, said = ''] = rows[i] ?? []
      expect(typeShown).toBe(type.replaceAll('`', ''))
      expect(said).toContain(`Example: ${example}`)
      if (aliases.length > 0) expect(said).toEndWith(`Other names: ${aliases.join(', ')}`)
    }
  }
})

test('the pages that show one’s calls and credits are named where one looks for them', async () => {
  const leads = {
    '/docs': ['/overview'],
    '/docs/errors': ['/requests'],
    '/docs/credits': ['/overview', '/balance/alerts'],
  }
  for (const [path, pages] of Object.entries(leads)) {
    const text = await site.text(path)
    for (const page of pages) expect(text.split('<main')[1]).toContain(`href="${page}"`)
  }
})

test('what the application charges is in the documentation, with the plans that have it', async () => {
  const rows = tableIn(await site.text('/docs/credits'), 'Prices in the application')
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

test('contract/Limits: limits are those of the tiers', async () => {
  const rows = tableIn(await site.text('/docs/limits'), 'Limits')
  for (const { tier, rateLimit, revealLimit } of Object.values(TIER_RULES)) {
    const row = rows.find(([name]) => name?.endsWith(`(${tier})`))
    expect(row?.slice(1)).toEqual([
      expect.stringMatching(new RegExp(`^${rateLimit} a `)),
      expect.stringMatching(new RegExp(`^${revealLimit} an hour`)),
    ])
  }
  // As the plan is sold; a limit by the second also by the minute.
  expect(rows.map(([name]) => name)).toContain('Essential (starter)')
  expect(rows.at(-1)).toContain('5 a second (300 a minute)')
})

test('contract/Plans: plans are those of the table, with what their credits come to', async () => {
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
    // What a plan adds stands behind what those before it have.
    expect(features.at(-1)?.toLowerCase()).toBe(extras.toLowerCase())
  }
})

test('every parameter of every list is documented, with the values of closed sets', async () => {
  const text = await site.text('/docs/paging')
  const lists = [PEOPLE_PARAMETERS, PROJECTS_PARAMETERS, INVESTORS_PARAMETERS, SERVICES_PARAMETERS]
  for (const [name, parameter] of lists.flatMap((list) => Object.entries(list))) {
    expect(text).toContain(`<th scope="row"><code>${name}</code></th>`)
    if ('choices' in parameter) expect(text).toContain(parameter.choices.join(', '))
    else if ('example' in parameter) expect(textIn(text)).toContain(`e.g. ${parameter.example}`)
  }
})

test('an endpoint’s page has its parameters, its programs, its bodies, its errors with their cures and its limits', async () => {
  const document = openapi as object as OpenApi
  for (const { path, endpoint = 'me' } of ENDPOINT_DOCUMENTS) {
    const contract = ENDPOINTS[endpoint]
    const text = await site.text(path)
    const { get: operation } = document.paths[documentedPath(contract.path)] as { get: Operation }
    const parameters = tableIn(text, 'Parameters').map(([name = '']) => name.split(' ')[0])
    for (const name of Object.keys(contract.parameters)) {
      const isRefused = endpoint === 'people' && name === 'include'
      expect([path, name, parameters.includes(name)]).toEqual([path, name, !isRefused])
    }
    const errors = tableIn(text, 'Errors')
    expect(errors.map(([code, , cure]) => [code, cure])).toEqual(
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
    const url = exampleUrl(endpoint, SITE.baseUrl, exampleValues(service.directory))
    const programs = [...text.matchAll(/<div class="example (\w+)">.*?<pre[^>]*>(.*?)<\/pre>/gs)]
    expect(programs.map(([, language]) => language)).toEqual(Object.keys(LANGUAGES))
    for (const [, , program = ''] of programs) expect(textIn(program)).toContain(url)
    expect(text.length).toBeLessThan(60_000)
  }
})

test('what addresses of the reference named before endpoints and records had pages leads to them', async () => {
  const text = await site.text('/docs/reference')
  const { components } = openapi as object as OpenApi
  for (const { operationId } of Object.values(ENDPOINTS)) {
    expect(text).toContain(`id="${operationId}"`)
    expect(text).toContain(`href="/docs/reference/${operationId}"`)
  }
  for (const name of Object.keys(components.schemas)) {
    const [, page = ''] =
      new RegExp(`id="record-${name}"><a href="([^"#]+)#record-${name}"`).exec(text) ?? []
    expect(await site.text(page)).toContain(`<section class="entry" id="record-${name}"`)
  }
  for (const anchor of ['headers', 'records']) expect(text).toContain(`id="${anchor}"`)
})

test('every scope is explained', async () => {
  const text = await site.text('/docs/authentication')
  for (const scope of SCOPES) expect(text).toContain(`<th scope="row"><code>${scope}</code></th>`)
})

test('contract/Versioning: the version that answers heads what changed', async () => {
  const text = await site.text('/docs/versions')
  const sections = [...text.matchAll(/<h2 id="v[^"]*">([^<]+)</g)].map(([, version]) => version)
  expect(sections[0]).toBe(API_VERSION)
  expect(sections).toContain('1.5.0')
})

test('every value of a filter stands there with how many records have it now, for people and for programs', async () => {
  const { directory } = service
  const own = await testSite({ database: service.database, directory })
  const cells = async () => {
    const html = await own.text('/docs/values')
    const markdown = await (await own.get('/docs/values.md')).text()
    for (const [list, filter, count] of [
      ['people', 'roles', 4],
      ['people', 'channels', 4],
      ['projects', 'sector', 4],
      ['investors', 'fundType', 2],
      ['investors', 'trustTier', 2],
      ['services', 'sector', 3],
    ] as const) {
      const values = directory.values(list, filter)
      expect([list, filter, values.length >= count]).toEqual([list, filter, true])
      for (const { value, count } of values) {
        expect(html).toContain(`<code dir="auto">${value}</code> ${count}`)
        expect(markdown).toContain(`\`${value}\` ${count}`)
      }
    }
    return html
  }
  await cells()
  expect(await cells()).not.toContain('Restaking')
  const { sql } = service
  await sql`update companies set sectors = '{Restaking}' where slug = ${BOREALIS.slug}`
  await directory.refresh()
  expect(await cells()).toContain('<code dir="auto">Restaking</code> 1')
  await sql`update companies set sectors = ${BOREALIS.sectors} where slug = ${BOREALIS.slug}`
  await directory.refresh()
})

test('each document leads to the next, and the contents hold them all', async () => {
  for (const [position, { path }] of DOCUMENTS.entries()) {
    const text = await site.text(path)
    expect([path, Buffer.byteLength(text) < 60_000]).toEqual([path, true])
    for (const other of DOCUMENTS) expect(text).toContain(`href="${other.path}"`)
    const next = DOCUMENTS[position + 1]
    expect(text.includes('rel="next"')).toBe(next !== undefined)
    if (next) expect(text).toContain(`<a rel="next" href="${next.path}">`)
  }
})

test('curl lines go to the API, and what they ask for is an endpoint', async () => {
  const paths = Object.values(ENDPOINTS).map(({ path }) => path.replace(/:\w+/, '[^/?]+'))
  for (const path of ['/', ...DOCUMENTS.map((document) => document.path)]) {
    const lines = (await site.text(path)).match(/curl -H[\s\S]*?<\/code>/g) ?? []
    for (const line of lines) {
      const [, url = ''] = /&quot;(https:[^&]*)/.exec(line.replace(/\n|<wbr\/>/g, '')) ?? []
      expect(url).toStartWith(`${SITE.baseUrl}/v1/`)
      const { pathname } = new URL(url)
      const isKnown = paths.some((each) => new RegExp(`^${each}$`).test(decodeURI(pathname)))
      expect([url, isKnown]).toEqual([url, true])
    }
  }
})
