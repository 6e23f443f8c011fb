/**
 * The service inside another program: what the command `serve` starts, without its signals and its demo.
 *
 *     import { startChainkin } from 'chainkin'
 *
 *     const server = await startChainkin({ DATABASE_URL: process.env.DATABASE_URL, PORT: '8080' })
 *     console.log(server.apiUrl)
 *     await server.stop()
 */
import { readConfig } from './config.ts'
import { settingWarnings } from './console/acts/settings.ts'
import { openDatabase } from './database/open.ts'
import { createLog } from './log.ts'
import { startServer } from './server/service/server.ts'
import { openService } from './server/service/service.ts'

export {
  CannotListen,
  ConfigError,
  DatabaseUnavailable,
  DataDirError,
  SchemaTooNew,
} from './start-errors.ts'

export interface RunningServer {
  /** Where the API and the application are reached, without a trailing slash. */
  apiUrl: string
  appUrl: string
  /** Takes no more connections, lets requests in hand finish, and closes the database. */
  stop(): Promise<void>
}

/**
 * Starts the service: database, migrations, directory, both listeners.
 * @param settings by the names of the environment variables (README, "Configuration"); the real
 *   environment is not read. WORKERS, METRICS_PORT and DRAIN_SECONDS are for the command `serve` alone.
 * @throws ConfigError, DataDirError, SchemaTooNew, DatabaseUnavailable, CannotListen
 */
export async function startChainkin(
  settings: Readonly<Record<string, string | undefined>> = {},
): Promise<RunningServer> {
  const config = readConfig(settings)
  const log = createLog(config.logLevel)
  for (const { message, fields } of settingWarnings(settings, config)) log.warn(message, fields)
  // The stack closes everything in reverse where a later step fails.
  await using opened = new AsyncDisposableStack()
  const open = opened.adopt(
    await openDatabase(config, {
      connections: 8,
      exclusive: true,
      waitSeconds: config.databaseWaitSeconds,
      onWait: (reason) => log.warn('waiting for the database', { reason }),
    }),
    (database) => database.close(),
  )
  const service = opened.adopt(await openService(config, open, log), (running) => running.stop())
  const server = opened.adopt(await startServer(config, service), (running) => running.stop())
  const { apiUrl, appUrl } = server
  const running = opened.move()
  return { apiUrl, appUrl, stop: () => running.disposeAsync() }
}
