/** Backups of either database, in one format: what they hold, what is refused, and what a restore that fails leaves. */
import { beforeAll, describe, expect, test } from 'bun:test'
import { readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import postgres from 'postgres'
import { BackupError, openBackup, writeBackupFile } from '../../src/database/backup/file.ts'
import {
  loadBackup,
  restoreIntoDataDir,
  restoreIntoPostgres,
} from '../../src/database/backup/restore.ts'
import { saveDatabase } from '../../src/database/backup/save.ts'
import { inOrder, TABLE_NAMES } from '../../src/database/backup/tables.ts'
import type { Database } from '../../src/database/client.ts'
import { makeLedgerMonths } from '../../src/database/ledger-months.ts'
import { migrate } from '../../src/database/migrate.ts'
import { createAccount } from '../../src/money/accounts/accounts.ts'
import { grantCredits } from '../../src/money/accounts/credits.ts'
import { createKey } from '../../src/money/accounts/keys.ts'
import { checkBooks } from '../../src/money/charge/books.ts'
import { archiveLedger, partsOf } from '../../src/money/charge/ledger-archive.ts'
import { createMeter } from '../../src/money/charge/meter.ts'
import { run } from '../helpers/command.ts'
import { ADA, fixtures } from '../helpers/fixtures.ts'
import { PATIENCE_MS } from '../helpers/limit.ts'
import { expectRejection } from '../helpers/rejection.ts'
import { roleOn } from '../helpers/roles.ts'
import { shared, sharedDatabase, sharedDirectory } from '../helpers/shared.ts'
import { revealOf } from '../money/charge/calls.ts'
import { type Databases, databases, schemaOf, withPool } from './schema.ts'

const directory = sharedDirectory()
const source = sharedDatabase(fixtures)
const made = shared(databases, ({ drop }: Databases) => drop())
const path = (name: string) => join(directory.path, name)
let account: string
let file: string

beforeAll(async () => {
  const { database, sql } = source
  account = await createAccount(database, { name: 'Ada', email: 'ada@example.com', tier: 'pro' })
  await grantCredits(database, account, 1_000, 'topup')
  const { id: key } = await createKey(database, account, 'a\ttab, a \\ and a\nline', [])
  const meter = createMeter(database, { maxWaitMs: PATIENCE_MS })
  await meter.charge(revealOf({ id: account, key }, ADA.id))
  // Values that a text could lose: bytes, times without end, empty and missing texts, lists in lists, floating point.
  await sql`
    insert into pictures (record_id, kind, url, bytes, version, tried_at)
    values (${ADA.id}, 'person', ${'\\.'}, decode('00ff5c0a0d09', 'hex'), 1, 'infinity')`
  await sql`
    insert into journal_entries (change, table_name, row_id, record_id, before)
    values (1, 'people', ${ADA.id}, ${ADA.id}, '{"a": "\\n\\\\N\\t€𝕏", "b": [null, 1e-7], "c": ""}')`
  await sql`
    insert into newcomers (account_id, mailbox, trial_credits, trial_lasts) values (${account}, '', 0, '1 mon 2 days 03:04:05.678')
    on conflict (account_id) do update set trial_lasts = excluded.trial_lasts`
  await sql`
    insert into contact_notes (account_id, person_id, note, tags, updated_at)
    values (${account}, ${ADA.id}, ${'\\N'}, ${'{"",NULL,"a,b","\\"{}\\\\"}'}::text::text[], '0044-03-15 BC')`
  // Of months that are long over, and of a clock that went wrong.
  await sql`
    insert into ledger (account_id, at, kind, credits, balance_after)
    select ${account}, at, 'reversal', 0, 0
      from unnest('{2025-03-04, 2026-10-31 23:59:59.999999+00, infinity}'::timestamptz[]) at`
  await sql`update funding_rounds set amount_usd = 0.1::float8 + 0.2::float8`
  file = path('backup.tar')
  await saveDatabase(database, file)
})

/** A sum of each table's rows, whatever their order. */
async function sumsOf(database: Database): Promise<Record<string, string>> {
  const sums: Record<string, string> = {}
  await database.use(
    async ({ sql }) => {
      await sql.unsafe(`set timezone = 'UTC'; set intervalstyle = 'postgres'`)
      for (const name of TABLE_NAMES) {
        const [row] = await sql.unsafe(
          `select count(*) || ' ' || coalesce(md5(string_agg(t::text, chr(10) order by t::text)), '') as sum from ${name} t`,
        )
        sums[name] = row?.sum
      }
    },
    { deadlineMs: 30_000 },
  )
  return sums
}

/** How many entries of the ledger each of its tables has. */
const placesOf = (database: Database) =>
  database.use(
    ({ sql }) =>
      sql`select tableoid::regclass::text as name, count(*)::integer as entries from ledger group by 1 order by 1`,
  )

/** Restores into a new database on the tests' server. @returns what `look` found there */
async function restored<T>(from: string, look: (database: Database, url: string) => Promise<T>) {
  const url = await made.empty()
  return withPool(url, async (pool) => {
    await restoreIntoPostgres(from, pool, {})
    return look(pool, url)
  })
}

test('every table that migrations make is in a backup, but for their own two and the mails that wait', async () => {
  const tables = await source.sql<{ name: string }[]>`
    select relname as name from pg_class
     where relnamespace = 'public'::regnamespace and relkind in ('r', 'p') and not relispartition`
  const names = tables.map(({ name }) => name).filter((name) => !name.startsWith('chainkin_'))
  expect([...TABLE_NAMES, 'mails'].sort()).toEqual(names.sort())
})

test('PostgreSQL to embedded to PostgreSQL: every row of every table, numbers to come, functions and triggers are the same', async () => {
  const before = await sumsOf(source.database)
  const filled = Object.values(before).filter((sum) => !sum.startsWith('0 ')).length
  expect(filled).toBeGreaterThan(15)

  const second = path('second.tar')
  await restoreIntoDataDir(file, path('data'), {
    force: false,
    async examine(embedded) {
      expect(await sumsOf(embedded)).toEqual(before)
      expect([...(await placesOf(embedded))]).toEqual([...(await placesOf(source.database))])
      await saveDatabase(embedded, second)
    },
  })

  await restored(second, async (database, url) => {
    expect(await sumsOf(database)).toEqual(before)
    expect([...(await placesOf(database))]).toEqual([...(await placesOf(source.database))])
    expect(await schemaOf(url)).toEqual(await schemaOf(made.migratedUrl))
    expect(await checkBooks(database)).toEqual({ accounts: 1, wrong: [] })
    const next = (sql: postgres.Sql) =>
      sql`select nextval('change_log_sequence_seq')::text as log, nextval('ledger_sequence_seq')::text as ledger`
    const there = await database.use(({ sql }) => next(sql))
    expect(there).toEqual(await next(source.sql))
    const off = await database.use(
      ({ sql }) => sql`select tgname from pg_trigger where tgenabled = 'D'`,
    )
    expect(off.length).toBe(0)
    // Triggers watch again: what changes is in the log, and the ledger stands.
    await expectRejection(
      database.use(({ sql }) => sql`delete from ledger`),
      'ledger',
    )
  })
})

test('a table of many parts is read to its end, each row once', async () => {
  const { url, sql } = source
  await sql`
    insert into rejected_keys (address, started_at, count)
    select repeat(md5(n::text), 8), now(), n from generate_series(1, 20000) n`
  try {
    const large = path('large.tar')
    const { manifest } = await withPool(url, (pool) => saveDatabase(pool, large))
    const table = manifest.tables.find(({ name }) => name === 'rejected_keys')
    expect(table?.rows).toBe(20_000)
    expect(table?.parts.length).toBeGreaterThan(2)
  } finally {
    await sql`truncate rejected_keys`
  }
})

test('of one page whose rows are pieces of files no more is held at once than a part and a piece', async () => {
  const { url, sql } = source
  const [job] = await sql<{ id: string }[]>`
    select import_job_add('companies', 'file.csv', 'csv', '{"kind": "command"}', 100) as id`
  await sql`
    insert into import_job_chunks (job_id, place, bytes)
    select ${job?.id ?? ''}, n, decode(repeat('00ff', 131072), 'hex') from generate_series(1, 30) n`
  try {
    const large = path('pieces.tar')
    const saved = await withPool(url, (pool) => saveDatabase(pool, large))
    const table = saved.manifest.tables.find(({ name }) => name === 'import_job_chunks')
    expect(table?.rows).toBe(30)
    // A row's text has half a megabyte, and a part a whole one: the page's fifteen make so many parts.
    expect(table?.parts.length).toBeGreaterThan(9)
    await restored(large, async (database) =>
      expect(await sumsOf(database)).toEqual(await sumsOf(source.database)),
    )
  } finally {
    await sql`delete from import_jobs`
  }
})

test('pages of LinkedIn that earlier releases stored are gone over when a backup is restored', async () => {
  const page = 'https://www.linkedin.com/company/acme'
  const old = path('pages.tar')
  await made.empty().then((url) =>
    withPool(url, async (pool) => {
      await migrate(pool)
      await pool.use(
        ({ sql }) => sql`
          with added as (insert into people (id, first_name) values (gen_random_uuid(), 'Ada') returning id)
          insert into private_channels (person_id, email, linkedin_url) select id, 'ada@people.example', ${page} from added`,
      )
      await saveDatabase(pool, old)
    }),
  )
  const channels = await restored(old, (pool) =>
    pool.use(({ sql }) => sql`select email, linkedin_url from private_channels`),
  )
  expect(channels.map((row) => ({ ...row }))).toEqual([
    { email: 'ada@people.example', linkedin_url: null },
  ])
})

test('a role without rights beyond its own database makes a backup of it and restores it', async () => {
  const role = `mover_${crypto.randomUUID().slice(0, 8)}`
  const urls = [await made.empty(), await made.empty()].map(
    (url) => Object.assign(new URL(url), { username: role, password: 'mover' }).href,
  )
  await source.sql.unsafe(`create role ${role} login password 'mover'`)
  for (const url of urls) {
    await source.sql.unsafe(`alter database ${new URL(url).pathname.slice(1)} owner to ${role}`)
  }
  const own = path('own.tar')
  await withPool(urls[0] ?? '', async (pool) => {
    await restoreIntoPostgres(file, pool, {})
    await saveDatabase(pool, own)
  })
  await withPool(urls[1] ?? '', async (pool) => {
    await restoreIntoPostgres(own, pool, {})
    expect(await sumsOf(pool)).toEqual(await sumsOf(source.database))
  })
})

test('a backup is of one moment: charges that go on meanwhile are in it with their balance, or not at all', async () => {
  let isDone = false
  const grant = async () => {
    while (!isDone) await grantCredits(source.database, account, 1, 'topup')
  }
  const granting = [grant(), grant()]
  const during = path('during.tar')
  await saveDatabase(source.database, during)
  isDone = true
  await Promise.all(granting)
  await restored(during, async (database) => {
    expect(await checkBooks(database)).toEqual({ accounts: 1, wrong: [] })
  })
  await saveDatabase(source.database, file)
})

test('the moment of a backup is when it has its locks: what was truncated while it waited is as it was then', async () => {
  const { sql, url } = source
  await sql`insert into rejected_keys (address, started_at, count) values ('before', now(), 1)`
  const other = postgres(url, { max: 1 })
  try {
    let saving: ReturnType<typeof saveDatabase> | undefined
    await other.begin(async (held) => {
      await held`truncate rejected_keys`
      saving = withPool(url, (pool) => saveDatabase(pool, path('waited.tar')))
      const isWaited = async () => {
        const [row] = await sql`
          select exists (select from pg_locks where not granted and relation = 'rejected_keys'::regclass) as waits`
        return row?.waits
      }
      while (!(await isWaited())) await Bun.sleep(5)
      await held`insert into rejected_keys (address, started_at, count) values ('after', now(), 1)`
    })
    const table = (await saving)?.manifest.tables.find(({ name }) => name === 'rejected_keys')
    expect(table?.rows).toBe(1)
  } finally {
    await other.end()
    await sql`truncate rejected_keys`
  }
})

test('a role that only reads makes a backup, and is refused where it can’t see which numbers were given', async () => {
  const reader = `reader_${crypto.randomUUID().slice(0, 8)}`
  const url = await roleOn(
    source,
    reader,
    `grant select on all tables in schema public to ${reader}`,
  )
  const read = path('read.tar')
  await withPool(url, async (pool) => {
    await expectRejection(saveDatabase(pool, read), 'may not read the sequence')
    expect(await readdir(directory.path)).not.toContain('read.tar')
    await source.sql.unsafe(`grant usage on all sequences in schema public to ${reader}`)
    await saveDatabase(pool, read)
  })
  await using backup = await openBackup(read)
  expect(Number(backup.manifest.sequences.ledger_sequence_seq)).toBeGreaterThan(0)
})

test('months that were archived stay archived: the restored books are right, and the next month goes on from there', async () => {
  const url = await made.empty()
  const [archived, folder] = [path('archived.tar'), path('ledger')]
  await withPool(url, async (pool) => {
    await migrate(pool)
    // The first table has all that is old, so that entries of months of their own need another one.
    for (const { name } of await partsOf(pool)) {
      await pool.use(({ sql }) => sql.unsafe(`drop table ${name}`))
    }
    const id = await createAccount(pool, { name: 'Old', email: 'old@example.com', tier: 'pro' })
    const add = (at: string, balance: number) =>
      pool.use(async ({ sql }) => {
        await sql`
          insert into ledger (account_id, at, kind, credits, balance_after)
          values (${id}, ${at}, 'grant', 100, ${balance})`
        await sql`update accounts set balance = ${balance}, unallotted = ${balance} where id = ${id}`
      })
    await add('2025-03-04', 100)
    await add('2025-04-05', 200)
    await add('2025-06-07', 300)
    await makeLedgerMonths(pool)
    const { archived: months } = await archiveLedger(pool, folder, '2025-04-01T00:00:00.000Z')
    expect(months.map(({ file: name }) => name)).toEqual([
      expect.stringMatching(/^ledger-2025-03-/),
    ])
    await saveDatabase(pool, archived)
  })
  await restored(archived, async (database) => {
    expect(await checkBooks(database)).toEqual({ accounts: 1, wrong: [] })
    const { archived: months } = await archiveLedger(database, folder, '2025-06-01T00:00:00.000Z')
    expect(months.map(({ file: name, credits }) => [name, credits])).toEqual([
      [expect.stringMatching(/^ledger-2025-04-/), '200'],
    ])
    expect(await checkBooks(database)).toEqual({ accounts: 1, wrong: [] })
    const entries = await database.use(
      ({ sql }) => sql`select kind, credits from ledger order by sequence`,
    )
    expect([...entries]).toEqual([
      { kind: 'carried', credits: 200 },
      { kind: 'grant', credits: 100 },
    ])
  })
})

describe('a file', () => {
  test('is refused where any byte of it is another, or missing, and nothing was begun', async () => {
    const whole = await readFile(file)
    const wrong = path('wrong.tar')
    const url = await made.empty()
    const places = Array.from({ length: whole.length }, (_, place) => place).filter(
      (place) => place < 600 || place > whole.length - 2_700 || place % 211 === 0,
    )
    await withPool(url, async (pool) => {
      for (const place of places) {
        const damaged = Buffer.from(whole)
        damaged[place] = (damaged[place] ?? 0) ^ 1
        await writeFile(wrong, damaged)
        await expectRejection(restoreIntoPostgres(wrong, pool, {}), "can't be restored")
      }
      for (const length of [0, 1, 600, 2_048, whole.length - 1_024, whole.length - 1]) {
        await writeFile(wrong, whole.subarray(0, length))
        await expectRejection(restoreIntoPostgres(wrong, pool, {}), "can't be restored")
      }
      expect(await relationsOf(url)).toEqual([])
    })
  })

  test('that was there stays where a backup fails or is interrupted, and nothing lies beside it', async () => {
    const precious = path('precious.tar')
    await writeFile(precious, 'of yesterday')
    const interrupted = new AbortController()
    const { database } = source
    const failing: Database = {
      ...database,
      use: (work, options) =>
        database.use(async (connection) => {
          const done = work(connection)
          interrupted.abort()
          return done
        }, options),
    }
    await expectRejection(saveDatabase(failing, precious, { signal: interrupted.signal }), 'abort')
    expect(await readFile(precious, 'utf8')).toBe('of yesterday')
    expect((await readdir(directory.path)).filter((name) => name.includes('partial'))).toEqual([])
  })
})

test('a file that can’t be written is named with the reason, and does not pass for an unavailable database', async () => {
  const nowhere = path('nowhere/backup.tar')
  const error = await saveDatabase(source.database, nowhere).catch((thrown: unknown) => thrown)
  expect(error).toBeInstanceOf(BackupError)
  expect(String(error)).toContain(`${nowhere} can't be written: ENOENT`)
  // The connection is as good as before.
  await saveDatabase(source.database, path('after.tar'))
})

async function relationsOf(url: string): Promise<string[]> {
  const sql = postgres(url, { max: 1, onnotice: () => {} })
  const found = await sql`
    select relname from pg_class where relnamespace = 'public'::regnamespace
     union all select proname from pg_proc where pronamespace = 'public'::regnamespace`
  await sql.end()
  return found.map(({ relname }) => relname)
}

describe('a restore into PostgreSQL', () => {
  test('is refused where the database has anything, which stays', async () => {
    const url = await made.empty()
    await withPool(url, async (pool) => {
      await pool.use(({ sql }) => sql`create table theirs (n integer)`)
      await expectRejection(restoreIntoPostgres(file, pool, {}), 'not empty, it has theirs')
    })
    expect(await relationsOf(url)).toEqual(['theirs'])
  })

  test('leaves nothing where it is interrupted, or its connection ends, at any table or just before the end', async () => {
    const url = await made.empty()
    const endConnection = (sql: postgres.Sql) => sql`select pg_terminate_backend(pg_backend_pid())`
    await withPool(url, async (pool) => {
      await using backup = await openBackup(file)
      for (const last of [1, 12]) {
        const interrupted = new AbortController()
        let parts = 0
        const onPart = async () => {
          if (++parts === last) interrupted.abort()
        }
        const { signal } = interrupted
        await expectRejection(loadBackup(pool, backup, { signal, onPart }), 'abort')
        parts = 0
        const lose = async (sql: postgres.Sql) => {
          if (++parts === last) await endConnection(sql).catch(() => {})
        }
        await expectRejection(loadBackup(pool, backup, { onPart: lose }), '')
      }
      const within = (own: Database) =>
        own.use(async ({ sql }) => {
          await endConnection(sql).catch(() => {})
          // The driver connects again, and would let the rest of the work pass.
          while (
            await sql`select`.then(
              () => false,
              () => true,
            )
          )
            await Bun.sleep(5)
        })
      await expectRejection(loadBackup(pool, backup, { within }), 'nothing was restored')
    })
    expect(await relationsOf(url)).toEqual([])
  })
})

test('made by a newer version, whatever its format, is refused by the version that made it: by the restore and by --check', async () => {
  const [later, other] = [path('later.tar'), path('other.tar')]
  await withPool(made.migratedUrl, async (pool) => {
    const { manifest } = await saveDatabase(pool, later)
    const migrations = [...manifest.migrations, '9999_future']
    const { format, madeAt, database, isScheduled } = manifest
    const head = { format, madeAt, database, isScheduled, program: '9.1.0' }
    await writeBackupFile(later, head, async () => ({ ...manifest, ...head, migrations }))
    // The first entry alone is what every format has.
    await writeBackupFile(other, { ...head, format: 2 }, async () => manifest)
    const start = (await readFile(other)).subarray(0, 1_024)
    await writeFile(other, Buffer.concat([start, gzipSync('of a later format')]))
  })
  const environments = [{ DATA_DIR: path('newer') }, { DATABASE_URL: await made.empty() }]
  for (const [file, unknown] of [
    [later, '9999_future'],
    [other, 'format 2'],
  ] as const) {
    const reason = `${file} can't be restored: a newer version of this program made it (9.1.0: ${unknown}). Restore it with that version or a newer one\n`
    for (const env of environments) {
      const { code, stderr } = await run(['restore', file], { env })
      expect([code, stderr]).toEqual([1, `chainkin restore: ${reason}`])
    }
    const { code, stderr } = await run(['restore', file, '--check'])
    expect([code, stderr]).toEqual([1, `chainkin restore: ${reason}`])
  }
})

test('of a database that a newer version migrated, or that has no tables, no backup is made', async () => {
  const url = await made.empty()
  const none = path('none.tar')
  await withPool(url, async (pool) => {
    await expectRejection(saveDatabase(pool, none), 'nothing to back up')
    await migrate(pool)
    await pool.use(({ sql }) => sql`insert into chainkin_migrations (name) values ('9999_future')`)
    // It may have tables that this version would leave out.
    await expectRejection(saveDatabase(pool, none), '9999_future')
  })
  expect(await readdir(directory.path)).not.toContain('none.tar')
})

test('tables that refer to each other in a circle are an error, because none could be filled first', () => {
  const table = (name: string, parents: string[]) => ({
    name,
    parents,
    columns: [],
    heaps: [],
    isPartitioned: false,
  })
  expect(inOrder([table('b', ['a']), table('a', [])]).map(({ name }) => name)).toEqual(['a', 'b'])
  expect(() => inOrder([table('b', ['a']), table('a', ['b'])])).toThrow('circle')
})
