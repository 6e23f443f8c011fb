/** The server over stdin and stdout, for one caller: the program that started it. */
import { serveStdio } from '@modelcontextprotocol/server/stdio'
import { Confirmations } from './confirmations.ts'
import { mcpServer, notUnderstood } from './server.ts'
import { Session, type SessionOptions } from './session.ts'
import type { Shared } from './tool.ts'

export interface StdioOptions extends SessionOptions, Pick<Shared, 'showsSamples' | 'log'> {}

/** Serves until stdin ends, or `close`. @throws TypeError naming a wrong option, never with the key in it */
export function startStdio({ showsSamples, log, ...options }: StdioOptions) {
  const session = new Session(options)
  const shared = { confirmations: new Confirmations(), showsSamples, log }
  return serveStdio(() => mcpServer(session, shared), { onerror: notUnderstood(log) })
}
