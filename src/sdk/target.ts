/** Paths, query strings and keys of calls. */
import type { Operation } from './answer.ts'
import { badArgument } from './errors.ts'
import { OPERATIONS } from './generated/operations.ts'

/** Path and query of a call. @param id what stands for the path's parameter. @throws ChainkinError */
export function targetOf(operation: Operation, id: string | undefined, query: object): string {
  const { path } = OPERATIONS[operation]
  const filled = path.replace(/\{(\w+)\}/, (_, name: string) => pathSegment(name, id))
  const search = queryString(query)
  return search === '' ? filled : `${filled}?${search}`
}

/** Dots alone would lead to another path, and nothing at all to a list, which is billed. */
function pathSegment(name: string, id: unknown): string {
  if (typeof id !== 'string' || /^(\s*|\.{1,2})$/.test(id)) {
    throw badArgument(name, 'an id or a slug')
  }
  return encode(name, id)
}

function queryString(query: object): string {
  // URLSearchParams and maps have their parameters elsewhere, and none of them would be sent.
  if (typeof query !== 'object' || query === null || Symbol.iterator in query) {
    throw badArgument('query', 'a plain object of parameters')
  }
  return Object.entries(query)
    .filter(([, value]) => value !== undefined)
    .map(([name, value]) => `${encode(name, name)}=${valueText(name, value)}`)
    .join('&')
}

/** Text, a number, or the values of a list, which a comma parts. */
function valueText(name: string, value: unknown): string {
  const values = Array.isArray(value) ? value : [value]
  const isText = (it: unknown) => typeof it === 'string' || typeof it === 'number'
  if (!values.every(isText)) throw badArgument(name, 'text, a number, or a list of them')
  return values.map((it) => encode(name, String(it))).join(',')
}

/** A lone half of a surrogate pair can't be encoded. */
function encode(name: string, text: string): string {
  try {
    return encodeURIComponent(text)
  } catch {
    throw badArgument(name, 'well-formed Unicode text')
  }
}

/** @throws ChainkinError */
export function checkIdempotencyKey(given: string | undefined): string | undefined {
  if (given === undefined || /^[A-Za-z0-9._-]{1,64}$/.test(given)) return given
  throw badArgument('idempotencyKey', '1 to 64 characters of [A-Za-z0-9._-]')
}
