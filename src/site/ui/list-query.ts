/** Reads the query of a list's page with the API's parameters and parser, and writes it for links. */
import { type Parameters, parseQuery, type Values } from '../../contract/query.ts'
import { humanize } from './text.tsx'

/**
 * Parses what the form of a list sent, without what other sites added to a link.
 * @throws ApiError for what the API's list refuses as well.
 */
export function valuesOf<P extends Parameters>(parameters: P, query: string): Values<P> {
  return parseQuery(parameters, asApiQuery(parameters, query))
}

/** Reads those of the parameters that an address has; others are somebody else's. @throws ApiError for a bad value */
export function knownValuesOf<P extends Parameters>(parameters: P, query: string): Values<P> {
  const known = query
    .split('&')
    .filter((pair) => Object.hasOwn(parameters, pair.split('=')[0] ?? ''))
  return valuesOf(parameters, known.join('&'))
}

/** Marks that other sites add to links, to count who follows them. */
const TRACKING = /^(?:utm_\w+|\w*clk?id|ref|ref_src|mc_[ce]id|igshid|srsltid|_gl)$/i

/** Forms send fields that were left empty, and each ticked box by itself where the API takes a comma. */
function asApiQuery(parameters: Parameters, query: string): string {
  const lists = new Map<string, string[]>()
  const pairs: string[] = []
  for (const pair of query.split('&')) {
    const [name = '', value = ''] = pair.split(/=(.*)/s)
    const parameter = Object.hasOwn(parameters, name) ? parameters[name] : undefined
    if (value === '' || (!parameter && TRACKING.test(name))) continue
    if (parameter?.kind === 'list') lists.set(name, [...(lists.get(name) ?? []), value])
    else pairs.push(pair)
  }
  for (const [name, values] of lists) pairs.push(`${name}=${values.join(',')}`)
  return pairs.join('&')
}

/** The query string of these values, with its `?`; leaves out what is absent or the default. */
export function queryOf(parameters: Parameters, values: Readonly<Record<string, unknown>>): string {
  const query = new URLSearchParams()
  for (const [name, parameter] of Object.entries(parameters)) {
    const value = values[name]
    if (parameter.kind === 'integer' && value === parameter.default) continue
    if (Array.isArray(value) ? value.length > 0 : value !== undefined)
      query.set(name, String(value))
  }
  return query.size > 0 ? `?${query}` : ''
}

/** A parameter of the API in words: "Contact type" for `contactType`. */
export function parameterLabel(parameter: string): string {
  return humanize(parameter.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`))
}
