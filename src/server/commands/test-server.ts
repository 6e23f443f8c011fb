/** `test-server`: the service for tests of clients in any language, in memory, controlled by HTTP. */
import { readFile } from 'node:fs/promises'
import { type Command, InvalidArgumentError } from 'commander'
import { parseJson } from '../../intake/import/formats/json.ts'
import type { Rows } from '../../intake/import/summary.ts'
import { exit } from '../../runtime.ts'
import { WrongOption } from '../../testing/options.ts'
import { namingFile, printJson, Refusal, reporting, subcommand } from './command.ts'
import { parsePort } from './parsers.ts'
import { nextSignal } from './process.ts'

interface Options {
  json?: boolean
  port: number
  appPort: number
  controlPort: number
  now?: Date
  records?: string
  set: Readonly<Record<string, string>>
  untilStdinEnds: boolean
}

export function registerTestServer(program: Command) {
  subcommand(
    program,
    'test-server',
    'for tests of clients: the service in memory, with accounts, clock and faults by HTTP',
  )
    .option('--port <port>', 'of the API (default: a free one)', parsePort, 0)
    .option('--app-port <port>', 'of the application (default: a free one)', parsePort, 0)
    .option('--control-port <port>', 'of the control (default: a free one)', parsePort, 0)
    .option('--now <time>', 'where its clock stands still (default: the real time)', parseTime)
    .option('--records <file>', 'JSON with companies, people and rounds, instead of the fixed ones')
    .option('--set <NAME=value>', 'a setting of serve, any number of times', collectSetting, {})
    .option(
      '--until-stdin-ends',
      'end when standard input does, as it does with the program that started this one',
      false,
    )
    .addHelpText(
      'after',
      '\nNothing is read from the environment and nothing is kept. GET /openapi.json of the control lists what it can be asked.',
    )
    .action(reporting(run))
}

async function run({
  json,
  port,
  appPort,
  controlPort,
  now,
  set,
  ...more
}: Options): Promise<never> {
  const ended = Promise.race([nextSignal(), ...(more.untilStdinEnds ? [stdinEnds()] : [])])
  // The database is in memory, so that nothing has to be saved.
  let stop = async () => {}
  ended.then(async () => {
    await stop()
    if (json) printJson({ stopped: true })
    exit(0)
  })
  const records = more.records === undefined ? {} : await readRecords(more.records)
  const environment = { ...set, PORT: String(port), APP_PORT: String(appPort) }
  // Imported here, so that other commands start without it.
  const { loadAhead } = await import('../../testing/prepared.ts')
  loadAhead()
  const { startTestServer } = await import('../../testing/control/server.ts')
  const options = { ...records, ...(now && { now }), environment, controlPort }
  const starting = startTestServer(options)
  const { apiUrl, appUrl, controlUrl, ...server } = await starting.catch((error: unknown) => {
    throw error instanceof WrongOption ? new Refusal(error.message) : error
  })
  stop = server.stop
  if (json) printJson({ apiUrl, appUrl, controlUrl })
  else console.log(`API ${apiUrl}\napplication ${appUrl}\ncontrol ${controlUrl}`)
  return new Promise<never>(() => {})
}

async function readRecords(file: string): Promise<Rows> {
  const text = await readFile(file, 'utf8').catch(namingFile(file))
  try {
    const records = parseJson(text)
    if (typeof records === 'object' && records !== null && !Array.isArray(records)) return records
  } catch {
    // Not JSON: refused below.
  }
  throw new Refusal(`${file}: expected a JSON object with companies, people and rounds`)
}

function stdinEnds(): Promise<void> {
  return new Promise((resolve) => {
    process.stdin
      .once('end', resolve)
      .once('error', () => resolve())
      .resume()
  })
}

function parseTime(value: string): Date {
  const time = new Date(value)
  if (Number.isNaN(time.getTime())) throw new InvalidArgumentError('Expected an ISO 8601 time.')
  return time
}

function collectSetting(value: string, settings: Readonly<Record<string, string>>) {
  const end = value.indexOf('=')
  if (end < 1) throw new InvalidArgumentError('Expected NAME=value.')
  const name = value.slice(0, end)
  if (name === 'PORT' || name === 'APP_PORT') {
    throw new InvalidArgumentError('Ports are given by --port and --app-port.')
  }
  return { ...settings, [name]: value.slice(end + 1) }
}
