/** A directory may have the database of one that has stopped: nothing of the other one is in it. */
import { expect, test } from 'bun:test'
import { connect } from '../../database/client.ts'
import { scalar } from '../../database/scalar.ts'
import { type LentDatabase, lendDatabase } from '../seed.ts'
import { fixtures, startDirectory, type TestDirectory } from '../start.ts'

const bearer = (key: string) => ({ headers: { authorization: `Bearer ${key}` } })

/** Records that a new account sees. */
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

const identityOf = ({ open }: LentDatabase) => asked(open, IDENTITY)
const IDENTITY = 'select pg_postmaster_start_time()::text'

/** The one value that a connection of its own answers. */
async function asked(openStream: LentDatabase['open'], query: string): Promise<string | null> {
  const database = connect({ openStream, connections: 1, deadlineMs: 30_000 })
  try {
    return await database.use(({ sql }) => scalar<string>(sql.unsafe(query)))
  } finally {
    await database.close()
  }
}

const lend = () => lendDatabase({}, undefined, true)

test('its connections end with the directory, and so does what they asked of the session; that of two is had again', async () => {
  const [lent, other] = [await lend(), await lend()]
  const kept = connect({ openStream: lent.open, connections: 1, deadlineMs: 30_000 })
  const first = await kept.use(async ({ sql }) => {
    await sql.unsafe("listen news; set work_mem = '9MB'; prepare known as select 1")
    return scalar<string>(sql.unsafe(IDENTITY))
  })
  const second = await identityOf(other)
  await other.giveBack()
  await lent.giveBack()
  expect(() => lent.open()).toThrow('the directory has stopped')

  const again = await lend()
  const left = `
    select (select count(*) from pg_listening_channels())
         + (select count(*) from pg_prepared_statements where name = 'known')
         + (current_setting('work_mem') = '9MB')::int`
  expect([await asked(again.open, left), await identityOf(again)]).toEqual(['0', first])
  const next = await lend()
  expect(await identityOf(next)).toBe(second)
  await kept.close()
  await next.giveBack()
  await again.giveBack()
})

test('a database that has held many bytes of records is not used again', async () => {
  const lent = await lend()
  const made = await asked(
    lent.open,
    `set session_replication_role = replica;
     alter table companies alter ai_summary set storage external;
     update companies set ai_summary = repeat('x', 9000000) where id = '${fixtures.companies.aurora.id}';
     reset session_replication_role`,
  ).then(() => identityOf(lent))
  await lent.giveBack()
  // The last that was given back would be the first to be had again.
  const next = await lend()
  expect(await identityOf(next)).not.toBe(made)
  await next.giveBack()
})
