/**
 * A port that workers will share. Where ports are shared, a second service would share them too and take half of the
 * connections unseen: so the supervisor first makes sure that nobody listens there, and then holds the port.
 */
import { createServer, type Server } from 'node:net'
import { listenOn } from '../server.ts'

export interface HeldPort {
  port: number
  /** Lets go of the port, once a worker listens there. Before that, connections are closed as they come. */
  release(): void
}

/** @param variable what sets the port; 0 takes a free one. @throws CannotListen where somebody else listens there */
export async function holdPort(variable: string, host: string, port: number): Promise<HeldPort> {
  const alone = listenOn(variable, { host, port, fetch: () => new Response(null) })
  await alone.stop(true)
  const holder = createServer((socket) => socket.destroy())
  await listening(holder, host, alone.port)
  return { port: alone.port, release: () => holder.close() }
}

function listening(server: Server, host: string, port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject)
    server.listen({ host, port, reusePort: true }, resolve)
  })
}
