/** `ready`: asks the server that this configuration starts whether it is to be sent requests, for whoever watches it. */
import { get, type IncomingMessage } from 'node:http'
import { text } from 'node:stream/consumers'
import type { Command } from 'commander'
import { addressOf, readConfig } from '../../config.ts'
import { Refusal, type Result, reporting, subcommand } from './command.ts'

/** Longer than the server lets its database take. */
const ASK_MS = 3_000

export function registerReady(program: Command) {
  subcommand(program, 'ready', 'whether the server on APP_PORT is ready: exit 0, or 1 and why not')
    .addHelpText(
      'after',
      '\nIt asks /health/ready of HOST and APP_PORT on this machine, as the health check of a container does.',
    )
    .action(reporting(askWhetherReady))
}

/** What `/health/ready` answers; nothing of it is there where it isn't our server that answers. */
interface Answer {
  status?: unknown
  reasons?: unknown
}

async function askWhetherReady(): Promise<Result> {
  const { host, appPort } = readConfig(process.env)
  if (appPort === 0) throw new Refusal('APP_PORT=0: nobody knows where the server is')
  const url = `${addressOf(host, appPort)}/health/ready`
  const { status, reasons } = await answerOf(url)
  if (status === 'ready') return { json: { ready: true, reasons: [] }, text: `${url}: ready` }
  const isOurs = Array.isArray(reasons) && reasons.length > 0
  const why = isOurs ? reasons.map(String) : ['another program answers there']
  return {
    json: { ready: false, reasons: why },
    text: `${url}: not ready, ${why.join('; ')}`,
    exitCode: 1,
  }
}

async function answerOf(url: string): Promise<Answer> {
  const signal = AbortSignal.timeout(ASK_MS)
  try {
    const answer: unknown = JSON.parse(await textAt(url, signal))
    return typeof answer === 'object' && answer !== null ? answer : {}
  } catch (error) {
    if (error instanceof SyntaxError) return {}
    return {
      reasons: [signal.aborted ? `no answer within ${ASK_MS / 1_000} s` : 'no server answers'],
    }
  }
}

/** Not by `fetch`, which would ask the proxy of HTTP_PROXY for this machine. */
function textAt(url: string, signal: AbortSignal): Promise<string> {
  return new Promise((resolve, reject) => {
    const onAnswer = (answer: IncomingMessage) => text(answer).then(resolve, reject)
    get(url, { signal, agent: false }, onAnswer).once('error', reject)
  })
}
