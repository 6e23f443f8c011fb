/** After a failover the log's numbers may be those of other changes than the ones that were followed. */
import { test } from 'bun:test'
import { randomUUID } from 'node:crypto'
import { follow } from '../../../src/directory/records/follow.ts'
import { loadState, type State } from '../../../src/directory/records/load.ts'
import { ALONE } from '../../../src/directory/records/pace.ts'
import { silentLog } from '../../../src/log.ts'
import { within } from '../../helpers/given-time.ts'
import { PATIENCE_MS } from '../../helpers/limit.ts'
import { sharedDatabase } from '../../helpers/shared.ts'
import { insertCompany } from './fixtures.ts'

const db = sharedDatabase()

async function followed(loaded: State) {
  const options = { log: silentLog, pace: () => ALONE, trims: false }
  const follower = await follow(db.database, loaded, options)
  const has = (id: string) => follower.state.store.company(id) !== undefined
  return { refresh: follower.refresh, stop: follower.stop, has }
}

/**
 * As it is after a failover to a standby that lacked the last change, which has made another since.
 * @param lost the company of the log's last change. @returns the one that was made
 */
async function failOver(lost: string): Promise<string> {
  const made = randomUUID()
  await db.sql.begin(async (sql) => {
    await sql`set local session_replication_role = replica`
    await sql`insert into companies select (jsonb_populate_record(c, ${sql.json({ id: made, slug: made, name: 'Made' })})).*
      from companies c where id = ${lost}`
    await sql`delete from companies where id = ${lost}`
    await sql`update change_log set id = ${made}, at = at + interval '1 s' where id = ${lost}`
  })
  return made
}

test('where others have the numbers of changes that were followed, everything is loaded anew', async () => {
  const lost = await insertCompany(db.sql, 'Lost')
  const follower = await followed(await loadState(db.database, ALONE))
  await follower.refresh()
  const made = await failOver(lost)
  await within(PATIENCE_MS, () => follower.has(made) && !follower.has(lost))
  await follower.stop()
})

test('also where that happens while everything is loaded, before the first look at the log', async () => {
  const lost = await insertCompany(db.sql, 'Lost')
  const loaded = await loadState(db.database, ALONE)
  const made = await failOver(lost)
  const follower = await followed(loaded)
  await within(PATIENCE_MS, () => follower.has(made) && !follower.has(lost))
  await follower.stop()
})
