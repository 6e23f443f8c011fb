/** Statements of imports are planned once for many batches: the plan has to fit what the tables hold. */
import { expect, test } from 'bun:test'
import { connect, type Database } from '../../../src/database/client.ts'
import { scalar } from '../../../src/database/scalar.ts'
import { company, emptyDatabase, load } from './sources.ts'

const t = emptyDatabase()

test('a connection that planned its statements on empty tables finds records by key soon after the tables are filled', async () => {
  const database = connect({ url: t.url, connections: 1 })
  try {
    await database.use(
      async (connection) => {
        const { sql } = connection
        const own: Database = { ...database, use: (work) => work(connection) }
        const importOne = (n: number) => load(own, 'companies', [company({ externalId: `${n}` })])
        const read = async () =>
          Number(
            await scalar<string>(sql`
              select (seq_tup_read + coalesce(idx_tup_fetch, 0))::text
                from pg_stat_xact_user_tables where relname = 'companies'`),
          )
        for (let n = 0; n < 10; n++) await importOne(n)
        // By another session, because this setting forgets the plans of its own; without triggers, which would write the change log.
        await t.sql.begin((other) =>
          other.unsafe(`
          set local session_replication_role = replica;
          insert into companies (id, name, slug, company_type, ai_summary)
          select gen_random_uuid(), n::text, n::text, 'project', repeat('x', 1500) from generate_series(1, 10000) n`),
        )
        for (let n = 10; n < 30; n++) await importOne(n)
        await sql.unsafe('begin')
        await importOne(30)
        expect(await read()).toBeLessThan(10_000)
        await sql.unsafe('rollback')
      },
      { deadlineMs: 60_000 },
    )
  } finally {
    await database.close()
  }
})
