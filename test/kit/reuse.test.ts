/** A directory may have the database of one that has stopped: nothing of the other one is in it. */
import { expect, test } from 'bun:test'
import { connect } from '../../src/database/client.ts'
import { scalar } from '../../src/database/scalar.ts'
import { lendDatabase } from '../../src/testing/seed.ts'
import { fixtures, startDirectory, type TestDirectory } from '../../src/testing/start.ts'

const bearer = (key: string) => ({ headers: { authorization: `Bearer ${key}` } })

/** What an account of its own is told of the records. */
async function recordsOf(dir: TestDirectory) {
  const { key } = await dir.account({ tier: 'pro', credits: 100 })
  const { slug } = fixtures.people.ada
  const paths = [
    '/v1/projects',
    '/v1/investors',
    '/v1/people',
    `/v1/people/${slug}?include=private`,
  ]
  const answers = paths.map(async (path) => (await dir.fetch(path, bearer(key))).json())
  return (await Promise.all(answers)).map(({ data, total }) => ({ data, total }))
}

test('a directory has no account, call, time, setting or record of those that stopped before it', async () => {
  const { aurora, borealis } = fixtures.companies
  const first = await startDirectory({
    listen: false,
    now: '2030-01-01',
    environment: { SERVICE_NAME: 'Acme' },
  })
  const fixed = await recordsOf(first)
  const before = await first.account({ tier: 'pro', credits: 10 })
  await first.advance('1d')
  await first.records({
    companies: [
      { ...aurora, name: 'Renamed' },
      { name: 'Zephyr', companyType: 'project' },
    ],
    people: [{ ...fixtures.people.ada, email: 'changed@private.example', company: borealis.slug }],
  })
  expect(await recordsOf(first)).not.toEqual(fixed)
  await first.stop()

  const companies = [{ name: 'Own', companyType: 'project' }]
  const own = await startDirectory({ listen: false, companies })
  const [projects, investors] = await recordsOf(own)
  expect([projects?.data[0].name, projects?.total, investors?.total]).toEqual(['Own', 1, 0])
  await own.stop()

  await using last = await startDirectory({ listen: false })
  expect(last.now().getTime()).toBeLessThanOrEqual(Date.now())
  expect(last.calls()).toEqual([])
  expect((await last.fetch('/v1/me', bearer(before.key))).status).toBe(401)
  expect(await recordsOf(last)).toEqual(fixed)
  const account = await last.account({ tier: 'pro', credits: 10 })
  const me = await (await last.fetch('/v1/me', bearer(account.key))).json()
  expect([me.organization, (await account.ledger()).length]).not.toContain('Acme')
  expect((await account.ledger()).map(({ credits }) => credits)).toEqual([10])
})

test('its connections end with the directory, and so does what they asked of the session', async () => {
  const [lent, other] = [
    await lendDatabase({}, undefined, true),
    await lendDatabase({}, undefined, true),
  ]
  const identity = 'select pg_postmaster_start_time()::text'
  const kept = connect({ openStream: lent.open, connections: 1, deadlineMs: 30_000 })
  const first = await kept.use(async ({ sql }) => {
    await sql.unsafe("listen news; set work_mem = '9MB'; prepare known as select 1")
    return scalar<string>(sql.unsafe(identity))
  })
  await lent.giveBack()
  await other.giveBack()
  expect(() => lent.open()).toThrow('the directory has stopped')

  const again = await lendDatabase({}, undefined, true)
  const database = connect({ openStream: again.open, connections: 1, deadlineMs: 30_000 })
  const found = await database.use(async ({ sql }) => ({
    identity: await scalar<string>(sql.unsafe(identity)),
    left: await scalar<number>(sql`
      select (select count(*) from pg_listening_channels())::int
           + (select count(*) from pg_prepared_statements where name = 'known')::int
           + (current_setting('work_mem') = '9MB')::int`),
  }))
  expect(found).toEqual({ identity: first, left: 0 })
  await Promise.all([kept.close(), database.close()])
  await again.giveBack()
})

test('a database that has held many bytes of records is not used again', async () => {
  const lent = await lendDatabase({}, undefined, true)
  const database = connect({ openStream: lent.open, connections: 1, deadlineMs: 30_000 })
  const made = await database.use(async ({ sql }) => {
    await sql`set session_replication_role = replica`
    await sql`alter table companies alter ai_summary set storage external`
    await sql`
      update companies set ai_summary = repeat('x', 9000000) where id = ${fixtures.companies.aurora.id}::uuid`
    return scalar<string>(sql`select pg_postmaster_start_time()::text`)
  })
  await database.close()
  await lent.giveBack()
  const next = await lendDatabase({}, undefined, true)
  const fresh = connect({ openStream: next.open, connections: 1, deadlineMs: 30_000 })
  const found = await fresh.use(({ sql }) =>
    scalar<string>(sql`select pg_postmaster_start_time()::text`),
  )
  expect(found).not.toBe(made)
  await fresh.close()
  await next.giveBack()
})
