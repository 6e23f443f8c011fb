/** `GET /health` on the application host: for whoever watches a running server. */

export interface Health {
  /** The change-log position that the directory in memory has caught up with (D38). */
  position: number
  counts: { people: number; companies: number; rounds: number }
}

/** Answers for a server that takes calls; one that doesn't answers nothing. */
export function withHealth<Rest extends unknown[]>(
  web: (request: Request, ...rest: Rest) => Promise<Response>,
  health: () => Health,
): (request: Request, ...rest: Rest) => Promise<Response> {
  return (request, ...rest) => {
    const isAsked = new URL(request.url).pathname === '/health' && request.method === 'GET'
    if (!isAsked) return web(request, ...rest)
    const headers = { 'cache-control': 'no-store' }
    return Promise.resolve(Response.json({ status: 'ok', ...health() }, { headers }))
  }
}
