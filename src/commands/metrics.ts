/** The metrics of `serve`: nothing of them is loaded or counted unless METRICS_PORT is set. */
import { addressOf, type Config } from '../config.ts'
import type { Family } from '../service/metrics/families.ts'
import type { MetricsPageOptions } from '../service/metrics/page.ts'

/** What counts in the process of this worker. */
export async function openMetrics({ metricsPort }: Config, worker: number) {
  if (metricsPort === undefined) return undefined
  const { createProcessMetrics } = await import('../service/metrics/process-metrics.ts')
  return createProcessMetrics(worker)
}

/**
 * @param more what nobody who serves counts
 * @returns the page and its address; nothing without METRICS_PORT. @throws CannotListen
 */
export async function startPage(
  { host, metricsPort }: Config,
  collectServing: MetricsPageOptions['collect'],
  more: () => Family[],
) {
  if (metricsPort === undefined) return {}
  const { startMetricsPage } = await import('../service/metrics/page.ts')
  const collect = async () => [...(await collectServing()), more()]
  const page = await startMetricsPage({ host, port: metricsPort, collect })
  return { page, metricsUrl: `${addressOf(host, page.port)}/metrics` }
}
