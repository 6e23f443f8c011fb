/** Times as connections read them, whatever the database's own settings are. */
import { expect, test } from 'bun:test'
import { connect, isoTime } from '../../src/database/client.ts'
import { createAccount, showAccount } from '../../src/money/accounts/accounts.ts'
import { PATIENCE_MS } from '../helpers/limit.ts'
import { sharedDatabase } from '../helpers/shared.ts'

const store = sharedDatabase()

test('times arrive as ISO 8601 in UTC, from the template, the builder and JSON, in any session', async () => {
  const name = new URL(store.url).pathname.slice(1)
  await store.sql.unsafe(`alter database ${name} set datestyle = 'SQL, DMY'`)
  await store.sql.unsafe(`alter database ${name} set timezone = 'Asia/Kolkata'`)
  const database = connect({ url: store.url, connections: 1, deadlineMs: PATIENCE_MS })
  try {
    const account = { name: 'Ada', email: 'ada@example.com', tier: 'free' } as const
    const id = await createAccount(database, account)
    const at = '2026-02-03T04:05:06.789Z'
    const [row] = await database.use(
      ({ sql }) => sql<{ at: string; json: string; none: null }[]>`
        update accounts set created_at = ${at}::timestamptz where id = ${id}
        returning created_at as at, to_json(created_at) as json, settle_at as none`,
    )
    expect([row?.at, isoTime(row?.json ?? ''), row?.none]).toEqual([at, at, null])
    expect((await showAccount(database, id))?.createdAt).toBe(at)
  } finally {
    await database.close()
  }
})
