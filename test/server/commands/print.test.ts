/** `print`: the files are right by themselves, and real proxies serve by them. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { spawnSync } from 'node:child_process'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { readConfig } from '../../../src/config.ts'
import { perform } from '../../../src/console/acts/perform.ts'
import { giveOperator } from '../../../src/console/acts/users.ts'
import { PRINTED_NAMES, printed } from '../../../src/server/commands/print.ts'
import { workerFamilies } from '../../../src/server/commands/workers.ts'
import * as described from '../../../src/server/metrics/descriptions.ts'
import { run, serve } from '../../helpers/command.ts'
import { fixtures } from '../../helpers/fixtures.ts'
import { freePort } from '../../helpers/postgres.ts'
import {
  API_HOST,
  APP_HOST,
  getThrough,
  installed,
  PROXIES,
  startProxy,
} from '../../helpers/proxies.ts'
import { sharedDatabase, sharedDirectory } from '../../helpers/shared.ts'
import { signedInPerson, turnOnTwoSteps } from '../../people/users/fixtures.ts'
import { csrfIn } from '../../site/visitor.ts'

const PLACE = { apiHost: API_HOST, appHost: APP_HOST, instances: ['127.0.0.1'] }
const SEVERAL = { ...PLACE, instances: ['10.0.0.11', '10.0.0.12'] }
const METRICS_PORT = 9464
const directory = sharedDirectory()

/** Time that the service needs to stop: the drain, then the calls in hand. */
const LEAST_STOP_SECONDS = readConfig({}).drainSeconds + 10

describe('each file', () => {
  test('has both host names, and no sign of the examples, where others are given', () => {
    const place = { ...PLACE, apiHost: 'one.test.org', appHost: 'two.test.org' }
    for (const what of PRINTED_NAMES.filter((each) => each !== 'grafana' && each !== 'alerts')) {
      const text = printed(what, place)
      expect([what, text.includes('one.test.org'), text.includes('two.test.org')]).toEqual([
        what,
        true,
        true,
      ])
      expect([what, /example\.com/.test(text)]).toEqual([what, false])
    }
  })

  test('is written to a folder under its usual name, and never over another without --force', async () => {
    const to = ['--out', directory.path]
    const first = await run(['print', 'systemd', '--json', ...to])
    const { file } = first.json()
    expect(file).toBe(join(directory.path, 'chainkin.service'))
    await writeFile(file, 'mine')
    const second = await run(['print', 'systemd', ...to])
    expect([second.code, second.stderr]).toEqual([
      1,
      `chainkin print: ${file} is there already: --force replaces it\n`,
    ])
    expect(await readFile(file, 'utf8')).toBe('mine')
  })

  test('sets nothing that the service does not read, and nothing that it refuses', () => {
    const compose = Bun.YAML.parse(printed('compose', PLACE)) as Compose
    const ofUnit = [...printed('systemd', PLACE).matchAll(/^Environment=([A-Z_]+)=(.*)$/gm)]
    const settings = [
      { ...compose.services.chainkin.environment, DATABASE_URL: 'postgres://localhost/x' },
      Object.fromEntries(ofUnit.map(([, name, value]) => [name ?? '', value ?? ''])),
    ]
    for (const environment of settings) {
      const config = readConfig(environment)
      expect([config.baseUrl, config.appUrl]).toEqual([
        `https://${API_HOST}`,
        `https://${APP_HOST}`,
      ])
      expect(config.metricsPort).toBe(METRICS_PORT)
      expect(config.trustedProxies.rules.length).toBeGreaterThan(0)
    }
  })

  test('gives the service longer to stop than it takes to drain and to end the calls in hand', () => {
    const patterns = {
      compose: /stop_grace_period: (\d+)s\n/,
      systemd: /^TimeoutStopSec=(\d+)$/m,
      dockerfile: /--stop-timeout (\d+)/,
    } as const
    for (const name of ['compose', 'systemd', 'dockerfile'] as const) {
      const [, seconds] = patterns[name].exec(printed(name, PLACE)) ?? []
      expect(Number(seconds)).toBeGreaterThan(LEAST_STOP_SECONDS)
    }
  })

  test('has commands at its head that may be typed again: settings that are there stay', async () => {
    const [, command = ''] =
      /^# {3}(.*\/etc\/chainkin\.env.*)$/m.exec(printed('systemd', PLACE)) ?? []
    const file = join(directory.path, 'settings.env')
    await writeFile(file, 'SMTP_URL=smtp://localhost')
    const { status } = spawnSync('sh', [
      '-c',
      command.replaceAll('/etc/chainkin.env', '"$0"'),
      file,
    ])
    expect([status, await readFile(file, 'utf8')]).toEqual([0, 'SMTP_URL=smtp://localhost'])
  })

  test('has commands run with the public addresses, which links that they print and mail begin with', () => {
    const [, command = ''] = /^# {3}(systemd-run[\s\S]*?)^#$/m.exec(printed('systemd', PLACE)) ?? []
    expect(command).toContain(`-E APP_URL=https://${APP_HOST}`)
  })

  test('has a proxy check the readiness of several instances, and wait for a single one', () => {
    for (const proxy of ['haproxy', 'caddy'] as const) {
      const checks = [PLACE, SEVERAL].map((place) =>
        printed(proxy, place).includes('/health/ready'),
      )
      expect([proxy, checks]).toEqual([proxy, [false, true]])
    }
    for (const host of SEVERAL.instances) {
      for (const proxy of PROXIES) {
        for (const port of [3000, 3001]) {
          expect(printed(proxy, SEVERAL)).toContain(`${host}:${port}`)
        }
      }
    }
  })

  test('tells callers when to come again, where a proxy answers for an instance', () => {
    const answers = printed('haproxy', PLACE).match(/^ *http-error status .*$/gm) ?? []
    expect(answers.length).toBe(3)
    for (const answer of answers) expect(answer).toContain('hdr Retry-After 2')
  })

  test('leads nobody to the metrics: no proxy names their port, and compose publishes the proxy’s alone', () => {
    for (const proxy of PROXIES) {
      expect([proxy, printed(proxy, SEVERAL).includes(String(METRICS_PORT))]).toEqual([
        proxy,
        false,
      ])
    }
    const { services } = Bun.YAML.parse(printed('compose', PLACE)) as Compose
    const published = Object.entries(services).filter(([, { ports }]) => ports)
    expect(published.map(([name]) => name)).toEqual(['caddy'])
    expect(services.chainkin.environment.TRUSTED_PROXIES).toBe(
      services.caddy.networks.front.ipv4_address,
    )
    expect(services.chainkin).toMatchObject({ read_only: true, cap_drop: ['ALL'] })
  })
})

interface Compose {
  services: {
    chainkin: { environment: Record<string, string>; stop_grace_period: string; ports?: string[] }
    caddy: { networks: { front: { ipv4_address: string } }; ports?: string[] }
    postgres: { ports?: string[] }
  }
}

test('the dashboard asks for each metric that the service counts, and for no other', () => {
  const asked = printed('grafana', PLACE).match(/\bchainkin_[a-z_]+/g) ?? []
  const counted = [
    ...Object.values(described).map(({ name }) => name),
    ...workerFamilies({ alive: 1, restarts: 0 }).map(({ name }) => name),
  ]
  const names = asked.map(
    (name) => counted.find((one) => one === name) ?? name.replace(/_(bucket|sum|count)$/, ''),
  )
  expect([...new Set(names)].sort()).toEqual([...new Set(counted)].sort())
})

test('a panel of the dashboard has one unit: ages are in none that counts', () => {
  const { panels }: { panels: { targets: { expr: string }[] }[] } = JSON.parse(
    printed('grafana', PLACE),
  )
  const kinds = panels.map(
    ({ targets }) => new Set(targets.map(({ expr }) => /^time\(/.test(expr))),
  )
  expect(kinds.filter(({ size }) => size !== 1)).toEqual([])
})

test('Caddy logs no caller and no words of a call that reaches nobody', async () => {
  const caddy = installed('caddy')
  if (!caddy) return
  const file = join(directory.path, 'Caddyfile')
  await writeFile(file, printed('caddy', PLACE))
  const { stdout } = spawnSync(caddy, ['adapt', '--config', file, '--adapter', 'caddyfile'], {
    encoding: 'utf8',
  })
  const { fields } = JSON.parse(stdout).logging.logs.default.encoder
  const deleted = Object.keys(fields).filter((field) => fields[field].filter === 'delete')
  expect(deleted).toEqual(
    expect.arrayContaining(['request>remote_ip', 'request>uri', 'request>headers']),
  )
})

test('Prometheus takes everything that the dashboard asks', async () => {
  const promtool = installed('promtool')
  if (!promtool) return
  const { panels }: { panels: { targets: { expr: string }[] }[] } = JSON.parse(
    printed('grafana', PLACE),
  )
  const rules = panels.flatMap(({ targets }, panel) =>
    targets.map(({ expr }, n) => ({
      record: `asked:${panel}:${n}`,
      expr: expr.replaceAll('$__rate_interval', '5m'),
    })),
  )
  const file = join(directory.path, 'rules.json')
  await writeFile(file, JSON.stringify({ groups: [{ name: 'asked', rules }] }))
  const { status, stderr } = spawnSync(promtool, ['check', 'rules', file], { encoding: 'utf8' })
  expect([status, stderr]).toEqual([0, ''])
})

test('Prometheus takes the rules for alerts', async () => {
  const promtool = installed('promtool')
  if (!promtool) return
  const file = join(directory.path, 'chainkin.rules.yml')
  await writeFile(file, printed('alerts', PLACE))
  const checked = spawnSync(promtool, ['check', 'rules', file], { encoding: 'utf8' })
  expect([checked.status, checked.stderr]).toEqual([0, ''])
  expect(checked.stdout).toMatch(/SUCCESS: \d+ rules found/)
})

test('systemd takes the unit, and finds that it leaves the service few rights', async () => {
  const systemd = installed('systemd-analyze')
  if (!systemd) return
  const file = join(directory.path, 'tried.service')
  await writeFile(
    file,
    printed('systemd', PLACE).replaceAll('/usr/local/bin/chainkin', '/bin/true'),
  )
  const verified = spawnSync(systemd, ['verify', file], { encoding: 'utf8' })
  expect([verified.status, verified.stderr]).toEqual([0, ''])
  const judged = spawnSync(systemd, ['security', '--offline=true', '--threshold=20', file], {
    encoding: 'utf8',
  })
  expect([judged.status, judged.stdout.split('\n').at(-2)]).toEqual([
    0,
    expect.stringContaining('OK'),
  ])
})

describe('real proxies', () => {
  const db = sharedDatabase(fixtures)
  const log = () => join(directory.path, 'access.log')
  let place: { port: string; appPort: string }
  let server: Awaited<ReturnType<typeof serve>>

  beforeAll(async () => {
    place = { port: String(await freePort()), appPort: String(await freePort()) }
    const { port: PORT, appPort: APP_PORT } = place
    const proxied = { TRUSTED_PROXIES: '127.0.0.1', ACCESS_LOG: log() }
    server = await serve({ DATABASE_URL: db.url, PORT, APP_PORT, ...proxied, LOG_LEVEL: 'error' })
  })
  afterAll(() => server.stop('SIGINT'))

  /** The client's address, as the service took it from this request. */
  async function addressOf(requestId: string) {
    for (;;) {
      const lines = (await readFile(log(), 'utf8').catch(() => '')).split('\n').filter(Boolean)
      const found = lines
        .map((line) => JSON.parse(line))
        .find((line) => line.requestId === requestId)
      if (found) return found.address
      await pause(20)
    }
  }

  /** The cookie of a new operator. */
  async function operatorCookie(name: string) {
    const { cookie, userId: id } = await signedInPerson(db.database, server.appUrl, name)
    const by = { via: 'command', userId: null, who: 'root', address: null } as const
    await perform(db.database, by, giveOperator, id)
    await turnOnTwoSteps(db.sql, id)
    return cookie
  }

  for (const name of PROXIES) {
    const program = installed(name)
    test.skipIf(!program)(
      `a file of 24 MB comes through ${name} to the operator’s page, and nothing like it to the API`,
      async () => {
        const proxy = await startProxy(name, program ?? '', ['127.0.0.1'], place)
        try {
          const cookie = await operatorCookie(name)
          const url = `http://127.0.0.1:${proxy.port}/operator/imports`
          const headers = { cookie, host: APP_HOST, 'sec-fetch-site': 'same-origin' }
          const page = await getThrough(proxy, {
            host: APP_HOST,
            path: '/operator/imports',
            headers,
          })
          const file = `name,domain\n${'A company,a.example\n'.repeat(1_200_000)}`
          const form = new FormData()
          form.append('csrf', csrfIn(page.body))
          form.append('kind', 'companies')
          form.append('file', new Blob([file]), `${name}.csv`)
          const sent = { method: 'POST', body: form, redirect: 'manual' } as const
          const answer = await fetch(url, { ...sent, headers })
          expect(answer.status).toBe(303)
          const jobs =
            await db.sql`select bytes::integer from import_jobs where file = ${`${name}.csv`}`
          expect([...jobs]).toEqual([{ bytes: file.length }])
          const refused = await fetch(`http://127.0.0.1:${proxy.port}/v1/me`, {
            method: 'POST',
            body: 'x'.repeat(1_000_000),
            headers: { host: API_HOST },
          })
          expect(refused.status).toBe(413)
        } finally {
          await proxy.stop()
        }
      },
    )
    test.skipIf(!program || process.platform !== 'linux')(
      `${name} leads both names to their listeners, and the service knows the client’s address whatever it says`,
      async () => {
        for (const instances of [['127.0.0.1'], ['127.0.0.1', '127.0.0.9']]) {
          const proxy = await startProxy(name, program ?? '', instances, place)
          try {
            const from = '127.0.0.2'
            const requestId = `${name}-${instances.length}`
            const headers = { 'x-forwarded-for': '198.51.100.7', 'x-request-id': requestId }
            const call = { host: API_HOST, path: '/v1/me', from, headers }
            const answer = await getThrough(proxy, call)
            expect([answer.status, JSON.parse(answer.body).error.charged]).toEqual([401, 0])
            expect(await addressOf(requestId)).toBe(from)
            const page = await getThrough(proxy, { host: APP_HOST, path: '/health/ready' })
            expect([page.status, page.body]).toEqual([200, '{"status":"ready","reasons":[]}'])
          } finally {
            await proxy.stop()
          }
        }
      },
    )
  }
})
