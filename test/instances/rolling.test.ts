/**
 * D166: two instances behind a balancer are restarted one after the other, under load, and no call fails. Behind HAProxy,
 * which asks for readiness, and behind nginx, which learns from connections. `ROLLING_CALLS` says how many calls, and without it nothing runs.
 */
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { type ChildProcess, spawn } from 'node:child_process'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { get, type Server, serve } from '../helpers/command.ts'
import { fixtures } from '../helpers/fixtures.ts'
import { freePort } from '../helpers/postgres.ts'
import { sharedDatabase, sharedDirectory } from '../helpers/shared.ts'
import { expectLedgerToAgree, load, loadAccounts, type Seen } from './load.ts'

const CALLS = Number(process.env.ROLLING_CALLS ?? 0)
const db = sharedDatabase(fixtures)
const directory = sharedDirectory()

interface Place {
  port: string
  appPort: string
}

const places: Place[] = []
let servers: Server[] = []

const start = ({ port, appPort }: Place) =>
  serve({
    DATABASE_URL: db.url,
    PORT: port,
    APP_PORT: appPort,
    DRAIN_SECONDS: '2',
    LOG_LEVEL: 'error',
  })

beforeAll(async () => {
  for (let i = 0; i < 2; i++) {
    places.push({ port: String(await freePort()), appPort: String(await freePort()) })
  }
  servers = await Promise.all(places.map(start))
}, 60_000)

afterAll(async () => {
  await Promise.all(servers.map(({ stop }) => stop('SIGINT')))
}, 60_000)

interface Balancer {
  command: string
  /** Its configuration and the arguments that name the file. */
  configure(port: number): string
  args(file: string): string[]
}

const HAPROXY: Balancer = {
  command: 'haproxy',
  configure: (port) => `defaults
  mode http
  timeout connect 5s
  timeout client 60s
  timeout server 60s
listen api
  bind 127.0.0.1:${port}
  option httpchk
  http-check send meth GET uri /health/ready ver HTTP/1.1 hdr Host ready hdr Connection close
${places.map((place, n) => `  server s${n} 127.0.0.1:${place.port} check port ${place.appPort} inter 200 fall 1 rise 1`).join('\n')}
`,
  args: (file) => ['-q', '-f', file],
}

const NGINX: Balancer = {
  command: 'nginx',
  configure: (port) => `${process.getuid?.() === 0 ? 'user root;' : ''}
daemon off;
worker_processes 1;
pid ${directory.path}/nginx.pid;
error_log ${directory.path}/nginx.log;
events {}
http {
  access_log off;
  client_body_temp_path ${directory.path}/body;
  proxy_temp_path ${directory.path}/proxy;
  fastcgi_temp_path ${directory.path}/fastcgi;
  uwsgi_temp_path ${directory.path}/uwsgi;
  scgi_temp_path ${directory.path}/scgi;
  upstream api {
${places.map(({ port: of }) => `    server 127.0.0.1:${of} max_fails=0;`).join('\n')}
    keepalive 32;
  }
  server {
    listen 127.0.0.1:${port};
    location / {
      proxy_pass http://api;
      proxy_http_version 1.1;
      proxy_set_header Connection "";
    }
  }
}
`,
  args: (file) => ['-c', file, '-e', `${directory.path}/nginx.log`],
}

for (const balancer of [HAPROXY, NGINX]) {
  const program = Bun.which(balancer.command, { PATH: `${process.env.PATH}:/usr/sbin` })
  if (CALLS > 0 && !program) console.warn(`skipped: ${balancer.command} is not installed`)
  test.skipIf(CALLS === 0 || !program)(
    `D166: a rolling restart behind ${balancer.command} under load fails no call`,
    async () => {
      const port = await freePort()
      const file = join(directory.path, balancer.command)
      await writeFile(file, balancer.configure(port))
      const child: ChildProcess = spawn(program ?? '', balancer.args(file), { stdio: 'ignore' })
      try {
        const url = `http://127.0.0.1:${port}`
        while (!(await get(`${url}/v1/me`).catch(() => undefined))) await pause(50)
        const accounts = await loadAccounts(db.database, 60)
        const seen: Seen[] = []
        let restarted = false
        const restarting = restartAll().finally(() => {
          restarted = true
        })
        while (!restarted || seen.length < CALLS) {
          seen.push(...(await load({ urls: [url], accounts, connections: 16, calls: 500 })))
        }
        await restarting
        const failed = seen.filter(({ status }) => status === 0 || status >= 500)
        console.log(`${balancer.command}: ${seen.length} calls, ${failed.length} failed`)
        expect(failed.length).toBe(0)
        await expectLedgerToAgree(db.sql, accounts, seen)
      } finally {
        child.kill('SIGTERM')
      }
    },
    600_000,
  )
}

/** One after the other, each when the one before it answers again. */
async function restartAll() {
  for (const [n, place] of places.entries()) {
    await pause(1_000)
    const { code } = (await servers[n]?.stop('SIGTERM')) ?? {}
    expect(code).toBe(0)
    servers[n] = await start(place)
    await pause(1_000)
  }
}
