/** The metrics page: what all processes of the service counted, summed, in Prometheus' text format. */
import { createMutex } from '../../mutex.ts'
import type { Family } from '../metrics/families.ts'
import { listenOn } from './server.ts'

export interface MetricsPageOptions {
  host: string
  port: number
  /** Metrics of each process. */
  collect: () => Promise<readonly (readonly Family[])[]>
}

export type MetricsPage = Awaited<ReturnType<typeof startMetricsPage>>

/** Answers `GET /metrics`, and nothing else. @throws CannotListen */
export async function startMetricsPage({ host, port, collect }: MetricsPageOptions) {
  // Imported here, so that nothing of it is loaded without METRICS_PORT.
  const { AggregatorRegistry } = await import('prom-client')
  /** Counts of ended processes, kept because a sum must never fall. */
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
    /** Adds the counts of a process that ended. */
    retire(families: readonly Family[]): Promise<void> {
      const sums = families.filter(({ type }) => type !== 'gauge')
      return retiring.runExclusive(async () => {
        retired = await AggregatorRegistry.aggregate([retired, sums]).getMetricsAsJSON()
      })
    },
    stop: () => listener.stop(true),
  }
}
