/** `chainkin mcp`: the API as tools of a language model, by the Model Context Protocol. */
import { type Command, InvalidArgumentError } from 'commander'
import { addressOf, LOG_LEVELS, readSecret } from '../../config.ts'
import { parseAddress, parseHost } from '../../config-parsers.ts'
import { errorCode } from '../../database/client.ts'
import { createLog } from '../../log.ts'
import { validCredits } from '../../people/users/validation.ts'
import { exit } from '../../runtime.ts'
import { printJson, Refusal, reporting, subcommand } from './command.ts'
import { parsePort, parserOf } from './parsers.ts'
import { nextSignal } from './process.ts'

interface Options {
  json?: boolean
  url?: string
  maxCredits?: number
  samples: boolean
  port?: number
  host?: string
  allowHost: string[]
}

const DEFAULT_URL = 'http://127.0.0.1:3000'

const AFTER = `
CHAINKIN_URL   the API's address, without /v1 (${DEFAULT_URL}); --url goes first
CHAINKIN_KEY   the API key, for stdin and stdout; CHAINKIN_KEY_FILE names a file of it instead.
               With --port each caller sends its own as a bearer token

A session over stdin and stdout lasts as long as the process; with --port it is that of a key, until it has not been
seen for an hour. Where each call starts a process, a cap of the key is the limit that holds. src/mcp/README.md says
more of it, and how programs are told of this server.`

export function registerMcp(program: Command) {
  subcommand(program, 'mcp', 'offer the API to language models: over stdin and stdout, or HTTP')
    .option('--url <url>', 'where the API answers')
    .option('--max-credits <number>', 'the most that a session may spend', parserOf(validCredits))
    .option('--samples', 'show the records of samples, marked as not real', false)
    .option(
      '--port <number>',
      'answer streamable HTTP there, at /mcp; 0 takes a free port',
      parsePort,
    )
    .option('--host <address>', 'of that port (127.0.0.1)', parseHostName)
    .option(
      '--allow-host <name>',
      'a name beside localhost under which it is reached; may be repeated',
      (name: string, names: string[]) => [...names, parseHostName(name)],
      [],
    )
    .addHelpText('after', AFTER)
    .action(reporting(serveMcp))
}

async function serveMcp(options: Options): Promise<never> {
  const { CHAINKIN_URL, LOG_LEVEL = 'info' } = process.env
  const key = readSecret(process.env, 'CHAINKIN_KEY')
  const log = createLog(LOG_LEVELS.find((level) => level === LOG_LEVEL) ?? 'info')
  const { url = CHAINKIN_URL ?? DEFAULT_URL, maxCredits = null, samples: showsSamples } = options
  const common = { url: checkUrl(url), maxCredits, showsSamples, log }
  const signal = nextSignal()
  // Imported here, so that the other commands start without the protocol's packages.
  if (options.port === undefined) {
    if (options.host !== undefined || options.allowHost.length > 0) {
      throw new Refusal('--host and --allow-host go with --port')
    }
    if (options.json) throw new Refusal('--json goes with --port: stdout is the protocol’s')
    if (!key) throw new Refusal('CHAINKIN_KEY is not set: it is the API key to call with')
    const { startStdio } = await import('../../mcp/stdio.ts')
    const served = orRefusal(() => startStdio({ ...common, key }), keyReason)
    await Promise.race([signal, served.ended])
    await served.close()
    exit(0)
  }
  const { host = '127.0.0.1', port, allowHost: allowedHosts, json } = options
  const { MCP_PATH, startHttp } = await import('../../mcp/http.ts')
  const start = () => startHttp({ ...common, host, port, allowedHosts })
  const listener = orRefusal(start, (error) => {
    const code = errorCode(error)
    const why = code === 'EADDRINUSE' ? 'the port is taken' : (code ?? String(error))
    return `can't listen on ${host}:${port} (${why}): set --host or --port to another`
  })
  const mcpUrl = `${addressOf(host, listener.port)}${MCP_PATH}`
  if (json) printJson({ mcpUrl })
  else
    console.log(`The Model Context Protocol is spoken at ${mcpUrl}; callers send their own API key`)
  if (key) log.warn('CHAINKIN_KEY is not used: with --port each caller sends its own key')
  await signal
  await listener.stop()
  exit(0)
}

/** Runs `start` and turns its errors into refusals. */
function orRefusal<T>(start: () => T, reason: (error: unknown) => string | undefined): T {
  try {
    return start()
  } catch (error) {
    const why = reason(error)
    if (why === undefined) throw error
    throw new Refusal(why)
  }
}

/** The client's message about the key, which never holds the key. */
const keyReason = (error: unknown) =>
  error instanceof TypeError ? error.message.replace(/^key:/, 'CHAINKIN_KEY:') : undefined

function checkUrl(given: string): string {
  const url = parseAddress(given)
  const isPlain = url !== undefined && !url.endsWith('/v1') && !/^https?:\/\/[^/]*@/i.test(url)
  if (isPlain) return url
  throw new Refusal(
    '--url or CHAINKIN_URL: expected the http or https address of the API, without /v1',
  )
}

function parseHostName(value: string): string {
  const name = parseHost(value)
  if (name === undefined)
    throw new InvalidArgumentError('Expected a name or address, without port.')
  return name
}
