/**
 * Two instances behind a balancer are restarted one after the other, under load, and no call fails. Behind what `print`
 * writes for HAProxy and Caddy, which ask for readiness, and for nginx, which learns from connections. `ROLLING_CALLS` says how
 * many calls, and without it nothing runs.
 */
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { setTimeout as pause } from 'node:timers/promises'
import { type Server, serve } from '../helpers/command.ts'
import { fixtures } from '../helpers/fixtures.ts'
import { type HeardCall, keptClients } from '../helpers/kept-clients.ts'
import { LIMIT_MS } from '../helpers/limit.ts'
import { freePort } from '../helpers/postgres.ts'
import { API_HOST, installed, PROXIES, startProxy } from '../helpers/proxies.ts'
import { sharedDatabase } from '../helpers/shared.ts'
import {
  callsOf,
  expectLedgerToAgree,
  load,
  loadAccounts,
  type PlannedCall,
  type Seen,
} from './load.ts'

const CALLS = Number(process.env.ROLLING_CALLS ?? 0)
const KILLS = 10
const db = sharedDatabase(fixtures)

/** Instances are told apart by their address alone, as machines are. */
const HOSTS = ['127.0.0.1', '127.0.0.9']
let ports: { port: string; appPort: string }
let servers: Server[] = []

const start = (host: string) =>
  serve({
    DATABASE_URL: db.url,
    HOST: host,
    PORT: ports.port,
    APP_PORT: ports.appPort,
    DRAIN_SECONDS: '5',
    TRUSTED_PROXIES: '127.0.0.1',
    LOG_LEVEL: 'error',
  })

beforeAll(async () => {
  if (CALLS === 0) return
  ports = { port: String(await freePort()), appPort: String(await freePort()) }
  servers = await Promise.all(HOSTS.map(start))
})

afterAll(async () => {
  await Promise.all(servers.map(({ stop }) => stop('SIGINT')))
})

for (const name of PROXIES) {
  const program = CALLS > 0 ? installed(name) : undefined
  test.skipIf(!program)(
    `a rolling restart behind ${name} under load fails no call`,
    async () => {
      const proxy = await startProxy(name, program ?? '', HOSTS, ports)
      try {
        const url = `http://127.0.0.1:${proxy.port}`
        const accounts = await loadAccounts(db.database, 60)
        const seen: Seen[] = []
        let restarted = false
        const restarting = restartAll().finally(() => {
          restarted = true
        })
        while (!restarted || seen.length < CALLS) {
          const calls = { urls: [url], accounts, connections: 16, calls: 500 }
          seen.push(...(await load({ ...calls, host: API_HOST })))
        }
        await restarting
        const failed = seen.filter(({ status }) => status === 0 || status >= 500)
        console.log(`${name}: ${seen.length} calls, ${failed.length} failed`)
        expect(failed.length).toBe(0)
        await expectLedgerToAgree(db.sql, accounts, seen)
      } finally {
        await proxy.stop()
      }
    },
    LIMIT_MS * 2,
  )
}

/** nginx can't tell a connection that was refused from one that broke: it sends such a call again. */
const EXACT = PROXIES.filter((name) => name !== 'nginx')

for (const name of EXACT) {
  const program = CALLS > 0 ? installed(name) : undefined
  for (const [client, makeCalls] of program ? keptClients() : []) {
    test(
      `behind ${name}, no call is charged twice where an instance is killed in the middle of it, on connections that are kept by ${client}`,
      async () => {
        const proxy = await startProxy(name, program ?? '', HOSTS, ports)
        try {
          const accounts = await loadAccounts(db.database, 60)
          const route = { url: `http://127.0.0.1:${proxy.port}`, host: API_HOST, connections: 32 }
          const seen: Seen[] = []
          for (let round = 0; round < KILLS; round++) {
            const calls = callsOf(accounts, 1_000)
            const loading = makeCalls(
              route,
              calls.map(({ requestId: id, account, path }) => ({ id, path, key: account.key })),
            )
            await pause(200 + Math.random() * 300)
            const victim = round % HOSTS.length
            await servers[victim]?.stop('SIGKILL')
            servers[victim] = await start(HOSTS[victim] ?? '')
            const ends = new Map((await loading).map((end) => [end.id, end]))
            for (const call of calls) seen.push(seenOf(call, ends.get(call.requestId)))
          }
          const unanswered = seen.filter(({ status }) => status === 0 || status >= 500)
          console.log(
            `${name}, ${client}: ${seen.length} calls, ${KILLS} kills, ${unanswered.length} unanswered, ${await chargedTwice(seen)} charged twice`,
          )
          await expectLedgerToAgree(db.sql, accounts, seen)
        } finally {
          await proxy.stop()
        }
      },
      LIMIT_MS * 2,
    )
  }
}

function seenOf({ requestId, account }: PlannedCall, end: HeardCall | undefined): Seen {
  const { status = 0, body = '' } = end ?? {}
  const { error, meta } = body === '' ? {} : JSON.parse(body)
  const charged = meta?.creditsCharged ?? 0
  return { requestId, account, status, code: error?.code, charged, rateReset: null, tookMs: 0 }
}

async function chargedTwice(seen: readonly Seen[]): Promise<number> {
  const [row] = await db.sql<{ calls: number }[]>`
    select count(*)::integer as calls
      from (select from ledger where request_id = any (${seen.map(({ requestId }) => requestId)})
             group by request_id having count(*) > 1) twice`
  return row?.calls ?? -1
}

/** One after the other, each when the one before it answers again. */
async function restartAll() {
  for (const [n, host] of HOSTS.entries()) {
    await pause(1_000)
    const { code } = (await servers[n]?.stop('SIGTERM')) ?? {}
    expect(code).toBe(0)
    servers[n] = await start(host)
    await pause(1_000)
  }
}
