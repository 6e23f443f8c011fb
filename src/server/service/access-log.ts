/**
 * The access log: a JSON line for each request, where ACCESS_LOG names a file. It is written in the background, and
 * holds no key, no value of a parameter and no id: endpoints and pages are named as they are documented.
 */
import { closeSync, createWriteStream, openSync } from 'node:fs'
import type { Writable } from 'node:stream'
import { finished } from 'node:stream/promises'
import type { ApiFetch } from '../../api/app.ts'
import { clientAddress } from '../../client-address.ts'
import { type Config, ConfigError } from '../../config.ts'
import { documentedPath, ENDPOINTS } from '../../contract/endpoints.ts'
import { errorCode } from '../../database/client.ts'
import { reasonOf } from '../../database/data-dir.ts'
import type { Log } from '../../log.ts'
import type { IncomingRequest } from '../../runtime.ts'
import { ROUTES } from '../../site/routes.ts'

const FLUSH_MS = 100
/** Characters that wait for a slow or full disk before lines are dropped. */
const MAX_WAITING = 4 * 1024 * 1024
/** Time after a failure until the file is opened again. */
const REOPEN_MS = 5_000
/** Mode of the file, private because it holds clients' addresses. */
const MODE = 0o640

export type AccessLog = ReturnType<typeof openAccessLog>

interface Hosts {
  api: ApiFetch
  web: ApiFetch
}

/** @param origin fields of every line that name the process. @throws ConfigError where the file can't be written */
export function openAccessLog(
  { accessLog: target, trustedProxies }: Pick<Config, 'accessLog' | 'trustedProxies'>,
  log: Log,
  origin: Readonly<Record<string, unknown>> = {},
) {
  if (target === undefined) return undefined
  if (target !== '-') checkFile(target)
  let lines = ''
  let dropped = 0
  let reportedDrops = 0
  let stream = openStream()
  let failedMs = Number.NEGATIVE_INFINITY
  const timer = setInterval(flush, FLUSH_MS)

  /** Opens the file for appending, so that it can be rotated by copy and truncate. */
  function openStream(): Writable {
    // Standard output has the ready line.
    if (target === '-' || target === undefined) return process.stderr
    const opened = createWriteStream(target, { flags: 'a', mode: MODE })
    opened.on('error', (error) => {
      failedMs = performance.now()
      log.warn('the access log can’t be written', { reason: errorCode(error) ?? error.name })
    })
    return opened
  }

  function flush() {
    if (stream.destroyed && performance.now() - failedMs > REOPEN_MS) stream = openStream()
    if (lines === '' || stream.destroyed) return
    stream.write(lines)
    lines = ''
    if (dropped === reportedDrops) return
    reportedDrops = dropped
    log.warn('lines are missing in the access log: it is written too slowly', { lines: dropped })
  }

  function note(
    host: string,
    endpoint: string,
    request: IncomingRequest,
    response: Response,
    startedMs: number,
  ) {
    if (lines.length + stream.writableLength > MAX_WAITING) {
      dropped++
      return
    }
    const id = response.headers.get('x-request-id') ?? undefined
    lines += `${JSON.stringify({
      time: new Date().toISOString(),
      ...origin,
      host,
      method: METHODS.has(request.method) ? request.method : 'other',
      endpoint,
      status: response.status,
      ms: Math.round((performance.now() - startedMs) * 10) / 10,
      address: clientAddress(
        request.socketAddress,
        request.headers.get('x-forwarded-for'),
        trustedProxies,
      ),
      // A client chooses this id, and may have put its key in it.
      ...(id && !id.includes('ck_live_') && { requestId: id }),
    })}\n`
  }

  function noting(host: string, answer: ApiFetch, nameOf: (url: string) => string): ApiFetch {
    return (request) => {
      const startedMs = performance.now()
      return answer(request).then((response) => {
        note(host, nameOf(request.url), request, response, startedMs)
        return response
      })
    }
  }

  return {
    /** Logs the requests of both hosts. */
    around: ({ api, web }: Hosts): Hosts => ({
      api: noting('api', api, endpointOf),
      web: noting('application', web, pageOf),
    }),
    /** Writes the remaining lines. */
    async stop() {
      clearInterval(timer)
      flush()
      if (stream === process.stderr || stream.destroyed) return
      stream.end()
      await finished(stream).catch(() => {})
    },
  }
}

function checkFile(file: string) {
  try {
    closeSync(openSync(file, 'a', MODE))
  } catch (error) {
    throw new ConfigError([`ACCESS_LOG: ${file} can't be written: ${reasonOf(error)}`])
  }
}

const METHODS = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'])

/** Paths of the application that are no pages. */
const OTHER_PATHS = [
  '/health',
  '/health/live',
  '/health/ready',
  '/openapi.json',
  '/openapi-3.1.json',
  '/pictures/:id',
  '/webhooks/stripe',
]
/** Pages by path, or by the part of the path before an id. */
const PAGES = new Map(
  [...ROUTES.map(({ path }) => path), ...OTHER_PATHS].map((path) => [
    path.replace(/:\w+$/, ''),
    path,
  ]),
)

/** The page of a URL on the application's host, as its route names it; `other` for all else. */
function pageOf(url: string): string {
  const { pathname } = new URL(url)
  const known = PAGES.get(pathname)
  if (known && !known.includes(':')) return known
  return PAGES.get(pathname.slice(0, pathname.lastIndexOf('/') + 1)) ?? 'other'
}

/** Documented paths by path, or by the part of the path before an id. */
const DOCUMENTED = new Map(
  Object.values(ENDPOINTS).map(({ path }) => [path.replace(/:\w+$/, ''), documentedPath(path)]),
)

/** The endpoint of a URL on the API's host: one of the contract, or `other`. One look-up, because each request takes it. */
export function endpointOf(url: string): string {
  const start = url.indexOf('/', 'https://'.length)
  const query = url.indexOf('?', start)
  const end = query < 0 ? url.length : query
  const beforeId = url.indexOf('/', start + '/v1/'.length)
  const path = url.slice(start, beforeId < 0 || beforeId > end ? end : beforeId + 1)
  return DOCUMENTED.get(path) ?? 'other'
}
