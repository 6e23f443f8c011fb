/** The server over stdin and stdout, for one caller: the program that started it. */
import { StdioServerTransport, serveStdio } from '@modelcontextprotocol/server/stdio'
import { mcpServer, notUnderstood } from './server.ts'
import { Session, type SessionOptions } from './session.ts'
import type { Shared } from './tool.ts'

export interface StdioOptions extends SessionOptions, Pick<Shared, 'showsSamples' | 'log'> {}

/**
 * Serves until the connection ends, as `ended` says, or `close`.
 * @throws TypeError naming a wrong option, never with the key in it
 */
export function startStdio({ showsSamples, log, ...options }: StdioOptions) {
  const session = new Session(options)
  const shared = { showsSamples, log }
  const transport = new StdioServerTransport()
  const server = serveStdio(() => mcpServer(session, shared), {
    transport,
    onerror: notUnderstood(log),
  })
  const { onclose } = transport
  // Also after a message beyond the library's limit, and where nobody reads stdout: stdin stays open then, and is not read.
  const ended = new Promise<void>((resolve) => {
    transport.onclose = () => {
      onclose?.()
      resolve()
    }
  })
  return { ended, close: () => server.close() }
}
