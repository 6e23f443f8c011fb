/** A service whose role has no more rights than it needs, and reports that see no private channel. */
import { expect, test } from 'bun:test'
import postgres from 'postgres'
import { isRoleName } from '../../src/database/grants.ts'
import { get, run, serve } from '../helpers/command.ts'
import { ADA, fixtures } from '../helpers/fixtures.ts'
import { roleOn } from '../helpers/roles.ts'
import { sharedDatabase } from '../helpers/shared.ts'
import { loadAccounts } from './load.ts'

const db = sharedDatabase(fixtures)

/** The SQLSTATE with which a statement of the role ends; undefined where it is done. */
async function refusalOf(url: string, statement: string): Promise<string | undefined> {
  const sql = postgres(url, { max: 1, onnotice: () => {} })
  try {
    await sql.unsafe(statement)
    return undefined
  } catch (error) {
    return (error as { code?: string }).code
  } finally {
    await sql.end({ timeout: 1 })
  }
}

const DENIED = '42501'

test('the role that serves charges, reveals and keeps house, and can’t touch the ledger’s entries or any table’s form', async () => {
  const { stdout } = await run(['grants', '--serve', 'serving'])
  const url = await roleOn(db, 'serving', stdout)
  const server = await serve({ DATABASE_URL: url, LOG_LEVEL: 'warn' })
  const accounts = await loadAccounts(db.database, 5)
  const key = accounts.at(-1)?.key ?? ''
  const revealed = await get(`${server.apiUrl}/v1/people/${ADA.id}?include=private`, key)
  expect([revealed.status, revealed.body.meta.creditsCharged]).toEqual([200, 10])
  expect((await get(`${server.apiUrl}/v1/search?q=ada`, key)).status).toBe(200)
  expect((await get(`${server.appUrl}/health/ready`)).status).toBe(200)
  for (const statement of [
    'update ledger set credits = 0',
    'delete from ledger',
    'truncate ledger',
    'delete from ledger_default',
    'create table mine (id integer)',
    'alter table accounts disable trigger all',
    'drop table people',
    `insert into chainkin_migrations (name) values ('mine')`,
    'create or replace function meter_now() returns timestamptz language sql return now()',
  ]) {
    expect([statement, await refusalOf(url, statement)]).toEqual([statement, DENIED])
  }
  // Later versions' tables are granted as their owner makes them.
  await db.sql`create table later (id integer generated always as identity)`
  expect(await refusalOf(url, 'insert into later default values')).toBeUndefined()
  await server.stop()
  expect(server.output.stderr).not.toContain(DENIED)
})

test('the role of reports reads no private channel, secret or address, and writes nothing; loads may use it', async () => {
  const { stdout } = await run(['grants', '--report', 'reporting'])
  const url = await roleOn(db, 'reporting', stdout)
  for (const statement of [
    'select * from private_channels',
    'select email from accounts',
    'select * from users',
    'select * from sessions',
    'select * from api_keys',
    'select * from journal_entries',
    'select * from contact_notes',
    'delete from companies',
  ]) {
    expect([statement, await refusalOf(url, statement)]).toEqual([statement, DENIED])
  }
  const sums =
    'select a.tier, sum(l.credits) from accounts a join ledger l on l.account_id = a.id group by 1'
  expect(await refusalOf(url, sums)).toBeUndefined()
  const server = await serve({ DATABASE_URL: db.url, DATABASE_READ_URL: url, LOG_LEVEL: 'warn' })
  await server.stop()
  expect(server.output.stderr).toBe('')
})

test('whoever runs them: a month of the ledger that is made later is read and filled by the role that serves, and no entry changed', async () => {
  const { stdout } = await run(['grants', '--serve', 'serving "later"'])
  const admin = postgres(await roleOn(db, 'admin', 'alter role admin superuser'), { max: 1 })
  await admin.unsafe('create role "serving ""later""" login password \'role\'')
  await admin.unsafe(stdout)
  await admin.end()
  const url = db.url.replace(/\/\/[^@]*@/, '//serving%20%22later%22:role@')
  await db.sql`create or replace function meter_now() returns timestamptz language sql return clock_timestamp() + interval '5 months'`
  const made = (await db.sql`select make_ledger_months() as name`).map(({ name }) => String(name))
  const [now] = await db.sql`select to_char(meter_now() at time zone 'UTC', 'YYYY_MM') as month`
  const month = `ledger_${now?.month}`
  const [account] = await loadAccounts(db.database, 1)
  const insert = `
    insert into ledger (at, account_id, kind, credits, balance_after)
    select meter_now(), id, 'reversal', 0, balance from accounts where id = '${account?.id}'`
  expect([made.includes(month), await refusalOf(url, insert)]).toEqual([true, undefined])
  // As the time of an entry is found (`ledger_since`).
  expect(await refusalOf(url, `select ledger_since('${account?.id}', meter_now())`)).toBeUndefined()
  expect(await db.sql.unsafe(`select from ${month}`)).not.toHaveLength(0)
  for (const statement of [`update ${month} set credits = 1`, `delete from ${month}`]) {
    expect([statement, await refusalOf(url, statement)]).toEqual([statement, DENIED])
  }
})

test('a start that its role may not migrate for says who has to', async () => {
  const { stdout } = await run(['grants', '--serve', 'serving'])
  const url = await roleOn(db, 'serving', stdout)
  await db.sql`delete from chainkin_functions`
  const { code, stderr } = await run(['serve'], { env: { DATABASE_URL: url } })
  expect(code).toBe(1)
  const { message } = JSON.parse(stderr)
  expect(message).toContain('lacks rights on the database')
  expect(message).toContain('run "chainkin migrate" as the owner')
})

test('a role of a name that would end the quotes or the line is refused', async () => {
  const { code, stdout, stderr } = await run(['grants', '--serve', 'a$grants$b'])
  expect([code, stdout]).toEqual([2, ''])
  expect(stderr).toContain('Expected the name of a role')
  const names = ['a\ndrop table people; --', 'ä'.repeat(32), '', 'ä "b" \'c\'; --']
  expect(names.map(isRoleName)).toEqual([false, false, false, true])
})

test('without a role nothing is printed', async () => {
  const { code, stderr } = await run(['grants'])
  expect([code, stderr]).toEqual([
    1,
    'chainkin grants: expected --serve ROLE, --report ROLE, or both\n',
  ])
})
