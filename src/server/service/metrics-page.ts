/** The metrics page: what all processes of the service counted, summed, in Prometheus' text format. */
import { createMutex } from '../../mutex.ts'
import type { Family } from '../metrics/families.ts'
import { listenOn } from './server.ts'

export interface MetricsPageOptions {
  host: string
  port: number
  /** What each process counted. */
  collect: () => Promise<readonly (readonly Family[])[]>
}

export type MetricsPage = Awaited<ReturnType<typeof startMetricsPage>>

/** Answers `GET /metrics`, and nothing else. @throws CannotListen */
export async function startMetricsPage({ host, port, collect }: MetricsPageOptions) {
  // Imported here: without METRICS_PORT nothing of it is loaded.
  const { AggregatorRegistry } = await import('prom-client')
  /** What processes counted that are gone: a sum must never fall. */
  let retired: object[] = []
  const retiring = createMutex()

  async function page(): Promise<Response> {
    const registry = AggregatorRegistry.aggregate([retired, ...(await collect())])
    const headers = { 'content-type': registry.contentType, 'cache-control': 'no-store' }
    return new Response(await registry.metrics(), { headers })
  }

  const listener = listenOn('METRICS_PORT', {
    host,
    port,
    fetch: async (request) => {
      const isPage = request.method === 'GET' && new URL(request.url).pathname === '/metrics'
      return isPage ? page() : new Response('GET /metrics\n', { status: 404 })
    },
  })
  return {
    port: listener.port,
    /** Keeps what a process that ended had counted. */
    retire(families: readonly Family[]): Promise<void> {
      const sums = families.filter(({ type }) => type !== 'gauge')
      return retiring.runExclusive(async () => {
        retired = await AggregatorRegistry.aggregate([retired, sums]).getMetricsAsJSON()
      })
    },
    stop: () => listener.stop(true),
  }
}
