/** Mails of a service as its operator sees them: each command and server a process, on a real PostgreSQL. */
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { setTimeout as pause } from 'node:timers/promises'
import { type Server, serve } from '../../helpers/command.ts'
import { sharedDatabase } from '../../helpers/shared.ts'
import { listenForMail } from '../../helpers/smtp.ts'
import { PASSWORD } from '../../people/users/fixtures.ts'
import { commandsIn } from './cli.ts'

const db = sharedDatabase()
let smtp: Awaited<ReturnType<typeof listenForMail>>
beforeAll(async () => {
  smtp = await listenForMail()
})
afterAll(() => smtp.stop())

const settings = (smtpUrl: string) => ({
  DATABASE_URL: db.url,
  SMTP_URL: smtpUrl,
  MAIL_FROM: 'mail@example.com',
})
const { done, refused } = commandsIn(() => settings(smtp.url))
const away = commandsIn(() => settings('smtp://127.0.0.1:1'))

async function until(isSo: () => Promise<boolean>): Promise<void> {
  while (!(await isSo())) await pause(20)
}

/** Signs up as a browser does. */
async function signUp({ appUrl }: Server, email: string): Promise<Response> {
  const page = await fetch(`${appUrl}/sign-up`)
  const cookie = page.headers.getSetCookie().map((each) => each.split(';')[0])
  const csrf = /name="csrf" value="([^"]+)"/.exec(await page.text())?.[1] ?? ''
  return fetch(`${appUrl}/sign-up`, {
    method: 'POST',
    headers: { cookie: cookie.join('; '), origin: appUrl, 'sec-fetch-site': 'same-origin' },
    body: new URLSearchParams({ csrf, name: 'Ada', email, password: PASSWORD }),
  })
}

test('mail test sends a mail and says what the server answered, or why it did not take it', async () => {
  expect(await done('mail', 'test', 'ada@example.com')).toMatchObject({
    to: 'ada@example.com',
    answer: expect.stringContaining('250'),
  })
  expect(smtp.mails.pop()).toContain('To: ada@example.com')
  smtp.refusal = '550 5.1.1 no such user'
  const reason = await refused('mail', 'test', 'ada@example.com')
  expect(reason).toContain('refused for good: 550. The server said: 550 5.1.1 no such user')
  smtp.refusal = ''
  expect(await away.refused('mail', 'test', 'ada@example.com')).toBe(
    'mail server not reached: ECONNREFUSED',
  )
  const without = commandsIn(() => ({ DATABASE_URL: db.url }))
  expect(await without.refused('mail', 'test', 'ada@example.com')).toContain('SMTP_URL is not set')
})

test('doctor reaches the mail server, and fails where it does not', async () => {
  const well = (await commandsIn(() => settings(smtp.url)).chainkin(['doctor', '--json'])).json()
  expect([well.mail.state, well.mails]).toEqual(['ok', { state: 'ok', text: 'none waits' }])
  const { code, json } = await away.chainkin(['doctor', '--json'])
  expect([code, json().mail]).toEqual([
    1,
    { state: 'failed', text: 'mail server not reached: ECONNREFUSED' },
  ])
  expect(smtp.mails).toEqual([])
})

test('a mail that is greylisted outlives its server’s end, is counted while it waits, and arrives', async () => {
  smtp.refusal = '451 4.7.1 later'
  const environment = { ...settings(smtp.url), METRICS_PORT: '0' }
  let server = await serve(environment)
  expect((await signUp(server, 'grace@example.com')).status).toBe(200)
  const reasons = () => db.sql`select reason from mails where reason = 'later'`
  await until(async () => (await reasons()).length === 1)
  const { metricsUrl } = JSON.parse(server.output.stdout)
  const metrics = await (await fetch(metricsUrl)).text()
  expect(metrics).toContain('chainkin_mails_waiting{reason="later"} 1')
  expect(metrics).toContain('chainkin_mails_waiting{reason="unreached"} 0')
  expect(metrics).toContain('chainkin_mails_given_up{reason="refused"} 0')
  expect(metrics).toContain('chainkin_orders_waiting{at="operator"} 0')
  expect(metrics).toContain('chainkin_privacy_requests_waiting 0')
  server.kill('SIGKILL')
  await server.finished

  smtp.refusal = ''
  await db.sql`update mails set next_try_at = now()`
  server = await serve(environment)
  // A mail of the new server wakes what waits.
  await signUp(server, 'hopper@example.com')
  await until(async () => smtp.mails.length === 2)
  const to = smtp.mails.map((mail) => /^To: (\S+)/im.exec(mail)?.[1])
  expect(to.sort()).toEqual(['grace@example.com', 'hopper@example.com'])
  await until(async () => (await db.sql`select from mails`).length === 0)
  await server.stop()
})
