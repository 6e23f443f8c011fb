/**
 * A database that can't be used: each cause is provoked, and the command line says it in one line with its cure.
 * TLS is a real server's, with a certificate that it signed itself.
 */
import { describe, expect, test } from 'bun:test'
import { writeFile } from 'node:fs/promises'
import { createConnection, createServer } from 'node:net'
import { join } from 'node:path'
import postgres from 'postgres'
import { isForeseen, reasonOf } from '../../src/commands/command.ts'
import { connect, DatabaseUnavailable } from '../../src/database/client.ts'
import { openDatabase } from '../../src/database/open.ts'
import { run } from '../helpers/command.ts'
import { fakePostgres, refusal, speakAs } from '../helpers/fake-postgres.ts'
import { freePort, startPostgres } from '../helpers/postgres.ts'
import { rejection } from '../helpers/rejection.ts'
import { shared, sharedDirectory } from '../helpers/shared.ts'

const PASSWORD = 'correct-horse'

/** Lines of pg_hba.conf: each database takes what its name says. */
const HBA = [
  'hostnossl tls_only all all reject',
  'hostssl plain_only all all reject',
  'host all all all scram-sha-256',
]

/** Run by the server itself, in its data directory and under its own user. */
const CERTIFY =
  'openssl req -new -x509 -newkey rsa:2048 -days 2 -nodes -subj /CN=localhost -addext subjectAltName=DNS:localhost -keyout server.key -out server.crt'

const directory = sharedDirectory()
const server = shared(startTlsServer, ({ stop }) => stop())

async function startTlsServer() {
  const started = await startPostgres()
  const sql = postgres(started.url('postgres'), { max: 1 })
  for (const name of ['tls_only', 'plain_only']) await sql.unsafe(`create database ${name}`)
  await sql.unsafe(`create user guest password '${PASSWORD}'`)
  await sql.unsafe(`copy (select 1) to program '${CERTIFY}'`)
  const [row] =
    await sql`select pg_read_file('server.crt') as pem, current_setting('hba_file') as hba`
  await sql.unsafe(`copy (select unnest('{${HBA.join(',')}}'::text[])) to '${row?.hba}'`)
  await sql.unsafe('alter system set ssl = on')
  await sql`select pg_reload_conf()`
  await sql.end()
  const port = Number(new URL(started.url('postgres')).port)
  const isSecure = async () => {
    const probe = postgres(started.url('postgres'), { max: 1 })
    const [setting] = await probe`show ssl`
    await probe.end()
    return setting?.ssl === 'on'
  }
  while (!(await isSecure()));
  return { stop: started.stop, url: started.url, port, pem: String(row?.pem) }
}

/** A URL of the server. */
function urlOf(
  database: string,
  query = '',
  { user = 'postgres', password = 'postgres', host = '127.0.0.1' } = {},
) {
  return `postgres://${user}:${password}@${host}:${server.port}/${database}?${query}`
}

async function rootCertificate(): Promise<string> {
  const file = join(directory.path, 'root.crt')
  await writeFile(file, server.pem)
  return file
}

/** The line with which a command that meets this database ends. */
async function lineOf(url: string): Promise<string> {
  const error = await rejection(openDatabase({ databaseUrl: url, dataDir: '' }))
  expect(isForeseen(error)).toBe(true)
  return checked(reasonOf(error))
}

/** One line, and no password in it. */
function checked(line: string): string {
  expect(line).not.toMatch(/\n|postgres:postgres|correct-horse|wrong-battery/)
  return line
}

describe('D118: the line names the cause and its cure', () => {
  test('a wrong password', async () => {
    expect(await lineOf(urlOf('postgres', '', { password: 'wrong-battery' }))).toBe(
      `the database is unavailable: the server at 127.0.0.1:${server.port} refuses the password of the user "postgres" (28P01): correct user and password in DATABASE_URL`,
    )
  })

  test('as the only line, with exit 1: serve doesn’t wait for what waiting can’t mend', async () => {
    const env = { DATABASE_URL: urlOf('postgres', '', { password: 'wrong-battery' }) }
    const { code, stdout, stderr } = await run(['serve'], { env })
    expect([code, stdout]).toEqual([1, ''])
    expect(checked(stderr.trimEnd())).toStartWith('chainkin serve: the database is unavailable: ')
    expect(stderr).toContain('(28P01)')
  })

  test('a missing database', async () => {
    expect(await lineOf(urlOf('nowhere'))).toEndWith(
      'has no database "nowhere" (3D000): create it with createdb, or correct its name in DATABASE_URL',
    )
  })

  test('missing rights', async () => {
    const guest = { user: 'guest', password: PASSWORD }
    expect(await lineOf(urlOf('postgres', '', guest))).toContain(
      'the user "guest" lacks rights on the database "postgres" (42501): make the user its owner, or run "chainkin migrate" as the owner and then what "chainkin grants" prints',
    )
  })

  test('a server without TLS', async () => {
    const fake = await fakePostgres(() => {})
    const line = await lineOf(`${fake.url}?sslmode=require`)
    expect(line).toContain(
      'speaks no TLS, which the sslmode in DATABASE_URL demands: switch ssl on',
    )
    fake.close()
  })

  test('a server that takes no connections of this kind', async () => {
    expect(await lineOf(urlOf('tls_only', 'sslmode=disable'))).toContain(
      `doesn't let the user "postgres" in this way (28000): create the user, allow the connection in pg_hba.conf, or set another sslmode`,
    )
  })

  test('an old server version', async () => {
    const fake = await fakePostgres(speakAs('9.6.24'))
    expect(await lineOf(fake.url)).toEndWith(
      'the server is PostgreSQL 9.6.24, and 14 is the oldest that will do: upgrade it, or set DATABASE_URL to another',
    )
    fake.close()
  })

  test('no server there', async () => {
    const url = `postgres://u:${PASSWORD}@127.0.0.1:${await freePort()}/d`
    const line = await lineOf(url)
    expect(line).toMatch(
      /: no server answers at 127\.0\.0\.1:\d+ \(ECONNREFUSED\): start it, or correct host and port in DATABASE_URL$/,
    )
  })

  test('no embedded database there: no word of an address that could be corrected', async () => {
    const socketPath = '/nowhere/.s.PGSQL.5432'
    const refused = Object.assign(new Error('started again'), { code: 'ECONNREFUSED' })
    const openStream = () => {
      throw refused
    }
    for (const [address, code] of [
      [{ socketPath }, 'ENOENT'],
      [{ openStream }, 'ECONNREFUSED'],
    ] as const) {
      const { use, close } = connect({ ...address, connections: 1 })
      const error = await use(({ sql }) => sql`select 1`).catch((thrown: unknown) => thrown)
      expect(error).toMatchObject({
        mayPass: true,
        isUnknown: false,
        message: `the database is unavailable: the embedded database does not run (${code}): the server starts it again by itself and logs why; where no server runs, start one`,
      })
      await close()
    }
  })

  test('a name that is not found', async () => {
    const line = await lineOf(`postgres://u:${PASSWORD}@db.invalid:5432/d`)
    // A machine without name servers can't tell for sure.
    expect(line).toMatch(
      /host "db\.invalid" .*\((ENOTFOUND|EAI_AGAIN)\): (correct its name in DATABASE_URL|check the network)/,
    )
  })

  test('a certificate that nobody we know has signed, and one of another name', async () => {
    expect(await lineOf(urlOf('postgres', 'sslmode=verify-ca'))).toMatch(
      /certificate of the server at .* is not accepted \(\w+\): name who signed it with sslrootcert in DATABASE_URL$/,
    )
    const root = await rootCertificate()
    expect(await lineOf(urlOf('postgres', `sslmode=verify-full&sslrootcert=${root}`))).toMatch(
      /is not accepted \(\w+\): set the host in DATABASE_URL to a name that the certificate has, or sslmode=verify-ca$/,
    )
  })

  test('an sslmode that doesn’t exist, and a file of certificates that isn’t there', async () => {
    expect(await lineOf(urlOf('postgres', 'sslmode=always'))).toBe(
      'DATABASE_URL: expected sslmode to be one of disable, allow, prefer, require, verify-ca, verify-full',
    )
    expect(await lineOf(urlOf('postgres', 'sslmode=require&sslrootcert=/nowhere.crt'))).toBe(
      'DATABASE_URL: expected sslrootcert to name a readable file of certificates (PEM), or system, got "/nowhere.crt"',
    )
  })
})

describe('D117: sslmode as in libpq', () => {
  /** Whether the session that a URL leads to is encrypted; the SQLSTATE or TLS's code where it leads to none. */
  async function sessionOf(url: string): Promise<boolean | string> {
    const pool = connect({ url, connections: 1, deadlineMs: 10_000 })
    try {
      for (let isFirst = true; ; isFirst = false) {
        try {
          const [row] = await pool.use(
            ({ sql }) =>
              sql<{ ssl: boolean }[]>`select ssl from pg_stat_ssl where pid = pg_backend_pid()`,
          )
          return row?.ssl ?? 'no session'
        } catch (error) {
          const [code = ''] = /\b(28000|[A-Z_]{6,})\b/.exec(String(error)) ?? []
          // `allow` and `prefer` have learned which kind of connection the server takes.
          if (!isFirst || code !== '28000') return code
        }
      }
    } finally {
      await pool.close()
    }
  }

  test('decides over encryption, by what the server takes', async () => {
    const root = await rootCertificate()
    const found: Record<string, unknown> = {}
    for (const mode of ['', 'disable', 'allow', 'prefer', 'require']) {
      const query = mode && `sslmode=${mode}`
      found[mode || 'none'] = await Promise.all(
        ['postgres', 'tls_only', 'plain_only'].map((database) => sessionOf(urlOf(database, query))),
      )
    }
    expect(found).toEqual({
      none: [true, true, false],
      disable: [false, '28000', false],
      allow: [false, true, false],
      prefer: [true, true, false],
      require: [true, true, '28000'],
    })
    // The word of earlier versions.
    const earlier = ['ssl=true', 'ssl=require', 'ssl=false'].map((query) =>
      urlOf('plain_only', query),
    )
    expect(await Promise.all(earlier.map(sessionOf))).toEqual(['28000', '28000', false])
    const named = { host: 'localhost' }
    const verified = [`verify-ca&sslrootcert=${root}`, `verify-full&sslrootcert=${root}`]
    const sessions = verified.map((query) =>
      sessionOf(urlOf('postgres', `sslmode=${query}`, named)),
    )
    expect(await Promise.all(sessions)).toEqual([true, true])
    // By its address the server is another one; verify-ca doesn't ask, and `require` with an authority is verify-ca.
    expect(await sessionOf(urlOf('postgres', `sslmode=verify-ca&sslrootcert=${root}`))).toBe(true)
    expect(await sessionOf(urlOf('postgres', `sslmode=require&sslrootcert=${root}`))).toBe(true)
    expect(await sessionOf(urlOf('postgres', `sslmode=verify-full&sslrootcert=${root}`))).toContain(
      'ALTNAME',
    )
    expect(await sessionOf(urlOf('postgres', 'sslrootcert=system'))).toMatch(/CERT/)
  })

  test('a server that speaks no TLS is taken as it is where TLS is not demanded', async () => {
    const fake = await fakePostgres(speakAs('17.2'))
    const pool = connect({ url: fake.url, connections: 1 })
    const [row] = await pool.use(({ sql }) => sql.unsafe('show server_version'))
    await pool.close()
    fake.close()
    expect(row?.server_version).toBe('17.2')
  })
})

describe('D118: a start waits for its database', () => {
  const waitFor = async (url: string, waitSeconds: number) => {
    const reasons: string[] = []
    const options = { waitSeconds, onWait: (reason: string) => reasons.push(reason) }
    return { reasons, opening: openDatabase({ databaseUrl: url, dataDir: '' }, options) }
  }

  test('until it answers, and says why it waits', async () => {
    const port = await freePort()
    const { opening, reasons } = await waitFor(
      urlOf('postgres').replace(`:${server.port}/`, `:${port}/`),
      30,
    )
    // First nobody listens, then the server is starting up, then it is there.
    while (reasons.length === 0) await Bun.sleep(5)
    let isStarting = true
    const front = createServer((socket) => {
      socket.on('error', () => {})
      if (isStarting) {
        socket.on('data', (sent) => socket.write(sent.length === 8 ? 'N' : refusal('57P03')))
        return
      }
      const back = createConnection({ port: server.port, host: '127.0.0.1' })
      socket.pipe(back).pipe(socket)
      back.on('error', () => socket.destroy())
    })
    await new Promise<void>((resolve) => front.listen(port, '127.0.0.1', resolve))
    while (reasons.length === 1) await Bun.sleep(5)
    isStarting = false
    const { close } = await opening
    await close()
    front.close()
    expect(reasons[0]).toContain('(ECONNREFUSED)')
    expect(reasons[1]).toContain('is starting or stopping (57P03)')
    expect(reasons).toHaveLength(2)
  })

  test('no longer than it is told to', async () => {
    const port = await freePort()
    const { opening, reasons } = await waitFor(`postgres://u:p@127.0.0.1:${port}/d`, 0.5)
    const error = await rejection(opening)
    expect(error).toBeInstanceOf(DatabaseUnavailable)
    expect(String(error)).toContain('(ECONNREFUSED)')
    expect(reasons).toHaveLength(1)
  })

  test('serve logs what it waits for, then gives the reason', async () => {
    const env = {
      DATABASE_URL: `postgres://u:p@127.0.0.1:${await freePort()}/d`,
      DATABASE_WAIT_SECONDS: '1',
    }
    const { code, stderr } = await run(['serve'], { env })
    const [waiting = '', ...rest] = stderr.trimEnd().split('\n')
    expect(JSON.parse(waiting)).toMatchObject({
      level: 'warn',
      message: 'waiting for the database',
    })
    expect([code, rest.length, rest[0]]).toEqual([
      1,
      1,
      expect.stringMatching(/^chainkin serve: the database is unavailable: no server answers at /),
    ])
  })
})
