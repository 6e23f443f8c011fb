/** `serve`: the API and the application, until a signal. */
import { once } from 'node:events'
import { setTimeout as pause } from 'node:timers/promises'
import type { Command } from 'commander'
import { readConfig } from '../config.ts'
import { describeError } from '../database/client.ts'
import { openDatabase } from '../database/open.ts'
import { createLog, type Log } from '../log.ts'
import { exit, releaseMemory } from '../runtime.ts'
import { type Server, startServer } from '../service/server.ts'
import { reporting, subcommand } from './command.ts'
import { makeDemo } from './demo.ts'

/** How long requests in hand may take to finish after a signal, in milliseconds. */
const FINISH_MS = 10_000
/** The runtime returns freed pages to the system in the background, about this long after a collection. */
const RELEASE_MS = 100

/** The number of records from which that memory is worth the wait. */
const LARGE_DIRECTORY = 10_000

export function registerServe(program: Command) {
  subcommand(program, 'serve', 'answer the API on PORT and the application on APP_PORT')
    .option(
      '--demo',
      'on an empty embedded database: make a demo directory, somebody who may sign in, and a key',
      false,
    )
    .action(reporting(serve))
}

async function serve({ json, demo }: { json?: boolean; demo: boolean }): Promise<never> {
  const config = readConfig(process.env)
  const log = createLog(config.logLevel)
  surviveDriverFaults(log)
  // Imported here, so that the other commands start without the packages of the API and the pages.
  const { openService } = await import('../service/service.ts')
  const open = await openDatabase(config, {
    connections: 8,
    exclusive: true,
    onTrouble: (what) => log.error(what),
    waitSeconds: config.databaseWaitSeconds,
    onWait: (reason) => log.warn('waiting for the database', { reason }),
  })
  let server: Server | undefined
  try {
    // The demo never fills a database that the operator named.
    const lines = demo && !config.databaseUrl ? await makeDemo(open.database, config) : undefined
    const service = await openService(config, open, log)
    const { people, companies } = service.directory.counts
    if (people + companies > LARGE_DIRECTORY) {
      // Loading leaves as much garbage as records: it goes before the first request.
      releaseMemory()
      await pause(RELEASE_MS)
    }
    const signal = nextSignal()
    server = await startServer(config, service)
    const { apiUrl, appUrl } = server
    log.info('ready', { apiUrl, appUrl, ...service.directory.counts })
    if (json) console.log(JSON.stringify({ apiUrl, appUrl }))
    else
      console.log(`${config.serviceName} answers at ${apiUrl}, its documentation at ${appUrl}/docs`)
    if (lines) console.error(lines({ apiUrl, appUrl }))

    await signal
    log.info('stopping: finishing the requests in hand')
    await Promise.race([server.stop(), pause(FINISH_MS)])
    await service.stop()
    await open.close()
    exit(0)
  } catch (error) {
    await server?.stop()
    await open.close()
    throw error
  }
}

/** Resolves at the first SIGINT or SIGTERM; a second one ends the process at once. */
async function nextSignal(): Promise<void> {
  const names = ['SIGINT', 'SIGTERM']
  await Promise.race(names.map((name) => once(process, name)))
  for (const name of names) process.on(name, () => exit(1))
}

/**
 * postgres.js throws outside any promise when a backend dies at the wrong moment (a write on a socket
 * that is gone). The call concerned fails by its own deadline; the others must not fail with it.
 * Anything else that nobody caught ends the process: its state is unknown.
 */
function surviveDriverFaults(log: Log) {
  const survive = (error: unknown) => {
    const stack = error instanceof Error ? (error.stack ?? '') : ''
    const fromDriver = /[\\/]postgres[\\/](src|cjs|cf)[\\/]/.test(stack)
    log.error(fromDriver ? 'the database driver failed' : 'an error that nobody caught', {
      error: describeError(error),
    })
    if (!fromDriver) exit(1)
  }
  process.on('uncaughtException', survive)
  process.on('unhandledRejection', survive)
}
