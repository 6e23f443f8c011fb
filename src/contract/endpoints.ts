/**
 * The price list (D13): one table, read by the meter, by `/v1/me` and by the documentation.
 * A leaf: it imports nothing.
 */

export const SCOPES = ['read:metadata', 'read:contacts'] as const
export type Scope = (typeof SCOPES)[number]

/** Credits of an ordinary data call. */
export const CALL_CREDITS = 5

/** Credits of a contact's first reveal (`include=private`), which unlocks it for good. */
export const REVEAL_CREDITS = 10

export interface Endpoint {
  readonly method: 'GET'
  /** As routes and `/v1/me` name it. */
  readonly path: `/v1/${string}`
  readonly summary: string
  /** Credits of a call. */
  readonly credits: number
  /** Credits of a call that turns out to be a first reveal; the same as `credits` where none can be. */
  readonly revealCredits: number
}

function endpoint<const Path extends Endpoint['path']>(
  path: Path,
  summary: string,
  credits: number,
  revealCredits = credits,
): Endpoint & { readonly path: Path } {
  return { method: 'GET', path, summary, credits, revealCredits }
}

/** Every live endpoint. Each needs `read:metadata`; a reveal also `read:contacts`. */
export const ENDPOINTS = {
  me: endpoint('/v1/me', 'Identity, plan, balance, endpoint list', 0),
  people: endpoint('/v1/people', 'Search and filter people', CALL_CREDITS),
  person: endpoint(
    '/v1/people/:id',
    'Full profile and coworkers; include=private reveals channels',
    CALL_CREDITS,
    REVEAL_CREDITS,
  ),
  projects: endpoint('/v1/projects', 'Search and filter projects', CALL_CREDITS),
  project: endpoint('/v1/projects/:id', 'One company with team', CALL_CREDITS),
  investors: endpoint('/v1/investors', 'Search and filter funds', CALL_CREDITS),
  investor: endpoint('/v1/investors/:slug', 'One fund with team and portfolio', CALL_CREDITS),
  services: endpoint('/v1/services', 'Search and filter service providers', CALL_CREDITS),
  service: endpoint('/v1/services/:slug', 'One provider with team', CALL_CREDITS),
  search: endpoint('/v1/search', 'Cross search of projects and people', CALL_CREDITS),
} as const satisfies Record<string, Endpoint>

/** What the web application charges for beside the endpoints; the ledger names it so. */
export interface WebOperation {
  readonly path: `web/${string}`
  readonly summary: string
  /** Credits of one unit. */
  readonly credits: number
  /** Rows of a CSV, or lines of a search, that one unit covers. */
  readonly rows: number
}

export const WEB_OPERATIONS = {
  csvExport: {
    path: 'web/csv-export',
    summary: 'CSV export, by the started hundred rows',
    credits: CALL_CREDITS,
    rows: 100,
  },
  bulkSearch: {
    path: 'web/bulk-search',
    summary: 'Bulk search, by the line',
    credits: CALL_CREDITS,
    rows: 1,
  },
} as const satisfies Record<string, WebOperation>

/** A path as the documentation and `/v1/me` write it: `/v1/people/{id}`. */
export function documentedPath(path: string): string {
  return path.replace(/:(\w+)/g, '{$1}')
}
