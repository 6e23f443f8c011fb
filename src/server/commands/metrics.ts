/** The metrics of `serve`: nothing of them is loaded or counted unless METRICS_PORT is set. */
import { COMMIT } from '../../commit.ts'
import { addressOf, type Config } from '../../config.ts'
import { API_VERSION } from '../../contract/version.ts'
import { bytesFreeIn } from '../../database/disk.ts'
import { BUILD, DISK_FREE } from '../service/metrics/descriptions.ts'
import { type Family, gauge, gauges } from '../service/metrics/families.ts'
import type { MetricsPageOptions } from '../service/metrics/page.ts'

/** What counts in the process of this worker. */
export async function openMetrics({ metricsPort }: Config, worker: number) {
  if (metricsPort === undefined) return undefined
  const { createProcessMetrics } = await import('../service/metrics/process-metrics.ts')
  return createProcessMetrics(worker)
}

/** The build, and the room on the disks that the service writes to. */
export async function machineFamilies({
  databaseUrl,
  dataDir,
  backups,
}: Config): Promise<Family[]> {
  const folders = { data: databaseUrl ? undefined : dataDir, backups: backups.dir }
  const free: Record<string, number> = {}
  for (const [name, folder] of Object.entries(folders)) {
    if (folder === undefined) continue
    // The first backup makes its folder.
    const bytes = await bytesFreeIn(folder).catch(() => undefined)
    if (bytes !== undefined) free[name] = bytes
  }
  return [
    gauge(BUILD, 1, { version: API_VERSION, commit: COMMIT ?? '' }),
    ...gauges(DISK_FREE, 'disk', free),
  ]
}

/**
 * @param more what nobody who serves counts
 * @returns the page and its address; nothing without METRICS_PORT. @throws CannotListen
 */
export async function startPage(
  { host, metricsPort }: Config,
  collectServing: MetricsPageOptions['collect'],
  more: () => Promise<Family[]>,
) {
  if (metricsPort === undefined) return {}
  const { startMetricsPage } = await import('../service/metrics/page.ts')
  const collect = async () => [...(await collectServing()), await more()]
  const page = await startMetricsPage({ host, port: metricsPort, collect })
  return { page, metricsUrl: `${addressOf(host, page.port)}/metrics` }
}
