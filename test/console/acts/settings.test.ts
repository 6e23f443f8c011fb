/** What is configured, as the operator's page and `config` show it: everything, and no secret. */
import { describe, expect, test } from 'bun:test'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { readConfig } from '../../../src/config.ts'
import { withoutCredentials } from '../../../src/config-parsers.ts'
import { settingsNow, settingWarnings } from '../../../src/console/acts/settings.ts'
import { run, temporaryDirectory } from '../../helpers/command.ts'
import { shared, sharedDatabase, sharedService } from '../../helpers/shared.ts'
import { sharedOperator } from '../../site/operators.ts'
import { tableIn, textIn } from '../../site/reading.ts'
import { startTown } from '../../site/visitor.ts'

const ENVIRONMENT = {
  DATABASE_URL:
    'postgres://ada:hush1@db1.example:5432,db2.example:5433/chain?password=hush2&options=a@b',
  DATABASE_READ_URL: 'postgres://ada:hush3%40@db3.example/chain',
  SMTP_URL: 'smtps://mail%40example.com:hush4@smtp.example:465',
  MAIL_FROM: 'Chainkin <mail@example.com>',
  BASE_URL: 'https://api.example/',
  PAYMENTS: 'stripe',
  STRIPE_SECRET_KEY: 'sk_live_hush5',
  STRIPE_WEBHOOK_SECRET: 'whsec_hush6',
  SERVICE_NAME: 'Ada’s',
  PORT: ' 8080 ',
  HOST: '',
}
const config = readConfig(ENVIRONMENT)
const nowOf = (name: string) => settingsNow(config).find((setting) => setting.name === name)

describe('settings as they are shown', () => {
  test('hold no secret: of an address neither user, password nor parameters, of a key whether it is set', () => {
    expect(JSON.stringify(settingsNow(config))).not.toMatch(/hush|sk_live|whsec_h/)
    expect(nowOf('DATABASE_URL')?.value).toBe('postgres://db1.example:5432,db2.example:5433/chain')
    expect(nowOf('DATABASE_READ_URL')?.value).toBe('postgres://db3.example/chain')
    expect(nowOf('SMTP_URL')?.value).toBe('smtps://smtp.example:465')
    expect(nowOf('STRIPE_SECRET_KEY')).toMatchObject({ value: null, isSet: true, isSecret: true })
  })

  test('show nothing of an address whose password may have a slash that nobody encoded', () => {
    expect(withoutCredentials('smtp://ada:12/hush7@smtp.example')).toBe('smtp://…')
    expect(withoutCredentials('smtp://ada:12#hu/sh7@smtp.example')).toBe('smtp://…')
    expect(withoutCredentials('postgres://ada:12#hush7?@db.example/chain')).toBe('postgres://…')
    expect(withoutCredentials('postgres://a@b:hush8@db.example/chain')).toBe(
      'postgres://db.example/chain',
    )
  })

  test('say what the environment sets, and what holds where it says nothing', () => {
    expect(nowOf('PORT')).toMatchObject({ value: '8080', isSet: true, default: '3000' })
    expect(nowOf('MAIL_FROM')?.value).toBe('Chainkin <mail@example.com>')
    expect(nowOf('APP_PORT')).toMatchObject({ value: null, isSet: false, default: '3001' })
    expect(nowOf('HOST')).toMatchObject({ value: null, isSet: false })
    expect(nowOf('BACKUP_DIR')?.description).toContain('backups')
  })
})

describe('likely mistakes', () => {
  const warningsOf = (environment: Record<string, string>) =>
    settingWarnings(environment, readConfig(environment)).map(({ message }) => message)

  test('a variable that is nearly the name of a setting is named with it', () => {
    const pairs = {
      TRUSTED_PROXY: 'TRUSTED_PROXIES',
      BACKUP_DIRECTORY: 'BACKUP_DIR',
      LOGLEVEL: 'LOG_LEVEL',
      METRIC_PORT: 'METRICS_PORT',
      MAIL_FORM: 'MAIL_FROM',
      DATABASE_URI: 'DATABASE_URL',
      DATABASE_URL_FIEL: 'DATABASE_URL_FILE',
      STRIPE_API_KEY: 'STRIPE_SECRET_KEY',
    }
    for (const [variable, setting] of Object.entries(pairs)) {
      expect(warningsOf({ [variable]: 'x' })).toEqual([
        `${variable} is not a setting. Did you mean ${setting}?`,
      ])
    }
  })

  test('variables of other programs are not named', () => {
    const names = `HOME PATH USER SHELL TERM LANG PWD OLDPWD SHLVL HOSTNAME LOGNAME MAIL MAILTO EDITOR TZ CI DISPLAY
      XDG_DATA_DIRS SSH_AUTH_SOCK JOURNAL_STREAM INVOCATION_ID NOTIFY_SOCKET CREDENTIALS_DIRECTORY STATE_DIRECTORY CACHE_DIRECTORY LOGS_DIRECTORY RUNTIME_DIRECTORY
      KUBERNETES_SERVICE_HOST KUBERNETES_PORT NODE_ENV BUN_INSTALL NODE_OPTIONS PGHOST PGPORT PGUSER PGPASSWORD
      POSTGRES_PASSWORD POSTGRES_URL HTTP_PROXY HTTPS_PROXY NO_PROXY http_proxy SMTP_HOST SMTP_PORT SMTP_USER
      APP_HOST APP_NAME APP_ENV API_HOST API_KEY DB_HOST DB_URL REDIS_URL STRIPE_PUBLISHABLE_KEY
      CHAINKIN_URL CHAINKIN_KEY SERVICE_NAME DATABASE_URL_FILE OTEL_SERVICE_NAME OTEL_LOG_LEVEL OTEL_SDK_DISABLED DD_SERVICE_NAME
      TEST_DATABASE_URL UV_WORKERS PG_DATA_DIR NX_BASE_URL GF_LOG_LEVEL SENTRY_DSN AWS_REGION GOOGLE_APPLICATION_CREDENTIALS`
    const environment = Object.fromEntries(names.split(/\s+/).map((name) => [name, 'x']))
    expect(settingWarnings(environment, readConfig({}))).toEqual([])
  })

  test('a variable is not named beside the setting that it may mean', () => {
    const DATABASE_URL = 'postgres://db.internal/chainkin'
    expect(warningsOf({ DATABASE_USER: 'ada' })).toHaveLength(1)
    expect(warningsOf({ DATABASE_USER: 'ada', DATABASE_URL })).toEqual([])
  })

  test('a HOST that other machines reach is warned of until a proxy with https is set', () => {
    const https = { BASE_URL: 'https://api.example', APP_URL: 'https://app.example' }
    const proxied = { ...https, TRUSTED_PROXIES: '10.0.0.2' }
    for (const HOST of ['0.0.0.0', '::', '10.0.0.1', 'db.internal']) {
      expect(warningsOf({ HOST })).toEqual([expect.stringContaining('https')])
      expect(warningsOf({ ...proxied, HOST, APP_URL: 'http://app.example' })).toHaveLength(1)
      expect(warningsOf({ ...https, HOST })).toHaveLength(1)
      expect(warningsOf({ ...proxied, HOST })).toEqual([])
    }
    for (const HOST of ['', '127.0.0.1', '127.8.0.1', '::1', 'localhost']) {
      expect(warningsOf({ HOST })).toEqual([])
    }
  })
})

describe('the page and the command', () => {
  const service = sharedService()
  const town = shared(() => startTown(service, { console: { config } }))
  const operator = sharedOperator(service, town)

  test('the page shows each setting with its value and where it is from, and what runs', async () => {
    const html = await operator.text('/operator/settings')
    expect(html).not.toMatch(/hush|sk_live|whsec_h/)
    const text = textIn(html)
    for (const said of ['Bun', 'PostgreSQL', 'db1.example:5432', 'Processes 1 of this service']) {
      expect(text).toContain(said)
    }
    const rows = tableIn(html, 'Where it answers')
    expect(rows).toContainEqual(expect.arrayContaining(['PORT', '8080', 'environment']))
    expect(rows).toContainEqual(expect.arrayContaining(['HOST', '127.0.0.1', 'default']))
    const credits = tableIn(html, 'Credits and payments')
    expect(credits).toContainEqual(
      expect.arrayContaining(['STRIPE_SECRET_KEY', 'set', 'environment']),
    )
  })

  const database = sharedDatabase()

  test('the command prints the same as one object', async () => {
    const { stdout, code } = await run(['config', '--json'], {
      env: { DATABASE_URL: database.url, SERVICE_NAME: 'Here', STRIPE_SECRET_KEY: 'sk_live_hush5' },
    })
    expect(code).toBe(0)
    expect(stdout).not.toContain('hush')
    const { system, settings } = JSON.parse(stdout)
    expect(system.postgres).toStartWith('PostgreSQL ')
    expect(settings).toContainEqual(
      expect.objectContaining({ name: 'SERVICE_NAME', value: 'Here', isSet: true }),
    )
  })

  test('the command works without a database, makes none, and says why there is none', async () => {
    const folder = await temporaryDirectory()
    const missing = join(folder.path, 'data')
    const unreached = 'postgres://ada:hush9@127.0.0.1:1/chain'
    const environments = { DATA_DIR: missing, DATABASE_URL: unreached }
    const [none, away] = await Promise.all(
      Object.entries(environments).map(([name, value]) =>
        run(['config', '--json'], { env: { [name]: value, TRUSTED_PROXY: 'x' } }),
      ),
    )
    expect([none?.code, none?.stderr, away?.code, away?.stderr]).toEqual([0, '', 0, ''])
    expect(none?.json().system.unavailable).toStartWith('there is no database in ')
    expect(existsSync(missing)).toBe(false)
    expect(away?.json().system.unavailable).toContain('ECONNREFUSED')
    expect(away?.json().settings).toContainEqual(
      expect.objectContaining({ name: 'DATABASE_URL', value: 'postgres://127.0.0.1:1/chain' }),
    )
    expect(away?.json().warnings).toMatchObject([{ fields: { variable: 'TRUSTED_PROXY' } }])
    expect(away?.stdout).not.toContain('hush')
    await folder.remove()
  })
})
