/**
 * A call as the log of requests keeps it: a line of text, because thousands of calls a second would otherwise be as many
 * rows. It has the path as documented and the names of parameters; values, ids and slugs of the request are not in it.
 */

export interface LoggedCall {
  /** End of the call, in milliseconds after the beginning of its chunk. */
  afterMs: number
  status: number
  /** How long the answer took, in milliseconds. */
  tookMs: number
  /** null where the charge's end is not known. */
  credits: number | null
  /** The error's code; of an answer, `sample` or `replayed`; else null. */
  code: string | null
  requestId: string
  method: string
  /** As documented: `/v1/people/{id}`. */
  path: string
  /** Names of the parameters that were sent; `?` stands for one that the endpoint doesn't have. */
  parameters: readonly string[]
}

/** Stands for nothing. No other field is that. */
const NOTHING = '-'

/** Fields hold no space and no line break: they are figures, codes, checked ids and words of the contract. */
export function lineOf(call: Omit<LoggedCall, 'afterMs'>, afterMs: number): string {
  const { status, tookMs, credits, code, requestId, method, path, parameters } = call
  const sent = parameters.length === 0 ? NOTHING : parameters.join()
  return `${Math.floor(afterMs)} ${status} ${Math.round(tookMs * 10) / 10} ${credits ?? NOTHING} ${code ?? NOTHING} ${requestId} ${method} ${path} ${sent}\n`
}

/** Reads the lines of a chunk. */
export function callsOf(lines: string): LoggedCall[] {
  return lines
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => {
      const [after, status, took, credits = '', code = '', requestId = '', method = '', ...rest] =
        line.split(' ')
      const [path = '', sent = ''] = rest
      return {
        afterMs: Number(after),
        status: Number(status),
        tookMs: Number(took),
        credits: credits === NOTHING ? null : Number(credits),
        code: code === NOTHING ? null : code,
        requestId,
        method,
        path,
        parameters: sent === NOTHING ? [] : sent.split(','),
      }
    })
}

/** The names in a query string, for the log: those of the endpoint's parameters, and `?` for others. */
export function namesIn(query: string, known: Readonly<Record<string, unknown>>): string[] {
  if (query === '') return []
  const names: string[] = []
  for (const pair of query.split('&')) {
    if (pair === '') continue
    const end = pair.indexOf('=')
    const sent = end < 0 ? pair : pair.slice(0, end)
    const plain = sent.endsWith('[]') ? sent.slice(0, -2) : sent
    const name = Object.hasOwn(known, plain) ? plain : '?'
    if (!names.includes(name)) names.push(name)
  }
  return names
}
