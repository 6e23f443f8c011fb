/** The official client of the protocol, against a server of ours over the kit's directory. */
import {
  Client,
  type ElicitResult,
  StreamableHTTPClientTransport,
} from '@modelcontextprotocol/client'
import { silentLog } from '../../log.ts'
import type { TestDirectory } from '../../testing/start.ts'
import { type HttpOptions, startHttp } from '../http.ts'

/** The two families of the protocol's versions: with a handshake, and with all in each request. */
export const ERAS = ['2025-11-25', '2026-07-28'] as const
export type Era = (typeof ERAS)[number]

export interface ClientOptions {
  era?: Era
  /** Answer to a question; without it the client can't ask. */
  answers?: (message: string) => ElicitResult
}

export interface Told {
  /** All texts, a line each. */
  text: string
  isError: boolean
  // biome-ignore lint/suspicious/noExplicitAny: tests read answers of many shapes
  body: any
}

export function newClient({ era = '2026-07-28', answers }: ClientOptions): Client {
  const client = new Client(
    { name: 'test', version: '1.0.0' },
    {
      capabilities: answers ? { elicitation: { form: {} } } : {},
      versionNegotiation: { mode: era === '2025-11-25' ? 'legacy' : { pin: era } },
    },
  )
  if (answers) {
    client.setRequestHandler('elicitation/create', ({ params }) => answers(params.message))
  }
  return client
}

/** Calls a tool as a model does. A client that has listed the tools compares what they answer with their schemas. */
export async function told(
  client: Client,
  name: string,
  args: Record<string, unknown> = {},
): Promise<Told> {
  const result = await client.callTool({ name, arguments: args })
  const text = result.content.map((part) => (part.type === 'text' ? part.text : '')).join('\n')
  return { text, isError: result.isError === true, body: result.structuredContent }
}

/** Tokens of a text, by the rule of thumb for English and JSON: four characters each. What a tokenizer counts depends on the model. */
export const tokensOf = (text: string) => Math.ceil(text.length / 4)

/** A server over HTTP in this process, which calls the directory without a socket. */
export function httpServer(dir: TestDirectory, options: Partial<HttpOptions> = {}) {
  const listener = startHttp({
    host: '127.0.0.1',
    port: 0,
    allowedHosts: [],
    url: dir.url,
    fetch: dir.fetch,
    maxCredits: null,
    showsSamples: false,
    log: silentLog,
    ...options,
  })
  const url = new URL(`http://127.0.0.1:${listener.port}/mcp`)
  const connect = async (key: string, client: ClientOptions = {}) => {
    const opened = newClient(client)
    const requestInit = { headers: { authorization: `Bearer ${key}` } }
    await opened.connect(new StreamableHTTPClientTransport(url, { requestInit }))
    return opened
  }
  return { url, connect, [Symbol.asyncDispose]: () => listener.stop() }
}
