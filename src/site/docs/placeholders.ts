/** The values of `{{name}}` and `{{name argument}}` in the documentation's pages: figures, tables and sections made of the contract. */

import {
  CALL_CREDITS,
  documentedPath,
  ENDPOINTS,
  type Endpoint,
  type EndpointName,
  REVEAL_CREDITS,
  WEB_OPERATIONS,
} from '../../contract/endpoints.ts'
import { ERRORS, type ErrorCode, type ErrorEntry, isErrorCode } from '../../contract/errors.ts'
import { IDEMPOTENT_REPEATS } from '../../contract/headers.ts'
import { FILTERS, PEOPLE_PARAMETERS, SEARCH_PARAMETERS } from '../../contract/parameters.ts'
import type { Parameter } from '../../contract/query.ts'
import {
  PLANS,
  REJECTED_KEYS_LIMIT,
  REJECTED_KEYS_SECONDS,
  TIER_RULES,
  type Tier,
  type TierRule,
  TRIAL_DAYS,
} from '../../contract/tiers.ts'
import { API_VERSION } from '../../contract/version.ts'
import { LISTS, type ListName } from '../../contract/vocabulary.ts'
import { FIELDS } from '../../intake/import/kinds.ts'
import { KINDS } from '../../intake/import/summary.ts'
import { DEFAULT_LIMIT } from '../../mcp/inputs.ts'
import { BALANCE_TOOL, creditsOf, REVEAL_TOOL, VALUES_TOOL } from '../../mcp/prices.ts'
import { READING_TOOLS } from '../../mcp/tools.ts'
import { MAX_LINES } from '../../money/accounts/kept-searches.ts'
import { MAX_GRACE_SECONDS } from '../../money/accounts/keys.ts'
import { KEPT_CALLS } from '../../money/accounts/request-log.ts'
import { MAX_THRESHOLDS } from '../../people/users/low-balance.ts'
import { RATE_LIMITS } from '../../people/users/rate-limiter.ts'
import { plansWith } from '../ui/paid-feature.tsx'
import { figure, humanize, perWindow, sentence } from '../ui/text.tsx'
import {
  type Document,
  type DocumentContext,
  type Placeholder,
  type PlaceholderContext,
  type Purpose,
  pageOnly,
  repeated,
  unsearched,
} from './document.ts'
import { ENDPOINT_DOCUMENTS } from './documents.ts'
import { withExamples } from './example-values.ts'
import {
  callPriceText,
  creditsText,
  exampleId,
  exampleUrl,
  firstCallUrl,
  NOTHING_YET,
} from './examples.tsx'
import { code, fence, folded, outsideCode, prose, table } from './markdown.ts'
import {
  bodyNamesOf,
  bodyOf,
  codesOf,
  type OpenApi,
  operationAt,
  type Ref,
  recordsOf,
  resolved,
  type Schema,
} from './openapi.ts'
import programs from './pages/programs.md' with { type: 'text' }
import { placeOf, RECORDS_PATH, recordSections, typeText } from './record-sections.ts'

/** Placeholders of an endpoint's page, all from the contract. */
const ENDPOINT_PLACEHOLDERS: Readonly<Record<string, Placeholder>> = {
  'endpoint.description': (context) =>
    operationOf(context).operation.description.split('\n\n').map(prose).join('\n\n'),
  'endpoint.parameters': parametersTable,
  'endpoint.id-hint': (context) => {
    const { name, endpoint } = endpointOf(context)
    if (!endpoint.path.includes(':')) return ''
    return ` Put an id or a slug from a list in place of ${code(exampleId(name, context.examples))}.`
  },
  'endpoint.programs': unsearched((context) => {
    const url = exampleUrl(endpointOf(context).name, context.site.baseUrl, context.examples)
    return programs.trimEnd().replaceAll('{{url}}', () => url)
  }),
  'endpoint.nothing-yet': unsearched((context) =>
    context.examples[endpointOf(context).name] ? '' : NOTHING_YET,
  ),
  'endpoint.answers': unsearched(exampleAnswers),
  'endpoint.body': answerSections,
  'endpoint.errors': unsearched((context) => {
    const { document, operation } = operationOf(context)
    return table(
      ['Status and code', 'When', 'What to do'],
      codesOf(document, operation).map((name) => [
        `${ERRORS[name].status} [${name}](/docs/errors#${name})`,
        prose(ERRORS[name].cause),
        prose(ERRORS[name].cure),
      ]),
    )
  }),
  'endpoint.reveal-limit': (context) =>
    canReveal(context) ? ', and each first reveal also against the limit of first reveals' : '',
  'endpoint.limits': repeated((context) => tiersTable(canReveal(context))),
}

function endpointOf({ endpoint: name }: PlaceholderContext) {
  if (!name) throw new Error('the page describes no endpoint')
  const endpoint: Endpoint = ENDPOINTS[name]
  return { name, endpoint }
}

function operationOf(context: PlaceholderContext) {
  const document = withExamples(context.openapi as OpenApi, context.examples)
  const path = documentedPath(endpointOf(context).endpoint.path)
  return { document, operation: operationAt(document, path) }
}

function canReveal(context: PlaceholderContext): boolean {
  const { credits, revealCredits } = endpointOf(context).endpoint
  return revealCredits > credits
}

function parametersTable(context: PlaceholderContext): string {
  const { document, operation } = operationOf(context)
  const rows = operation.parameters
    .map((parameter) => resolved(document, parameter))
    .map(({ name, required, in: place, schema, description = '', example = '' }) => [
      code(name) + (required ? ' required' : '') + (place === 'query' ? '' : ` (${place})`),
      typeText(singleOf(schema)),
      prose(description) +
        (example === '' || context.purpose === 'search'
          ? ''
          : ` Example: ${code(String(example))}`),
    ])
  return table(['Parameter', 'Type', 'What it does'], rows)
}

/** Returns the schema of the value of a list of at most one, which is sent as a plain value. */
function singleOf(schema: Schema): Schema | Ref {
  return schema.maxItems === 1 && schema.items ? schema.items : schema
}

/** Returns the answers to live calls. */
function exampleAnswers(context: PlaceholderContext): string {
  const { document, operation } = operationOf(context)
  const { 200: ok } = operation.responses
  const examples = (ok && bodyOf(resolved(document, ok))?.examples) ?? {}
  const live = Object.entries(examples)
    .filter(([name]) => !name.endsWith('_sample'))
    .map(([, example]) => resolved(document, example))
  return live
    .map(({ summary, value }) =>
      folded(
        live.length > 1 ? `Example answer: ${summary}` : 'Example answer',
        fence('json', JSON.stringify(value, null, 2)),
      ),
    )
    .join('\n\n')
}

/** Returns the body of a 200 with its fields, and the records in it, which the page of records has as well. */
function answerSections(context: PlaceholderContext): string {
  const { document, operation } = operationOf(context)
  const { 200: ok } = operation.responses
  const body = ok && bodyOf(resolved(document, ok))
  if (!ok || !body) return ''
  const { live, sample } = bodyNamesOf(document, operation)
  const isIndexed = context.purpose === 'search'
  const records = isIndexed || context.purpose === 'whole' ? [] : recordsOf(document, operation)
  const inner = [
    sample ? recordSections(context, [sample], 3) : '',
    recordSections(context, records, 3),
  ].filter(Boolean)
  const description = `200: ${prose(resolved(document, ok).description)} The body is ${typeText(body.schema)}.`
  return [
    isIndexed ? '' : description,
    recordSections(context, [live], 3),
    inner.length > 0
      ? folded(
          sample ? 'The records in it, and a sample’s body' : 'The records in it',
          inner.join('\n\n'),
        )
      : '',
  ].join('\n\n')
}

/** Returns the limits of each tier. @param hasReveals whether the limits of first reveals are a column */
function tiersTable(hasReveals: boolean): string {
  return table(
    ['Plan and tier', '>Requests', ...(hasReveals ? ['>First reveals'] : [])],
    Object.values(TIER_RULES).map((rule) => [
      `${planOf(rule.tier)} (${code(rule.tier)})`,
      requestsOf(rule),
      ...(hasReveals ? [`${figure(rule.revealLimit)} ${perWindow(rule.revealSeconds)}`] : []),
    ]),
  )
}

/** Returns the name of the plan that has a tier, or the tier's own. */
function planOf(tier: Tier): string {
  const plan = Object.entries(PLANS).find(([, it]) => it.tier === tier)
  return humanize(plan?.[0] ?? tier)
}

/** Formats a limit by the second by the minute as well, so that it can be compared with others. */
function requestsOf({ rateLimit, rateSeconds }: TierRule): string {
  const limit = `${figure(rateLimit)} ${perWindow(rateSeconds)}`
  return rateSeconds === 1 ? `${limit} (${figure(rateLimit * 60)} a minute)` : limit
}

/** The place in a page's text where its console is put in; nothing stands there in its Markdown and in the search. */
export const CONSOLE = '{{console}}'

const TOOLS = [
  { name: BALANCE_TOOL, title: 'Credits and prices' },
  { name: VALUES_TOOL, title: 'Values that filters take, with counts' },
  ...READING_TOOLS,
  { name: REVEAL_TOOL, title: 'Private channels of one person, after a question' },
]

/** Values of a filter on one page: more would be too long for a language model to read. */
const SHOWN_VALUES = 150

const errorEntries = Object.entries(ERRORS) as [ErrorCode, ErrorEntry][]
const { csvExport, bulkSearch } = WEB_OPERATIONS
const { page, limit } = PEOPLE_PARAMETERS
const { free, pro } = TIER_RULES
const { visit } = RATE_LIMITS

export const PLACEHOLDERS: Readonly<Record<string, Placeholder>> = {
  'site.api': ({ site }) => site.baseUrl,
  'site.app': ({ site }) => site.appUrl,
  version: () => API_VERSION,

  // Examples of the loaded directory.
  url: ({ site, examples }, name) => exampleUrl(endpointNamed(name), site.baseUrl, examples),
  'url.first': ({ site, examples }) => firstCallUrl(site.baseUrl, examples),
  'example-id': ({ examples }, name) => exampleId(endpointNamed(name), examples),
  'nothing-yet': unsearched(({ examples }, name) =>
    examples[endpointNamed(name)] ? '' : NOTHING_YET,
  ),

  'price.call': () => figure(CALL_CREDITS),
  'price.reveal': () => figure(REVEAL_CREDITS),
  'price.person': () => creditsText(ENDPOINTS.person),
  'prices.table': () =>
    table(
      ['Call', 'What it answers', '>Credits'],
      Object.values(ENDPOINTS).map(({ method, path, summary, ...price }) => [
        code(`${method} ${documentedPath(path)}`),
        summary,
        creditsText(price),
      ]),
    ),
  'export.credits': () => figure(csvExport.credits),
  'export.rows': () => figure(csvExport.rows),
  'export.plans': () => plansWith('csvExport'),
  'bulk-search.credits': () => figure(bulkSearch.credits),
  'bulk-search.lines': () => figure(MAX_LINES),
  'bulk-search.plans': () => plansWith('bulkSearch'),
  'trial.days': () => TRIAL_DAYS,
  'alerts.max': () => MAX_THRESHOLDS,

  'tiers.table': () => tiersTable(true),
  'reveals.plan': () => `${figure(pro.revealLimit)} first reveals ${perWindow(pro.revealSeconds)}`,
  'reveals.free': () => figure(free.revealLimit),
  'repeats.max': () => IDEMPOTENT_REPEATS,
  'keys.grace-days': () => MAX_GRACE_SECONDS / 86_400,
  'rejected-keys.limit': () => REJECTED_KEYS_LIMIT,
  'rejected-keys.window': () => perWindow(REJECTED_KEYS_SECONDS),
  'visits.limit': () => figure(visit.address.limit),
  'visits.minutes': () => figure(visit.address.seconds / 60),
  'request-log.calls': () => figure(KEPT_CALLS),

  'page.min': () => page.min,
  'limit.default': () => limit.default,
  'limit.range': () => `${limit.min}..${limit.max}`,
  'query.max': () => SEARCH_PARAMETERS.q.maxLength,
  'search.max': () => SEARCH_PARAMETERS.limit.max,
  'lists.parameters': () => LISTS.map(parametersSection).join('\n\n'),
  'values.lists': repeated((context) =>
    LISTS.map((list) => valuesSection(list, context)).join('\n\n'),
  ),

  error: (_context, name) => {
    if (!isErrorCode(name)) throw new Error(`the contract has no error ${name}`)
    return `[${ERRORS[name].status}](/docs/errors#${name})`
  },
  'errors.index': pageOnly(() =>
    errorEntries.map(([name, { status }]) => `- [${status} ${name}](#${name})`).join('\n'),
  ),
  'errors.sections': () =>
    errorEntries
      .map(
        ([name, { status, cause, cure }]) =>
          `## ${code(name)} ${status} {#${name} .entry}\n\n${prose(cause)}\n\n**What to do.** ${prose(cure)}`,
      )
      .join('\n\n'),
  'errors.passing': () =>
    table(
      ['Status', 'Code', 'What it needs'],
      errorEntries
        .filter(([, { status }]) => [429, 500, 503].includes(status))
        .map(([name, { status }]) => [
          String(status),
          `[${code(name)}](/docs/errors#${name})`,
          status === 500 ? 'Repeat with growing pauses.' : 'Wait for `Retry-After` seconds.',
        ]),
    ),

  'endpoints.count': () => figure(Object.keys(ENDPOINTS).length),
  'endpoints.sections': unsearched(() =>
    ENDPOINT_DOCUMENTS.map(({ path, title, endpoint }) => {
      const { operationId, summary, ...price } = ENDPOINTS[endpoint]
      const heading = `## [${code(title)}](${path}) {#${operationId} .entry}`
      return `${heading}\n\n${summary}. ${sentence(callPriceText(price))}`
    }).join('\n\n'),
  ),
  'headers.table': ({ openapi }) =>
    table(
      ['Header', 'When it comes, and what it says'],
      Object.entries((openapi as OpenApi).components.headers).map(([name, { description }]) => [
        code(name),
        prose(description),
      ]),
    ),
  'records.index': unsearched(({ openapi }) => {
    const document = openapi as OpenApi
    return Object.entries(document.components.schemas)
      .map(([name, { description = '' }]) => {
        const place = `${placeOf(document, name)}#record-${name}`
        return `- [${name}](${place}): ${prose(description)}`
      })
      .join('\n')
  }),
  'records.sections': (context) => {
    const document = context.openapi as OpenApi
    const names = Object.keys(document.components.schemas)
    const own = names.filter((name) => placeOf(document, name) === RECORDS_PATH)
    return recordSections(context, own, 2)
  },

  'mcp.tools': unsearched(() =>
    table(
      ['Tool', 'What it answers', '>Credits'],
      TOOLS.map(({ name, title }) => [
        code(name),
        title,
        name === REVEAL_TOOL ? creditsText(ENDPOINTS.person) : String(creditsOf(name)),
      ]),
    ),
  ),
  'mcp.list-limit': () => DEFAULT_LIMIT,
  'import.fields': unsearched((_context, kind) => importFields(kind)),

  console: () => '',
  ...ENDPOINT_PLACEHOLDERS,
}

/** Fills in the placeholders of a page, and completes its links. @throws Error for an unknown placeholder or argument */
export function fill(
  { text, endpoint }: Pick<Document, 'text' | 'endpoint'>,
  context: DocumentContext,
  purpose: Purpose,
): string {
  const values: PlaceholderContext = { ...context, purpose, endpoint }
  const filled = text.replace(
    /\{\{([\w.-]+)(?: ([\w-]+))?\}\}/g,
    (_whole, name: string, argument = '') => {
      const make = PLACEHOLDERS[name]
      if (!make) throw new Error(`there is no placeholder ${name}`)
      return String(make(values, argument))
    },
  )
  return outsideCode(filled, (markdown) =>
    markdown.replace(/\]\((\/[^)\s]*)\)/g, (_whole, path: string) => `](${context.href(path)})`),
  )
}

function endpointNamed(name: string): EndpointName {
  if (!Object.hasOwn(ENDPOINTS, name)) throw new Error(`the contract has no endpoint ${name}`)
  return name as EndpointName
}

function parametersSection(list: ListName): string {
  const { path, parameters }: Endpoint = ENDPOINTS[list]
  const rows = Object.entries(parameters).map(([name, parameter]) => [
    code(name),
    prose(parameter.description),
    valuesOf(parameter),
  ])
  return `## ${code(`GET ${path}`)} {#${list}}\n\n${table(['Parameter', 'What it does', 'Values'], rows)}`
}

/** Returns all values of a closed set, an integer's bounds, or an example. */
function valuesOf(parameter: Parameter): string {
  if ('choices' in parameter && parameter.choices) return prose(parameter.choices.join(', '))
  if (parameter.kind === 'integer') {
    const { min, max } = parameter
    return max === Number.MAX_SAFE_INTEGER ? `from ${min}` : `${min} to ${max}`
  }
  return parameter.example ? `e.g. ${code(parameter.example)}` : ''
}

function valuesSection(list: ListName, { directory }: DocumentContext): string {
  const { path, parameters } = ENDPOINTS[list]
  const rows = FILTERS.filter((name) => Object.hasOwn(parameters, name)).map((name) => {
    const values = directory.values(list, name)
    const shown = values.slice(0, SHOWN_VALUES)
    const more = values.length - shown.length
    return [
      code(name),
      values.length === 0
        ? 'none yet'
        : shown.map(({ value, count }) => `${code(value)} ${figure(count)}`).join(', ') +
          (more > 0 ? `, and ${figure(more)} more with fewer records` : ''),
    ]
  })
  return `## ${code(`GET ${path}`)} {#${list}}\n\n${table(['Parameter', 'Values and their records'], rows)}`
}

function importFields(kind: string): string {
  const name = KINDS.find((it) => it === kind)
  if (!name) throw new Error(`an import has no ${kind}`)
  return table(
    ['Field', 'Type', 'What it says'],
    Object.entries(FIELDS[name]).map(([field, { type, meaning, example, cleans, aliases }]) => [
      code(field),
      prose(type),
      `<details><summary>${prose(meaning)} Example: ${code(example)}</summary><p>How it is read: ${prose(cleans)}</p>${
        aliases.length > 0 ? `<p>Other names: ${prose(aliases.join(', '))}</p>` : ''
      }</details>`,
    ]),
  )
}
