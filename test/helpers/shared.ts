/**
 * What the tests of one file, or of one `describe`, share: started before them and stopped after them,
 * the last started first. Each function is called where the tests are declared.
 */
import { afterAll, beforeAll } from 'bun:test'
import type { Database } from '../../src/database/client.ts'
import {
  type Environment,
  type Program,
  type Server,
  serve,
  type TemporaryDirectory,
  temporaryDirectory,
} from './command.ts'
import { type TestDatabase, testDatabase } from './postgres.ts'
import { postgresService, type TestService, testService } from './service.ts'

const stops: (() => unknown)[] = []

/**
 * Starts something that the tests share.
 * @returns an object that has the properties of what was started from the first test, or the next
 *   `beforeAll`, on.
 */
export function shared<T extends object>(
  start: () => Promise<T>,
  stop: (started: T) => unknown = () => {},
): T {
  const object = {} as T
  beforeAll(async () => {
    const started = await start()
    stops.push(() => stop(started))
    Object.assign(object, started)
  })
  // Hooks run in the order of their declaration. A start that failed has nothing to stop.
  afterAll(async () => {
    await stops.pop()?.()
  })
  return object
}

type Fill = (database: Database) => Promise<unknown>

/** A migrated PostgreSQL database. @param fill puts records into it. */
export function sharedDatabase(fill?: Fill): TestDatabase {
  const start = async () => {
    const database = await testDatabase()
    await fill?.(database.database)
    return database
  }
  return shared(start, ({ drop }) => drop())
}

/** The service over the kit's database in memory; see `testService`. */
export function sharedService(...options: Parameters<typeof testService>): TestService {
  return shared(
    () => testService(...options),
    ({ stop }) => stop(),
  )
}

/** The service over a real PostgreSQL; see `postgresService`. */
export function sharedPostgresService(...options: Parameters<typeof postgresService>): TestService {
  return shared(
    () => postgresService(...options),
    ({ stop }) => stop(),
  )
}

export function sharedDirectory(): TemporaryDirectory {
  return shared(temporaryDirectory, ({ remove }) => remove())
}

/** A server process. @param environment is asked for when it starts. */
export function sharedServer(environment: () => Environment, program?: Program): Server {
  return shared(
    () => serve(environment(), [], program && { program }),
    ({ stop }) => stop(),
  )
}
