/** The environment: what is read, what it defaults to, and how a wrong value is named. */
import { afterAll, describe, expect, test } from 'bun:test'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { ConfigError, readConfig } from '../src/config.ts'
import { droppedParameters, urlOfEachHost } from '../src/database-url.ts'

function problemsOf(environment: Record<string, string>): string[] {
  try {
    readConfig(environment)
  } catch (error) {
    if (error instanceof ConfigError) return error.message.split('\n')
    throw error
  }
  return []
}

describe('defaults', () => {
  test('command line: nothing set means ports 3000 and 3001 on 127.0.0.1 and the embedded database in ./data', () => {
    const { trustedProxies, pictureNetworks, ...config } = readConfig({})
    expect(config).toEqual({
      given: {},
      databaseUrl: undefined,
      databaseReadUrl: undefined,
      databaseWaitSeconds: 30,
      maxLagSeconds: 10,
      drainSeconds: 5,
      dataDir: './data',
      host: '127.0.0.1',
      port: 3_000,
      appPort: 3_001,
      metricsPort: undefined,
      workers: 1,
      baseUrl: undefined,
      appUrl: undefined,
      serviceName: 'Chainkin',
      corsOrigins: [],
      logLevel: 'info',
      trialCredits: 250,
      referralCredits: 250,
      pages: { perMinute: 60, perDay: 1_000 },
      referrals: { holdDays: 120, perMonth: 20 },
      smtpUrl: undefined,
      mailFrom: undefined,
      mailNoticesTo: undefined,
      privacy: { contact: undefined, sources: undefined },
      payments: 'manual',
      stripeSecretKey: undefined,
      stripeWebhookSecret: undefined,
      stripeUrl: undefined,
      requestLog: true,
      accessLog: undefined,
      backups: { dir: undefined, everySeconds: 86_400, keep: 14 },
      ledgerMonths: undefined,
    })
    expect([trustedProxies.rules, pictureNetworks.rules]).toEqual([[], []])
  })

  test('a variable that is empty or blank is as if unset', () => {
    const config = readConfig({ PORT: '', SERVICE_NAME: '  ', DATABASE_URL: '', CORS_ORIGINS: ' ' })
    expect([config.port, config.serviceName, config.databaseUrl]).toEqual([
      3_000,
      'Chainkin',
      undefined,
    ])
    expect(config.corsOrigins).toEqual([])
  })

  test('values can’t be changed once they are read', () => {
    const config = readConfig({})
    expect(() => Object.assign(config, { port: 1 })).toThrow()
  })
})

describe('values', () => {
  test('lists are split at commas, addresses lose their last slash', () => {
    const config = readConfig({
      BASE_URL: 'https://api.example.com/',
      APP_URL: 'https://app.example.com//',
      CORS_ORIGINS: 'https://a.example, https://b.example:8443',
      TRUSTED_PROXIES: '10.0.0.0/8, 192.0.2.7, 2001:db8::/32',
    })
    expect(config.baseUrl).toBe('https://api.example.com')
    expect(config.appUrl).toBe('https://app.example.com')
    expect(config.corsOrigins).toEqual(['https://a.example', 'https://b.example:8443'])
    const trusted = ['10.1.2.3', '192.0.2.7', '192.0.2.8', '11.0.0.1'].map((address) =>
      config.trustedProxies.check(address, 'ipv4'),
    )
    expect(trusted).toEqual([true, true, false, false])
    expect(config.trustedProxies.check('2001:db8::5', 'ipv6')).toBe(true)
  })

  test('both ports may be 0: each takes a free one', () => {
    const { port, appPort } = readConfig({ PORT: '0', APP_PORT: '0' })
    expect([port, appPort]).toEqual([0, 0])
  })
})

describe('wrong values', () => {
  test.each([
    ['PORT', '65536', 'a port from 0 to 65535'],
    ['PORT', '80a', 'a port from 0 to 65535'],
    ['PORT', '-1', 'a port from 0 to 65535'],
    ['PORT', '3.5', 'a port from 0 to 65535'],
    ['APP_PORT', 'x', 'a port from 0 to 65535'],
    ['HOST', 'no host', 'an IP address or host name'],
    ['BASE_URL', 'api.example.com', 'an http or https URL'],
    ['BASE_URL', 'ftp://example.com', 'an http or https URL'],
    ['APP_URL', 'https://example.com/?a=1', 'an http or https URL'],
    ['SERVICE_NAME', 'x'.repeat(81), 'a name of 1 to 80 characters'],
    ['TRUSTED_PROXIES', 'proxy.internal', 'IP addresses or networks'],
    ['TRUSTED_PROXIES', '10.0.0.0/33', 'IP addresses or networks'],
    ['TRUSTED_PROXIES', '10.0.0.1,oops', 'IP addresses or networks'],
    ['PICTURE_NETWORKS', 'intranet', 'IP addresses or networks'],
    ['CORS_ORIGINS', 'https://example.com/path', 'origins like https://example.com'],
    ['CORS_ORIGINS', 'example.com', 'origins like https://example.com'],
    ['TRIAL_CREDITS', '-1', 'a whole number from 0 to 1000000'],
    ['REFERRAL_CREDITS', '1000001', 'a whole number from 0 to 1000000'],
    ['REFERRAL_HOLD_DAYS', '3651', 'a whole number from 0 to 3650'],
    ['REFERRALS_PER_MONTH', '2.5', 'a whole number from 0 to 1000000'],
    ['MAIL_NOTICES_TO', 'ada', 'addresses like mail@example.com, separated by commas, or none'],
    ['PAYMENTS', 'cash', 'one of manual, stripe'],
    ['MAX_LAG', '0', 'a whole number from 1 to 86400'],
    ['DRAIN_SECONDS', '301', 'a whole number from 0 to 300'],
    ['LOG_LEVEL', 'loud', 'one of debug, info, warn, error, silent'],
  ])(
    'command line: %s=%s is refused, and the line says what was expected and given',
    (name, value, expected) => {
      const [problem, ...others] = problemsOf({ [name]: value })
      expect(others).toEqual([])
      expect(problem).toStartWith(`${name}: expected ${expected}`)
      expect(problem).toEndWith(JSON.stringify(value))
    },
  )

  test('a wrong DATABASE_URL is described but never repeated: it may hold a password', () => {
    const [problem = ''] = problemsOf({ DATABASE_URL: 'mysql://root:hunter2@db' })
    expect(problem).toStartWith('DATABASE_URL: expected a URL like postgres://')
    expect(problem).not.toContain('hunter2')
  })

  test.each([
    ['postgres://u:hunter2@a,b:99999/d', 'a URL like postgres://'],
    ['postgres://u:hunter2@a,,b/d', 'a URL like postgres://'],
    [
      'postgres://u:hunter2@a,b/d?target_session_attrs=standby',
      'target_session_attrs to be one of',
    ],
    ['postgres://u:hunter2@a/d?target_session_attrs=any', 'target_session_attrs to be one of'],
    ['postgres://u:hunter2@a,b/d?sslmode=always', 'sslmode to be one of disable'],
  ])('of the URL %s what is wrong is named', (url, expected) => {
    const [problem = '', ...others] = problemsOf({ DATABASE_URL: url })
    expect(others).toEqual([])
    expect(problem).toStartWith(`DATABASE_URL: expected ${expected}`)
    expect(problem).not.toContain('hunter2')
  })

  test('DATABASE_READ_URL is one host of any kind, beside DATABASE_URL', () => {
    const DATABASE_URL = 'postgres://u:p@a,b/d'
    const problemOf = (url: string) => problemsOf({ DATABASE_URL, DATABASE_READ_URL: url })
    expect(problemOf('postgres://u:p@b/d?sslmode=require')).toEqual([])
    expect(problemOf('postgres://u:hunter2@a,b/d')).toEqual([
      'DATABASE_READ_URL: expected a URL like postgres://user:password@host:5432/database, of one host, got the value given',
    ])
    expect(problemOf('postgres://u:p@b/d?target_session_attrs=standby')).toEqual([
      'DATABASE_READ_URL: expected no target_session_attrs, as any server will do',
    ])
    expect(problemsOf({ DATABASE_READ_URL: 'postgres://u:p@b/d' })).toEqual([
      'DATABASE_READ_URL: expected DATABASE_URL as well, which names the primary',
    ])
  })

  test.each([
    ['postgres://u:p@h/d', ['postgres://u:p@h/d']],
    [
      'postgres://u:p%40@h1:1,h2/d?sslmode=prefer',
      ['postgres://u:p%40@h1:1/d?sslmode=prefer', 'postgres://u:p%40@h2/d?sslmode=prefer'],
    ],
    ['postgresql://[::1]:5,h/d', ['postgresql://[::1]:5/d', 'postgresql://h/d']],
    ['postgres:///d', ['postgres:///d']],
    ['postgres://', undefined],
    ['mysql://h/d', undefined],
    // Every part may be a parameter, which counts before the part.
    ['postgres:///d?host=h&port=5&user=u&password=p%23', ['postgres://u:p%23@h:5/d']],
    [
      'postgres://a:b@x:1/y?host=h1,h2&dbname=d',
      ['postgres://a:b@h1:1/d', 'postgres://a:b@h2:1/d'],
    ],
    ['postgres://u@:5433/d?host=/run/pg', ['postgres://u@%2Frun%2Fpg:5433/d']],
    ['postgres://x,y:1/d?host=h1,h2', ['postgres://h1/d', 'postgres://h2:1/d']],
    ['postgres://x:1,y:2/d?host=h', undefined],
    ['postgres://h/d?port=1,2', undefined],
    ['postgres://h1,h2,h3/d?port=1,2', undefined],
    ['postgres:///d?host=h1,h2&port=5', ['postgres://h1:5/d', 'postgres://h2:5/d']],
    ['postgres://h?host=::1&port=5', ['postgres://[::1]:5']],
    ['postgres://u:p@/d', ['postgres://u:p@localhost/d']],
    ['postgres://:5/d', ['postgres://localhost:5/d']],
    // A directory is that of a Unix socket.
    ['postgres://u@%2Frun%2Fpg/d', ['postgres://u@%2Frun%2Fpg/d']],
    ['postgres:///d?host=/run/pg&user=u', ['postgres://u@%2Frun%2Fpg/d']],
    // Signs that a password may have without encoding, and signs that it may not.
    ['postgres://u:a#b?c:d@h/d', ['postgres://u:a%23b%3Fc%3Ad@h/d']],
    [
      'postgres://u:a+b@h/d?options=-c%20x%3Da+b',
      ['postgres://u:a%2Bb@h/d?options=-c%20x%3Da%2Bb'],
    ],
    ['postgres://u:100%@h/d', undefined],
    ['postgres://u:a/b@h/d', undefined],
    ['postgres://u:p@h:0/d', undefined],
    ['postgres://u:p@h:5x/d', undefined],
    ['postgres://u:p@h/d?password=%zz', undefined],
    // Words of hosts and programs for a pooler without prepared statements.
    ['postgres://h/d?pgbouncer=true&connection_limit=5', ['postgres://h/d?prepare=false']],
    ['postgres://h/d?prepared_statements=false', ['postgres://h/d?prepare=false']],
    ['postgres://h/d?pgbouncer=false&supa=base-pooler.x', ['postgres://h/d']],
  ])('the URL %s has its hosts', (url, urls) => {
    expect(urlOfEachHost(url)).toEqual(urls)
  })

  test.each([
    [
      'keepalives_idle=30&sslmode=require&connect_timeout=5',
      ['keepalives_idle', 'connect_timeout'],
    ],
    ['channel_binding=prefer&gssencmode=disable', ['channel_binding', 'gssencmode']],
    ['supa=base-pooler.x&pgbouncer=true', ['supa', 'pgbouncer']],
    ['application_name=x&options=-c%20a%3Db&prepare=false&sslmode=require', []],
  ])('parameters of a database that change nothing are left out by name: %s', (query, dropped) => {
    const DATABASE_URL = `postgres://u:p@h/d?${query}`
    expect(problemsOf({ DATABASE_URL })).toEqual([])
    expect(droppedParameters(readConfig({ DATABASE_URL }))).toEqual(dropped)
  })

  test.each([
    ['channel_binding=require', 'expected channel_binding to be one of disable, prefer'],
    ['gssencmode=require', 'expected gssencmode to be one of disable, prefer'],
    ['sslcert=hunter2.crt', 'expected no sslcert, because it is not supported'],
    ['require_auth=scram-sha-256', 'expected no require_auth, because it is not supported'],
    ['schema=hunter2', 'expected schema to be one of public'],
    [
      'sslmod=require',
      'expected no parameter sslmod: a setting of PostgreSQL goes into options, like options=-c%20work_mem%3D64MB',
    ],
    ['constructor=1', 'expected no parameter constructor: '],
  ])(
    'a parameter of a database that can’t be followed is refused by name: %s',
    (query, problem) => {
      const [line = '', ...others] = problemsOf({
        DATABASE_URL: `postgres://u:hunter2@h/d?${query}`,
      })
      expect([line, others]).toEqual([expect.stringContaining(`DATABASE_URL: ${problem}`), []])
      expect(line).not.toContain('hunter2')
    },
  )

  test.each([
    ['SMTP_URL', 'http://mail:hunter2@example.com', 'a URL like smtps://'],
    ['STRIPE_SECRET_KEY', 'pk_hunter2', 'a key that begins with sk_ or rk_'],
    ['STRIPE_WEBHOOK_SECRET', 'hunter2', 'a secret that begins with whsec_'],
  ])('a wrong %s is described but never repeated', (name, value, expected) => {
    const [problem = ''] = problemsOf({ [name]: value })
    expect(problem).toStartWith(`${name}: expected ${expected}`)
    expect(problem).not.toContain('hunter2')
  })

  test('what belongs together is asked for together: mail and its sender, Stripe and its secrets', () => {
    expect(problemsOf({ MAIL_FROM: 'mail@example.com' })).toEqual([
      'SMTP_URL, MAIL_FROM: expected both or neither',
    ])
    expect(problemsOf({ PAYMENTS: 'stripe', STRIPE_SECRET_KEY: 'sk_test_1' })).toEqual([
      'PAYMENTS: stripe expects STRIPE_SECRET_KEY and STRIPE_WEBHOOK_SECRET',
    ])
  })

  test('one port for both listeners is refused by name', () => {
    const [problem = ''] = problemsOf({ PORT: '4000', APP_PORT: '4000' })
    expect(problem).toContain('APP_PORT: expected a port other than PORT')
  })

  test('every wrong value is named at once, a line each', () => {
    const problems = problemsOf({ PORT: 'x', LOG_LEVEL: 'loud', HOST: 'a b' })
    expect(problems.map((line) => line.split(':')[0])).toEqual(['HOST', 'PORT', 'LOG_LEVEL'])
  })
})

describe('secrets in files', () => {
  const folder = mkdtempSync(join(tmpdir(), 'chainkin-secrets-'))
  afterAll(() => rmSync(folder, { recursive: true }))
  const fileOf = (content: string) => {
    const path = join(folder, `${Bun.hash(content)}`)
    writeFileSync(path, content)
    return path
  }

  test('every secret may stand in one, and its last line break doesn’t count', () => {
    const secrets = {
      DATABASE_URL: 'postgres://ada:hush@db.example/chain',
      DATABASE_READ_URL: 'postgres://ada:hush@standby.example/chain',
      SMTP_URL: 'smtps://ada:hush@smtp.example:465',
      STRIPE_SECRET_KEY: 'sk_live_hush',
      STRIPE_WEBHOOK_SECRET: 'whsec_hush',
    }
    const files = Object.entries(secrets).map(([name, secret]) => [
      `${name}_FILE`,
      fileOf(`${secret}\r\n`),
    ])
    const others = { MAIL_FROM: 'mail@example.com', PAYMENTS: 'stripe' }
    expect(readConfig({ ...others, ...Object.fromEntries(files) })).toEqual(
      readConfig({ ...others, ...secrets }),
    )
  })

  test('a value beside its file, a file that can’t be read or is empty, and a wrong content are named, without the content', () => {
    const file = fileOf('hush')
    const [missing, empty] = [join(folder, 'missing'), fileOf('\n')]
    expect(problemsOf({ STRIPE_SECRET_KEY: 'sk_live_hush', STRIPE_SECRET_KEY_FILE: file })).toEqual(
      ['STRIPE_SECRET_KEY, STRIPE_SECRET_KEY_FILE: expected one of them, got both'],
    )
    expect(
      problemsOf({
        DATABASE_URL_FILE: missing,
        STRIPE_WEBHOOK_SECRET_FILE: empty,
        STRIPE_SECRET_KEY_FILE: file,
      }),
    ).toEqual([
      `DATABASE_URL_FILE: expected a file that holds DATABASE_URL, ${missing} can't be read (ENOENT)`,
      'STRIPE_SECRET_KEY: expected a key that begins with sk_ or rk_, got the value given',
      `STRIPE_WEBHOOK_SECRET_FILE: expected a file that holds STRIPE_WEBHOOK_SECRET, ${empty} is empty`,
    ])
  })

  test('what is no secret comes from no file', () => {
    expect(readConfig({ SERVICE_NAME_FILE: fileOf('Here') }).serviceName).toBe('Chainkin')
  })
})
