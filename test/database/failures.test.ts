/**
 * A database that can't be used: each cause is provoked, and the command line says it in one line with its cure.
 * TLS is a real server's, with a certificate that it signed itself.
 */
import { describe, expect, test } from 'bun:test'
import { writeFile } from 'node:fs/promises'
import { createConnection, createServer } from 'node:net'
import { networkInterfaces } from 'node:os'
import { join } from 'node:path'
import postgres from 'postgres'
import { readConfig } from '../../src/config.ts'
import { connect, DatabaseUnavailable } from '../../src/database/client.ts'
import { openDatabase } from '../../src/database/open.ts'
import { scalar } from '../../src/database/scalar.ts'
import { isForeseen, reasonOf } from '../../src/server/commands/command.ts'
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

/** Commands of the server itself, in its data directory and under its own user. */
const WRITE_HBA = 'cat > pg_hba.conf'
const CERTIFY =
  'openssl req -new -x509 -newkey rsa:2048 -days 2 -nodes -subj /CN=localhost -addext subjectAltName=DNS:localhost -keyout server.key -out server.crt'

const directory = sharedDirectory()
const server = shared(startTlsServer, ({ stop }) => stop())

async function startTlsServer() {
  const started = await startPostgres(['-c', 'listen_addresses=127.0.0.1,::1'])
  const sql = postgres(started.url('postgres'), { max: 1 })
  for (const name of ['tls_only', 'plain_only']) await sql.unsafe(`create database ${name}`)
  await sql.unsafe(`create user guest password '${PASSWORD}'`)
  await sql.unsafe(`copy (select 1) to program '${CERTIFY}'`)
  const [row] = await sql`select pg_read_file('server.crt') as pem`
  await sql.unsafe(`copy (select unnest('{${HBA.join(',')}}'::text[])) to program '${WRITE_HBA}'`)
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

describe('the line names the cause and its cure', () => {
  test('a wrong password', async () => {
    expect(await lineOf(urlOf('postgres', '', { password: 'wrong-battery' }))).toBe(
      `the database is unavailable: the server at 127.0.0.1:${server.port} refuses the password of the user "postgres" (28P01): correct user and password in DATABASE_URL`,
    )
  })

  test('as the only line, with exit 1: serve doesn’t wait for what waiting can’t mend', async () => {
    const env = { DATABASE_URL: urlOf('postgres', '', { password: 'wrong-battery' }) }
    const { code, stdout, stderr } = await run(['serve'], { env })
    expect([code, stdout]).toEqual([1, ''])
    expect(JSON.parse(checked(stderr.trimEnd())).message).toStartWith(
      'chainkin serve: the database is unavailable: ',
    )
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
    const socketPath = '/nowhere/socket'
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

describe('an address of a database', () => {
  /** Whose session in which database an address leads to. */
  async function sessionAt(databaseUrl: string): Promise<string> {
    const config = readConfig({ DATABASE_URL: databaseUrl })
    const { database, close } = await openDatabase(config, { skipMigrations: true })
    const name = await database.use(({ sql }) =>
      scalar<string>(sql`select concat(current_user, ' in ', current_database())`),
    )
    await close()
    return name ?? ''
  }

  test.each([
    'postgres://guest:PASSWORD@HOST:PORT/postgres?sslmode=prefer&channel_binding=prefer',
    'postgres://guest:PASSWORD@HOST:PORT/postgres?gssencmode=disable',
    'postgres://guest:PASSWORD@HOST:PORT/postgres?keepalives_idle=30',
    'postgres:///postgres?host=HOST&port=PORT&user=guest&password=PASSWORD',
    'postgres://guest:PASSWORD@HOST:PORT/postgres?options=-c%20work_mem%3D8MB',
    'postgres://HOST:PORT,HOST:PORT/postgres?user=guest&password=PASSWORD&target_session_attrs=read-write',
    'postgres://guest:PASSWORD@HOST:PORT/postgres?supa=base-pooler.x',
    'postgres://guest:PASSWORD@HOST:PORT/postgres?pgbouncer=true&connection_limit=5',
  ])('works as psql takes it, or as hosts hand it out: %s', async (url) => {
    const values: Record<string, string> = { PASSWORD, HOST: '127.0.0.1', PORT: `${server.port}` }
    const given = url.replaceAll(/PASSWORD|HOST|PORT/g, (word) => values[word] ?? '')
    expect(await sessionAt(given)).toBe('guest in postgres')
  })

  const hasIpv6 = Object.values(networkInterfaces())
    .flat()
    .some((each) => each?.address === '::1')
  test.skipIf(!hasIpv6)('may be one of IPv6, also among several', async () => {
    const at = (hosts: string) => `postgres://guest:${PASSWORD}@${hosts}/postgres`
    const host = `[::1]:${server.port}`
    expect(await sessionAt(at(host))).toBe('guest in postgres')
    expect(await sessionAt(at(`${host},${host}`))).toBe('guest in postgres')
    const line = await lineOf(`postgres://guest:wrong-battery@${host}/postgres`)
    expect(line).toContain(`the server at ::1:${server.port} refuses the password`)
  })

  test('has its parameters that change nothing named by serve', async () => {
    const url = `postgres://u:p@127.0.0.1:${await freePort()}/d?keepalives=1&supa=x&sslmode=disable`
    const env = { DATABASE_URL: url, DATABASE_WAIT_SECONDS: '0' }
    const { stderr } = await run(['serve'], { env })
    expect(JSON.parse(stderr.split('\n')[0] ?? '')).toMatchObject({
      level: 'warn',
      message: 'parameters of DATABASE_URL change nothing here',
      parameters: ['keepalives', 'supa'],
    })
  })

  test('may be a password with # and ? in it, which psql takes', async () => {
    const sql = postgres(server.url('postgres'), { max: 1 })
    await sql.unsafe(`create user hash password 'a#b?c'`)
    await sql.end()
    expect(await sessionAt(`postgres://hash:a#b?c@127.0.0.1:${server.port}/postgres`)).toBe(
      'hash in postgres',
    )
  })

  test('may be the directory of a Unix socket', async () => {
    const fake = createServer((socket) => {
      socket.on('error', () => {})
      socket.on('data', (sent: Buffer) => speakAs('17.2')(socket, sent))
    })
    const { path } = directory
    await new Promise<void>((resolve) => fake.listen(join(path, '.s.PGSQL.5432'), resolve))
    for (const url of [
      `postgres:///d?host=${encodeURI(path)}`,
      `postgres://u@${encodeURIComponent(path)}/d`,
    ]) {
      const pool = connect({ url, connections: 1 })
      const [row] = await pool.use(({ sql }) => sql.unsafe('show server_version'))
      await pool.close()
      expect(row?.server_version).toBe('17.2')
    }
    fake.close()
    const line = await lineOf(`postgres://u@${encodeURIComponent('/nowhere')}/d`)
    expect(line).toContain('no server answers at /nowhere/.s.PGSQL.5432 (ENOENT)')
  })
})

describe('any SQLSTATE at a start is one line that says what to do', () => {
  const admin = shared(
    async () => ({ sql: postgres(server.url('postgres'), { max: 1, onnotice: () => {} }) }),
    ({ sql }) => sql.end(),
  )
  /** A database of a name, with what is done in it first. */
  async function databaseWith(name: string, statements = 'select 1', options = '') {
    await admin.sql.unsafe(`create database ${name} ${options}`)
    const sql = postgres(server.url(name), { max: 1, onnotice: () => {} })
    await sql.unsafe(statements)
    await sql.end()
    return urlOf(name)
  }

  test.each(['08P01', '0A000', '28000', '42704', '55000', '53400', '58P01', 'F0000', 'XX000'])(
    'a session that is refused with %s',
    async (code) => {
      const fake = await fakePostgres((socket) => socket.end(refusal(code)))
      const line = await lineOf(fake.url)
      fake.close()
      expect(line).toMatch(/^the database is unavailable: the server at 127\.0\.0\.1:\d+ .{20,}$/)
      expect(line).toContain(`(${code}): `)
    },
  )

  test('a statement that fails: its message, unless that may repeat a value', async () => {
    const url = await databaseWith('failing')
    const sql = postgres(server.url('failing'), { max: 1, onnotice: () => {} })
    const lines: Record<string, string> = {}
    for (const code of ['0A000', '22P02', '23505', '42883', '54000', '58030', 'P0001', 'XX001']) {
      await sql.unsafe(`
        drop event trigger if exists fails;
        create or replace function fails() returns event_trigger language plpgsql as
          $$ begin raise exception 'no' using errcode = '${code}'; end $$;
        create event trigger fails on ddl_command_start when tag in ('CREATE TABLE') execute function fails()`)
      lines[code] = await lineOf(url)
    }
    await sql.end()
    const begin =
      'the database is unavailable: a statement of the start failed in the database of DATABASE_URL'
    const report = 'look into the server’s log, and report this line'
    const damaged = 'look into the server’s log: its disk or its files may be damaged'
    expect(lines).toEqual({
      '0A000': `${begin}: no (0A000): ${report}`,
      '22P02': `${begin} (22P02): ${report}`,
      '23505': `${begin} (23505): ${report}`,
      '42883': `${begin}: no (42883): the database lacks what this program made in it: restore a backup, or name another one`,
      '54000': `${begin}: no (54000): free what the server lacks`,
      '58030': `${begin}: no (58030): ${damaged}`,
      P0001: `${begin} (P0001): ${report}`,
      XX001: `${begin}: no (XX001): ${damaged}`,
    })
  })

  test('a database of another program, one that takes no changes or no connections, and options that are wrong', async () => {
    const tables = 'create table accounts (id integer)'
    expect(await lineOf(await databaseWith('others', tables))).toEndWith(
      'relation "accounts" already exists (42P07): the database holds tables that are not this program’s: name an empty one',
    )
    const readOnly = 'alter database frozen set default_transaction_read_only = on'
    expect(await lineOf(await databaseWith('frozen', readOnly))).toContain(
      'takes no changes (25006): name the primary in DATABASE_URL if this is a standby, else set default_transaction_read_only = off',
    )
    await admin.sql.unsafe('create database closed allow_connections false')
    expect(await lineOf(urlOf('closed'))).toEndWith(
      'database "closed" is not currently accepting connections (55000): allow connections to the database, or wait until they are',
    )
    expect(await lineOf(urlOf('postgres', 'options=-c%20nosuch%3D1'))).toEndWith(
      'unrecognized configuration parameter "nosuch" (42704): correct options in DATABASE_URL',
    )
  })

  test('a database that isn’t UTF8 is refused before anything is made in it, with the cure', async () => {
    for (const encoding of ['LATIN1', 'SQL_ASCII']) {
      const name = encoding.toLowerCase()
      const options = `encoding '${encoding}' template template0 lc_collate 'C' lc_ctype 'C'`
      const url = await databaseWith(name, 'select 1', options)
      expect(await lineOf(url)).toBe(
        `the database is unavailable: the database "${name}" has the encoding ${encoding}, which can't hold every name, and UTF8 is needed: make another one with "createdb --encoding=UTF8 --locale=C --template=template0 NAME", and name it in DATABASE_URL`,
      )
      const sql = postgres(server.url(name), { max: 1 })
      expect(await sql`select from pg_tables where schemaname = 'public'`).toHaveLength(0)
      await sql.end()
      const { code, stderr } = await run(['serve'], { env: { DATABASE_URL: url } })
      expect([code, checked(stderr.trimEnd())]).toEqual([
        1,
        expect.stringContaining(`has the encoding ${encoding}`),
      ])
    }
  })
})

describe('sslmode as in libpq', () => {
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

describe('a start waits for its database', () => {
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
    expect([code, rest.length, JSON.parse(rest[0] ?? '').message]).toEqual([
      1,
      1,
      expect.stringMatching(/^chainkin serve: the database is unavailable: no server answers at /),
    ])
  })
})
