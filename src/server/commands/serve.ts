/** `serve`: the API and the application, until a signal; by one process, or by several workers. */
import { type Command, Help } from 'commander'
import { type Config, readConfig, WORKERS_EXPECTED } from '../../config.ts'
import { SETTINGS, type Setting, settingWarnings } from '../../console/acts/settings.ts'
import { listOperators, newOperatorLink } from '../../console/acts/users.ts'
import type { Database } from '../../database/client.ts'
import { type OpenDatabase, openDatabase } from '../../database/open.ts'
import { asStartFailure } from '../../database/reach.ts'
import { createLog, type Log } from '../../log.ts'
import { CAN_SHARE_PORTS, exit, programCommand } from '../../runtime.ts'
import type { Family } from '../metrics/families.ts'
import { type Backups, startBackups } from '../service/backups.ts'
import { expectFree } from '../service/workers/held-port.ts'
import { printJson, Refusal, reasonOf, reporting, subcommand, tell } from './command.ts'
import { type Greeting, greetDemo, seedEmpty } from './demo.ts'
import { parseWorkerCount } from './parsers.ts'
import {
  logWhatIsPrinted,
  machineFamilies,
  nextSignal,
  openMetrics,
  type Running,
  startPage,
  surviveDriverFaults,
  withLog,
} from './process.ts'
import { startWorkers } from './workers.ts'

interface Options {
  json?: boolean
  demo: boolean
  workers?: number
  beside: boolean
}

export function registerServe(program: Command) {
  subcommand(program, 'serve', 'answer the API on PORT and the application on APP_PORT')
    .option(
      '--demo',
      'on an empty embedded database: make a demo directory, somebody who may sign in, and a key',
      false,
    )
    .option(
      '--workers <number>',
      `processes that share the ports: ${WORKERS_EXPECTED} for one on each core (default: WORKERS, or 1)`,
      parseWorkerCount,
    )
    .option(
      '--beside',
      'with DATABASE_URL, on Linux: begin also where another process of this service answers, which can then be stopped without a call refused',
      false,
    )
    .addHelpText('after', settingsText)
    .action(reporting(serve, complain))
}

/** True where a person reads the log. Otherwise programs read it, and messages to people become lines of it. */
const isForPeople = () => process.stderr.isTTY

const complain = (text: string) => (isForPeople() ? tell(text) : createLog('error').error(text))

async function serve({ json, demo, workers, beside: isBeside }: Options): Promise<never> {
  const config = readConfig(process.env)
  if (isBeside && !CAN_SHARE_PORTS) {
    throw new Refusal('--beside needs a system on which processes share a port, which is Linux')
  }
  const log = createLog(config.logLevel)
  logWhatIsPrinted(log)
  surviveDriverFaults(log, json)
  for (const { message, fields } of settingWarnings(process.env, config)) log.warn(message, fields)
  let running: Running | undefined
  const signal = nextSignal()
  // No request is in hand before the start is over.
  signal.then(() => {
    if (running) return
    if (json) printJson({ stopped: true })
    exit(0)
  })
  const open = await openDatabase(config, {
    connections: 8,
    exclusive: true,
    onMigrated: ({ isNew: _, ...migrated }) => log.info('migrated the database', { ...migrated }),
    ...withLog(config, log),
  })
  const backups = openBackups(config, log)
  const families = async () => [...(await machineFamilies(config)), ...(backups?.families() ?? [])]
  try {
    // The demo never fills a database that the operator named.
    const isDemo = demo && !config.databaseUrl
    if (isDemo) await seedEmpty(open)
    const count = workers ?? config.workers
    running = await (count > 1
      ? startWorkers({ count, isBeside }, config, open, log, families)
      : startAlone({ ...config, workers: 1 }, isBeside, open, log, families))
    const greeting = isDemo ? await greetDemo(open, config) : undefined
    log.info('ready', { ...urlsOf(running), ...running.ready })
    announce(running, config, json)
    if (greeting) greet(greeting, running, log)
    if (!json) await sayFirstOperator(running.appUrl, config, open, log)

    const name = await Promise.race([signal, ...(running.failed ? [running.failed] : [])])
    // Ctrl-C doesn't drain, because a person waits at the terminal; SIGTERM gives balancers time.
    const drainSeconds = name === 'SIGTERM' ? config.drainSeconds : 0
    await Promise.all([running.stop(drainSeconds), backups?.stop()])
    await open.close()
    exit(0)
  } catch (error) {
    await Promise.all([running?.stop(), backups?.stop()])
    await open.close()
    throw asStartFailure(error, config)
  }
}

const urlsOf = ({ apiUrl, appUrl, metricsUrl }: Running) => ({ apiUrl, appUrl, metricsUrl })

function announce(running: Running, { serviceName }: Config, asJson?: boolean) {
  const { apiUrl, appUrl } = running
  const text = `${serviceName} answers at ${apiUrl}, its documentation at ${appUrl}/docs`
  if (process.stdout.isTTY && !asJson) process.stdout.write(`${text}\n`)
  else printJson(urlsOf(running))
}

/** Prints the demo's greeting, or logs it. Its keys open an invented directory only. */
function greet(greeting: Greeting, running: Running, log: Log) {
  const text = greeting(running)
  if (isForPeople()) tell(text)
  else log.info('demo', { lines: text.split('\n').filter(Boolean) })
}

/** Tells how to become the first operator while there is none: by a link on a terminal, which is in no log, or by a command. */
async function sayFirstOperator(appUrl: string, config: Config, open: OpenDatabase, log: Log) {
  const instead = 'chainkin user operator EMAIL'
  try {
    if (isForPeople()) {
      const link = await withOwn(config, open, newOperatorLink)
      if (link) tell(firstOperatorText(appUrl, link))
    } else if ((await withOwn(config, open, listOperators)).length === 0) {
      log.info('nobody is an operator yet: sign up, then run the command', { command: instead })
    }
  } catch (error) {
    // A failure here must not end a service that answers.
    log.warn('no link for the first operator', { reason: reasonOf(error), instead })
  }
}

/** Opens a connection of its own to a PostgreSQL, because the process above workers has closed its pool. */
async function withOwn<T>(
  config: Config,
  open: OpenDatabase,
  work: (database: Database) => Promise<T>,
): Promise<T> {
  if (!config.databaseUrl) return work(open.database)
  const own = await openDatabase(config, { connections: 1, skipMigrations: true })
  try {
    return await work(own.database)
  } finally {
    await own.close()
  }
}

const firstOperatorText = (appUrl: string, link: { token: string; endsAt: string }) => `
Nobody is the operator yet. Whoever opens this link and signs in becomes the first one, once, until ${link.endsAt}:

  ${appUrl}/first-operator?token=${link.token}
`

/** @returns undefined without BACKUP_DIR */
function openBackups({ backups: { dir, ...backups } }: Config, log: Log): Backups | undefined {
  return dir ? startBackups({ ...backups, dir }, { program: programCommand(), log }) : undefined
}

async function startAlone(
  config: Config,
  isBeside: boolean,
  open: OpenDatabase,
  log: Log,
  families: () => Promise<Family[]>,
): Promise<Running> {
  // Imported here, so that the other commands start without the packages of the API and the pages.
  const { startServing } = await import('../service/serving.ts')
  // With the embedded database no other process can start beside this one.
  const isShared = CAN_SHARE_PORTS && config.databaseUrl !== undefined
  if (isShared && !isBeside) {
    await expectFree('PORT', config.host, config.port)
    await expectFree('APP_PORT', config.host, config.appPort)
  }
  const metrics = await openMetrics(config, 1)
  const { counts, ...serving } = await startServing({ ...config, isShared }, open, log, {
    metrics,
  })
  const collect = async () => [await serving.families()]
  return { ...serving, ...(await startPage(config, collect, families)), ready: counts }
}

const WIDTH = 100
const NAME_WIDTH = 24

/** The settings for `serve --help`: a paragraph for each group, a line or two for each setting. */
export function settingsText(): string {
  const groups = Object.entries(SETTINGS).map(
    ([group, settings]) => `${group}:\n${settings.map(lineOf).join('\n')}`,
  )
  return `
Settings are variables of the environment; a wrong value is named at the start.
DATABASE_URL, DATABASE_READ_URL, SMTP_URL and the keys of Stripe may stand in files:
STRIPE_SECRET_KEY_FILE=/run/secrets/stripe names one.

${groups.join('\n\n')}

src/server/commands/README.md says more of each. chainkin print writes files to deploy with.`
}

function lineOf([name, byDefault, description]: Setting): string {
  const text = byDefault === '' ? description : `${description} (${byDefault})`
  const wrapped = new Help().boxWrap(text, WIDTH - NAME_WIDTH - 2)
  return `  ${name.padEnd(NAME_WIDTH)}${wrapped.replaceAll('\n', `\n${' '.repeat(NAME_WIDTH + 2)}`)}`
}
