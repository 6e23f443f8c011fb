/**
 * Ports that several processes share. A second service at such a port would take half of the connections unseen, so a start
 * first makes sure that nobody listens, and a supervisor then holds the port for its workers.
 */
import { createServer, type Server } from 'node:net'
import { listenOn } from '../server.ts'

export interface HeldPort {
  port: number
  /** Lets go of the port, once a worker listens there. Before that, connections are closed as they come. */
  release(): void
}

/**
 * Makes sure that nobody listens at a port. @param variable what sets the port; 0 takes a free one
 * @returns the port. @throws CannotListen where somebody else listens there
 */
export async function expectFree(variable: string, host: string, port: number): Promise<number> {
  const alone = listenOn(variable, { host, port, fetch: () => new Response(null) })
  await alone.stop(true)
  return alone.port
}

/** @param variable what sets the port; 0 takes a free one. @throws CannotListen where somebody else listens there */
export async function holdPort(variable: string, host: string, port: number): Promise<HeldPort> {
  const free = await expectFree(variable, host, port)
  const holder = createServer((socket) => socket.destroy())
  await listening(holder, host, free)
  return { port: free, release: () => holder.close() }
}

function listening(server: Server, host: string, port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject)
    server.listen({ host, port, reusePort: true }, resolve)
  })
}
