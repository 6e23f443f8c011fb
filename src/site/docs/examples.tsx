/** @jsxImportSource hono/jsx */
/** Example calls: their addresses, made of the contract and the loaded directory, and prices in words. */
import {
  documentedPath,
  ENDPOINTS,
  type Endpoint,
  type EndpointName,
} from '../../contract/endpoints.ts'
import type { Parameter } from '../../contract/query.ts'
import { Curl } from '../ui/page-parts.tsx'
import { figure, plural } from '../ui/text.tsx'
import type { ExampleValues } from './example-values.ts'

/** The page size of example calls: enough to see, few enough to read. */
export const EXAMPLE_LIMIT = 2

/**
 * Returns the address of an example, with every parameter that the endpoint requires and some that lists are filtered by. The
 * contract's own values stand in it where the directory has no record to show.
 */
export function exampleUrl(name: EndpointName, baseUrl: string, examples: ExampleValues): string {
  const { path, parameters }: Endpoint = ENDPOINTS[name]
  const query = new URLSearchParams(
    Object.entries(parameters).flatMap(([key, parameter]) => {
      const value = exampleValue(key, parameter, examples[name])
      return value === undefined ? [] : [[key, value]]
    }),
  )
  const filled = documentedPath(path).replace(/\{\w+\}/, () => exampleId(name, examples))
  // A comma needs no escape, and reads more easily without one.
  const sent = String(query).replaceAll('%2C', ',')
  return `${baseUrl}${filled}${sent === '' ? '' : `?${sent}`}`
}

/** Returns an id or a slug for the endpoint's path. */
export function exampleId(name: EndpointName, examples: ExampleValues): string {
  const endpoint: Endpoint = ENDPOINTS[name]
  return encodeURIComponent(examples[name]?.id ?? endpoint.exampleId ?? '')
}

function exampleValue(
  name: string,
  parameter: Parameter,
  values: ExampleValues[EndpointName],
): string | undefined {
  if (name === 'limit') return String(EXAMPLE_LIMIT)
  const isShown = parameter.kind === 'list' || (parameter.kind === 'text' && parameter.required)
  if (!isShown) return undefined
  return values ? values[name] : parameter.example
}

/** Returns the address of a first billed call: a search. */
export function firstCallUrl(baseUrl: string, examples: ExampleValues): string {
  const q = examples.search?.q ?? ENDPOINTS.search.parameters.q.example ?? ''
  return `${baseUrl}${ENDPOINTS.search.path}?${new URLSearchParams({ q, limit: '3' })}`
}

/** Stands below an example if the directory has no record that it could find. */
export const NOTHING_YET =
  'Nothing is in this directory yet that the example could find: a list is empty, for the same price, and a single record is a 404, which is free.'

export function NothingYet({ isShown }: { isShown: boolean }) {
  return isShown ? <p class="note">{NOTHING_YET}</p> : null
}

/** The first billed call, to be pasted into a terminal. */
export function FirstCall({ baseUrl, examples }: { baseUrl: string; examples: ExampleValues }) {
  return (
    <>
      <Curl url={firstCallUrl(baseUrl, examples)} />
      <NothingYet isShown={!examples.search} />
    </>
  )
}

type Price = Pick<Endpoint, 'credits' | 'revealCredits'>

/** Formats a price: "5"; "5 or 10" if a call may turn out to be a first reveal. */
export function creditsText({ credits, revealCredits }: Price): string {
  if (revealCredits <= credits) return figure(credits)
  return `${figure(credits)} or ${figure(revealCredits)}`
}

/** Formats a price as "free", "5 credits" or "5 or 10 credits". */
export function callPriceText(price: Price): string {
  if (price.revealCredits > price.credits) return `${creditsText(price)} credits`
  return price.credits === 0 ? 'free' : plural(price.credits, 'credit', 'credits')
}
