/** The service inside another program: what `import … from 'chainkin'` gives. */
import { expect, test } from 'bun:test'
import { createServer } from 'node:net'
import { CannotListen, ConfigError, startChainkin } from '../src/embed.ts'
import { temporaryDirectory } from './helpers/command.ts'
import { testDatabase } from './helpers/postgres.ts'
import { expectRejection } from './helpers/rejection.ts'

const PORTS = { PORT: '0', APP_PORT: '0', LOG_LEVEL: 'silent' }

test.concurrent('starts both addresses on the database that it is given, and lets go of all of it', async () => {
  const { url, drop } = await testDatabase()
  const server = await startChainkin({ ...PORTS, DATABASE_URL: url })
  expect((await fetch(`${server.apiUrl}/v1/me`)).status).toBe(401)
  expect((await fetch(`${server.appUrl}/docs`)).status).toBe(200)
  await server.stop()
  await expectRejection(fetch(server.apiUrl))
  await drop()
})

test.concurrent('starts on a data directory of its own, and again on the same', async () => {
  const { path, remove } = await temporaryDirectory()
  for (let start = 0; start < 2; start++) {
    const server = await startChainkin({ ...PORTS, DATA_DIR: path })
    expect((await fetch(`${server.apiUrl}/v1/me`)).status).toBe(401)
    await server.stop()
  }
  await remove()
})

test.concurrent('a wrong setting is named, and the real environment is not read', async () => {
  process.env.SERVICE_NAME = 'x'.repeat(81)
  try {
    await expectRejection(
      startChainkin({ ...PORTS, HOST: 'no host' }),
      new ConfigError(['HOST: expected an IP address or host name, got "no host"']),
    )
  } finally {
    delete process.env.SERVICE_NAME
  }
})

test.concurrent('a port that is taken is named, and nothing stays open', async () => {
  const { url, database, drop } = await testDatabase()
  const other = createServer()
  const port = await new Promise<number>((resolve) => {
    other.listen(0, '127.0.0.1', () => {
      const address = other.address()
      resolve(typeof address === 'object' && address ? address.port : 0)
    })
  })
  const started = startChainkin({ ...PORTS, APP_PORT: String(port), DATABASE_URL: url })
  await expectRejection(started, CannotListen)
  await expectRejection(started, 'set HOST or APP_PORT to another')
  // PostgreSQL sees a closed connection a moment after it was closed.
  const others = () =>
    database.use(async ({ sql }) => {
      const [row] = await sql<{ others: number }[]>`
        select count(*)::integer as others from pg_stat_activity
         where datname = current_database() and application_name = 'chainkin' and pid <> pg_backend_pid()`
      return row?.others
    })
  while ((await others()) !== 0) await Bun.sleep(20)
  other.close()
  await drop()
})
