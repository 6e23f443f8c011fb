/** Placeholders of an endpoint's page: parameters, programs, answers, errors with their cures, and limits, all from the contract. */
import { documentedPath, ENDPOINTS, type Endpoint } from '../../contract/endpoints.ts'
import { ERRORS } from '../../contract/errors.ts'
import { PLANS, TIER_RULES, type Tier, type TierRule } from '../../contract/tiers.ts'
import { figure, humanize, perWindow } from '../ui/text.tsx'
import { type Placeholder, type PlaceholderContext, repeated, unsearched } from './document.ts'
import { withExamples } from './example-values.ts'
import { exampleId, exampleUrl, NOTHING_YET } from './examples.tsx'
import { code, fence, folded, prose, table } from './markdown.ts'
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
import { recordSections, typeText } from './record-sections.ts'

export const ENDPOINT_PLACEHOLDERS: Readonly<Record<string, Placeholder>> = {
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
export function tiersTable(hasReveals: boolean): string {
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
