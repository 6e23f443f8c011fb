/** What is configured, as the operator's page and `config` show it: everything, and no secret. */
import { describe, expect, test } from 'bun:test'
import { readConfig } from '../../src/config.ts'
import { withoutCredentials } from '../../src/config-parsers.ts'
import { settingsNow } from '../../src/operator/settings.ts'
import { run, temporaryDirectory } from '../helpers/command.ts'
import { shared, sharedService } from '../helpers/shared.ts'
import { sharedOperator } from '../web/operators.ts'
import { tableIn, textIn } from '../web/reading.ts'
import { startTown } from '../web/visitor.ts'

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

describe('the page and the command', () => {
  const service = sharedService()
  const town = shared(() => startTown(service, { application: { config } }))
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

  test('the command prints the same as one object', async () => {
    const folder = await temporaryDirectory()
    const { stdout, code } = await run(['config', '--json'], {
      env: { DATA_DIR: folder.path, SERVICE_NAME: 'Here', STRIPE_SECRET_KEY: 'sk_live_hush5' },
    })
    await folder.remove()
    expect(code).toBe(0)
    expect(stdout).not.toContain('hush')
    const { system, settings } = JSON.parse(stdout)
    expect(system.database).toStartWith('embedded in ')
    expect(settings).toContainEqual(
      expect.objectContaining({ name: 'SERVICE_NAME', value: 'Here', isSet: true }),
    )
  })
})
