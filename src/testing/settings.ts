/** The settings of a test directory's service: those of `serve`, but for what only a process with a database of its own has. */
import { type Config, readConfig } from '../embed-testing.ts'
import { WrongOption } from './options.ts'

/** Variables of `serve` that say nothing here: nobody would see that they are not heeded. */
const OF_SERVE_ALONE = [
  ...['DATABASE_URL', 'DATABASE_READ_URL', 'DATABASE_WAIT_SECONDS', 'DATA_DIR', 'LEDGER_MONTHS'],
  ...['BACKUP_DIR', 'BACKUP_EVERY', 'BACKUP_KEEP', 'INDEX_SNAPSHOT'],
  ...['WORKERS', 'METRICS_PORT', 'ACCESS_LOG', 'DRAIN_SECONDS'],
]

/**
 * Checks settings by the names of their variables.
 * @throws ConfigError naming each wrong value; WrongOption where there is no such setting, or none in memory
 */
export function readSettings(environment: Readonly<Record<string, string>>): Config {
  const known = new Set<string | symbol>()
  const settings = { LOG_LEVEL: 'silent', PORT: '0', APP_PORT: '0', ...environment }
  const config = readConfig(
    new Proxy<Record<string, string>>(settings, {
      get(target, name) {
        known.add(name)
        return Reflect.get(target, name)
      },
    }),
  )
  for (const name of Object.keys(environment)) {
    if (!known.has(name)) throw new WrongOption(`environment: there is no setting ${name}`)
    if (OF_SERVE_ALONE.includes(name)) {
      throw new WrongOption(
        `environment: ${name} is a setting of serve, and none of a test directory`,
      )
    }
  }
  return config
}
