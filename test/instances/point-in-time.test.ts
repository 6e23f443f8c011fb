/** The steps of `src/database/README.md` for going back to a moment: an archive of the log, a copy of the files, a time. */
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { execFile } from 'node:child_process'
import { mkdir, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { connect, type Database } from '../../src/database/client.ts'
import { migrate } from '../../src/database/migrate.ts'
import { createAccount } from '../../src/money/accounts/accounts.ts'
import { grantCredits } from '../../src/money/accounts/credits.ts'
import { checkBooks } from '../../src/money/charge/books.ts'
import { PATIENCE_MS } from '../helpers/limit.ts'
import { type Replica, startReplicas, until } from '../helpers/replicas.ts'

const run = promisify(execFile)

let servers: Awaited<ReturnType<typeof startReplicas>>
beforeAll(async () => {
  servers = await startReplicas(2)
})
afterAll(() => servers.stop())

async function on<T>({ url }: Replica, work: (database: Database) => Promise<T>): Promise<T> {
  const database = connect({ url, connections: 1, deadlineMs: PATIENCE_MS })
  try {
    return await work(database)
  } finally {
    await database.close()
  }
}

/** A directory of the servers' own user. */
async function makeDirectory({ path }: Replica, name: string): Promise<void> {
  const made = join(dirname(path), name)
  await mkdir(made)
  await run('chown', ['--reference', path, made])
}

/** Copies the files of a server that runs, as `pg_basebackup` does. */
async function copyFiles(from: Replica, to: Replica): Promise<void> {
  const sql = from.connect()
  await mkdir(to.path, { mode: 0o700 })
  await sql`select pg_backup_start('point in time', true)`
  const copy = `tar -C "$0" --exclude='./pg_wal/*' --exclude='./postmaster.*' -cf - . | tar -C "$1" -xpf -`
  await run('sh', ['-c', copy, from.path, to.path])
  const [row] = await sql<{ labelfile: string }[]>`select labelfile from pg_backup_stop(false)`
  await sql.end()
  await writeFile(join(to.path, 'backup_label'), row?.labelfile ?? '')
}

test('a PostgreSQL with an archive of its log goes back to the moment before a mistake, with every charge up to then', async () => {
  const { primary, replicas } = servers
  const again = replicas[1]
  if (!again) throw new Error('two servers were asked for')
  // PostgreSQL runs these commands in its own folder, beside which the archive is.
  await makeDirectory(primary, 'archive')
  await primary.kill()
  const archiving = 'archive_command=test ! -f ../archive/%f && cp %p ../archive/%f'
  // Its processes end a moment later than it.
  const start = () => primary.start(['-c', 'archive_mode=on', '-c', archiving])
  await until(() =>
    start().then(
      () => true,
      () => false,
    ),
  )

  const account = await on(primary, async (database) => {
    await migrate(database)
    const id = await createAccount(database, { name: 'Ada', email: 'ada@example.com', tier: 'pro' })
    await grantCredits(database, id, 100, 'topup')
    return id
  })
  await copyFiles(primary, again)
  await on(primary, (database) => grantCredits(database, account, 11, 'topup'))
  const [moment] = await primary.ask('select clock_timestamp()::text as at')
  await on(primary, (database) => grantCredits(database, account, 5, 'topup'))
  await primary.ask(`delete from accounts where id = '${account}'`)
  const [last] = await primary.ask('select pg_walfile_name(pg_switch_wal()) as name')
  await until(async () => {
    const [state] = await primary.ask('select last_archived_wal as name from pg_stat_archiver')
    return state?.name >= last.name
  })
  await primary.kill()

  await writeFile(join(again.path, 'recovery.signal'), '')
  await run('chown', ['-R', '--reference', primary.path, again.path])
  await again.start([
    ...['-c', 'restore_command=cp ../archive/%f %p', '-c', `recovery_target_time=${moment.at}`],
    ...['-c', 'recovery_target_action=promote'],
  ])
  await until(async () => (await again.ask('select pg_is_in_recovery() as is'))[0]?.is === false)
  await on(again, async (database) => {
    const rows = await database.use(({ sql }) => sql`select id, balance::integer from accounts`)
    expect([...rows]).toEqual([{ id: account, balance: 111 }])
    expect(await checkBooks(database)).toEqual({ accounts: 1, wrong: [] })
    // It is a server like any other now.
    expect(await grantCredits(database, account, 1, 'topup')).toBe(112)
  })
})
