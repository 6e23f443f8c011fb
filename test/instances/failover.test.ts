/**
 * The primary is killed under load and its standby promoted, again and again: with a standby that confirms each commit no charge
 * that was answered is lost and none is made twice, and answers are back within three seconds of the promotion. Two rounds here;
 * `.ci/long instances` sets FAILOVERS. Without such a standby charges are lost, and how many is measured and told.
 */
import { afterAll, expect, test } from 'bun:test'
import { setTimeout as pause } from 'node:timers/promises'
import { connect } from '../../src/database/client.ts'
import { migrate } from '../../src/database/migrate.ts'
import { type Server, serve } from '../helpers/command.ts'
import { fixtures } from '../helpers/fixtures.ts'
import { LIMIT_MS, PATIENCE_MS } from '../helpers/limit.ts'
import { type Replica, startReplicas, until, urlOf } from '../helpers/replicas.ts'
import { countedCharges, expectEachChargeOnce, type Load, startLoad } from './failover-load.ts'
import { loadAccounts } from './load.ts'

const ROUNDS = Number(process.env.FAILOVERS ?? 2)
const ROUND_LIMIT_MS = 150_000
/** How long after the promotion nothing may be answered. */
const GAP_MS = 3_000
const CONNECTIONS = 64
const ACCOUNTS = 60
/** How long the primary goes on without its standby, where that is allowed. */
const BROKEN_MS = 300

const told: string[] = []
afterAll(() => {
  for (const line of told) console.log(line)
})

async function startPair() {
  const { primary, replicas, stop } = await startReplicas(2)
  const [, standby] = replicas
  if (!standby) throw new Error('two servers')
  const database = connect({ url: primary.url, connections: 2, deadlineMs: PATIENCE_MS })
  await migrate(database)
  await fixtures(database)
  await database.close()
  await standby.follow(primary)
  return { primary, standby, stop }
}

/**
 * Kills the primary under load and promotes the standby.
 * @param brokenMs how long the primary is alone before: the standby is away meanwhile
 * @returns the longest time without an answer after the promotion, in milliseconds
 */
async function failOver(primary: Replica, standby: Replica, load: Load, brokenMs: number) {
  await load.untilCharges(200)
  await pause(Math.random() * 300)
  if (brokenMs > 0) await standby.kill()
  await pause(brokenMs)
  await primary.kill()
  await pause(Math.random() * 200)
  if (brokenMs > 0) await standby.start()
  await standby.promote()
  const promotedMs = load.now()
  await load.untilCharges(200)
  return load.longestGapSince(promotedMs)
}

async function rounds(isSynchronous: boolean) {
  let { primary, standby, stop } = await startPair()
  let server: Server | undefined
  await using _ended = {
    async [Symbol.asyncDispose]() {
      await server?.stop('SIGKILL')
      await stop()
    },
  }
  const outcome = { answered: 0, repeated: 0, lost: 0, twice: 0, gapMs: 0 }
  for (let round = 0; round < ROUNDS; round++) {
    if (isSynchronous) await primary.waitFor('*')
    // The one that was promoted last comes first in the next round.
    const env = { DATABASE_URL: urlOf([primary, standby]), LOG_LEVEL: 'error' }
    server ??= await serve({ ...env, WORKERS: '1' })
    const database = connect({ url: primary.url, connections: 1, deadlineMs: 20_000 })
    const accounts = await loadAccounts(database, ACCOUNTS)
    await database.close()
    const load = startLoad(server.apiUrl, accounts, CONNECTIONS)
    const gapMs = await failOver(primary, standby, load, isSynchronous ? 0 : BROKEN_MS)
    outcome.gapMs = Math.max(outcome.gapMs, gapMs)
    // The old one comes back as it was, and takes changes.
    await primary.start()
    await load.untilCharges(100)
    const calls = await load.stop()
    if (isSynchronous) await expectOldToConfirmNothing(primary)
    await primary.kill()
    const sql = standby.connect()
    if (isSynchronous) await expectEachChargeOnce(sql, accounts, calls)
    const { lost, twice } = await countedCharges(sql, accounts, calls)
    outcome.lost += lost
    outcome.twice += twice
    await sql.end()
    outcome.answered += calls.filter(({ charged }) => charged > 0).length
    outcome.repeated += calls.filter(({ ids, status }) => ids.length > 1 && status === 200).length
    await primary.follow(standby)
    ;[primary, standby] = [standby, primary]
  }
  await server?.stop()
  server = undefined
  return outcome
}

/** A commit of the old primary waits for a standby that it has no more. */
async function expectOldToConfirmNothing(old: Replica) {
  const sql = old.connect()
  let isDone = false
  const writing = sql`insert into chainkin_functions values (-1, 'old')`.then(
    () => {
      isDone = true
    },
    () => {},
  )
  const waiting = `select from pg_stat_activity where wait_event = 'SyncRep' and query like '%old%'`
  await until(async () => (await old.ask(waiting)).length > 0)
  expect(isDone).toBe(false)
  await old.kill()
  await writing
  await sql.end({ timeout: 0 })
}

test(
  `${ROUNDS} failovers to a standby that confirms each commit: no answered charge is lost or made twice, and the old primary confirms none`,
  async () => {
    const { answered, repeated, lost, gapMs } = await rounds(true)
    expect([answered > 0, repeated > 0, lost]).toEqual([true, true, 0])
    expect(gapMs).toBeLessThan(GAP_MS)
    told.push(
      `with a synchronous standby: ${ROUNDS} failovers, ${answered} charges answered, none lost, none twice; ${repeated} calls answered after repeats; longest gap after a promotion ${Math.round(gapMs)} ms`,
    )
  },
  LIMIT_MS + ROUNDS * ROUND_LIMIT_MS,
)

test(
  `without one, what was charged while the standby was away is lost, and nothing is made twice`,
  async () => {
    const { answered, lost, twice, gapMs } = await rounds(false)
    expect([answered > 0, lost > 0, twice]).toEqual([true, true, 0])
    told.push(
      `with an asynchronous one that was away for the last ${BROKEN_MS} ms: ${ROUNDS} failovers, ${answered} charges answered, ${lost} of them lost; longest gap after a promotion ${Math.round(gapMs)} ms`,
    )
  },
  LIMIT_MS + ROUNDS * ROUND_LIMIT_MS,
)
