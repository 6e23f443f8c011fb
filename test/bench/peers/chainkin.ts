/** This server, as it is installed, with so many workers. */
import { serve } from '../../helpers/command.ts'
import type { Peer } from './peer.ts'

export async function startChainkin(databaseUrl: string, workers: number): Promise<Peer> {
  const args = workers > 1 ? ['--workers', String(workers)] : []
  const server = await serve({ DATABASE_URL: databaseUrl, LOG_LEVEL: 'error' }, args)
  return {
    name: workers > 1 ? `Chainkin, ${workers} workers` : 'Chainkin',
    bill: 'to the exact credit, with rate, retries and unlocks',
    answers: 'all',
    url: server.apiUrl,
    pid: server.pid,
    async stop() {
      await server.stop()
    },
  }
}
