/** Opens the database that the configuration names, brought to this build's schema. */
import type { Config } from '../config.ts'
import { connect, type Database } from './client.ts'
import { DataDirError, expectDatabase } from './data-dir.ts'
import type { Address } from './driver.ts'
import { openEmbedded } from './embedded.ts'
import { hostsOf } from './hosts.ts'
import { lockInDirectory, lockInPostgres } from './long-lock.ts'
import { startMaintenance } from './maintenance.ts'
import { type Migrated, migrate } from './migrate.ts'
import { asStartFailure, reach, type Waiting } from './reach.ts'
import { sessionFacts } from './session-settings.ts'
import { takeTransport } from './tls.ts'

/** A load reads two things at once. */
const STANDBY_CONNECTIONS = 2

export type OpenDatabase = Awaited<ReturnType<typeof openDatabase>>

interface OpenOptions extends Waiting {
  /** How many connections at most in the first pool. */
  connections?: number
  /** Deadline of the first pool for work that names no other; default: that of an API call. */
  deadlineMs?: number
  /** Refuse if another process runs the embedded database (two servers on one directory). */
  exclusive?: boolean
  /** Refuse where there is no database yet, instead of making one. */
  mustExist?: boolean
  /** Open it without migrating it. */
  skipMigrations?: boolean
  /** Called where the database was brought to this build's schema. */
  onMigrated?: (migrated: Migrated) => void
  /** Called with a description when the embedded database fails later and is restarted. */
  onTrouble?: (what: string) => void
}

/**
 * @returns the first pool, one of a standby for what is long and read only where one is named, what takes locks, and whether this process runs the embedded database itself: `isOwned`.
 * @throws ConfigError, DataDirError, SchemaTooNew, DatabaseUnavailable
 */
export async function openDatabase(
  config: Pick<Config, 'databaseUrl' | 'dataDir'> & Partial<Pick<Config, 'databaseReadUrl'>>,
  {
    connections = 4,
    deadlineMs,
    exclusive = false,
    mustExist = false,
    skipMigrations = false,
    onMigrated,
    onTrouble,
    ...waiting
  }: OpenOptions = {},
) {
  if (mustExist && !config.databaseUrl) expectDatabase(config.dataDir)
  const embedded = config.databaseUrl ? undefined : await openEmbedded(config.dataDir, onTrouble)
  if (exclusive && embedded && !embedded.owned) {
    throw new DataDirError(
      `another server already runs on the data directory ${config.dataDir}: stop it, or set DATA_DIR to another directory`,
    )
  }
  const place: Address = embedded?.address ?? addressOf(config.databaseUrl ?? '')
  const takeLongLock = embedded ? lockInDirectory(config.dataDir) : lockInPostgres(place)
  const pools: Database[] = []
  /** Opens another pool, for work that must not wait for the connections of the first. */
  const pool = (count: number, limitMs?: number, address: Address = place): Database => {
    const opened = connect({ ...address, connections: count, deadlineMs: limitMs })
    pools.push(opened)
    return opened
  }
  /** A session that asks for no settings: it has the defaults of its user and database. */
  const plainSession = async () => {
    const { transport } = place
    const plain = {
      ...place,
      ...(transport && { transport: { ...transport, takesSettings: false } }),
    }
    return pool(1, deadlineMs, plain).use(({ sql }) => sessionFacts(sql))
  }
  const standby = config.databaseReadUrl ? openStandby(config.databaseReadUrl) : undefined
  const maintenance = embedded?.owned ? startMaintenance(pool(1), config.dataDir) : undefined
  /** Closes every pool, and the embedded database if this process runs it. */
  const close = async () => {
    await maintenance?.stop()
    await Promise.all([...pools, ...(standby ? [standby] : [])].map((opened) => opened.close()))
    await embedded?.stop()
  }
  try {
    const database = pool(connections, deadlineMs)
    if (!embedded) await reach(database, waiting)
    if (!skipMigrations) await migrate(database, { mustExist, onMigrated })
    return {
      database,
      standby,
      pool,
      plainSession,
      takeLongLock,
      isOwned: embedded?.owned ?? false,
      close,
    }
  } catch (error) {
    await close()
    throw asStartFailure(error, config)
  }
}

/** @throws ConfigError */
const addressOf = (url: string): Address => ({ ...takeTransport(url), hosts: hostsOf(url) })

/** Connections to the server of DATABASE_READ_URL, which are made when they are first needed. */
function openStandby(url: string): Database {
  const variable = 'DATABASE_READ_URL'
  return connect({ ...takeTransport(url, variable), variable, connections: STANDBY_CONNECTIONS })
}
