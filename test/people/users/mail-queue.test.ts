/** Mails wait in the database until the mail server takes them. On a real PostgreSQL, whose clock the tests set. */
import { afterEach, beforeAll, beforeEach, expect, test } from 'bun:test'
import { type AddressInfo, createServer, type Socket } from 'node:net'
import { checkMails } from '../../../src/console/acts/checks.ts'
import { createLog } from '../../../src/log.ts'
import { openMailServer } from '../../../src/people/users/mail.ts'
import { createMailQueue, pauseAfter } from '../../../src/people/users/mail-queue.ts'
import { type Clock, startClock } from '../../helpers/clock.ts'
import { sharedDatabase, sharedService } from '../../helpers/shared.ts'
import { listenForMail } from '../../helpers/smtp.ts'
import { START } from './fixtures.ts'

const db = sharedDatabase()
const embedded = sharedService()
const LETTER = {
  kind: 'confirm',
  to: 'ada@example.com',
  subject: 'A link',
  text: 'https://app.example/confirm?token=abc\n',
} as const

let clock: Clock
let smtp: Awaited<ReturnType<typeof listenForMail>>
let logged: string[]

beforeAll(async () => {
  clock = await startClock(db.sql, START)
})
beforeEach(async () => {
  logged = []
  smtp = await listenForMail()
  await db.sql`delete from mails`
})
afterEach(() => smtp.stop())

const settings = () => ({ smtpUrl: smtp.url, mailFrom: 'Chainkin <mail@example.com>' })

/** The queue of one process. */
async function queue(
  config: { smtpUrl?: string; mailFrom?: string } = settings(),
  { database }: Pick<typeof db, 'database'> = db,
) {
  const { smtpUrl, mailFrom } = config
  const log = createLog('debug', (line) => logged.push(line))
  return createMailQueue(database, await openMailServer({ smtpUrl, mailFrom }), log)
}

const rows = () => db.sql`select * from mails`
const health = async () => checkMails(db.database, settings())

test('a mail that is taken leaves nothing behind', async () => {
  const mails = await queue()
  await mails.send(LETTER)
  await mails.sweep()
  expect(smtp.mails).toHaveLength(1)
  expect(await rows()).toHaveLength(0)
  expect(logged).toEqual([])
  expect(await health()).toEqual({ state: 'ok', text: 'none waits' })
})

test('a greylisted mail waits, is tried again after a minute, and arrives; another process may do so', async () => {
  smtp.refusal = '451 4.7.1 later'
  const mails = await queue()
  await mails.send(LETTER)
  await mails.sweep()
  await mails.sweep()
  expect([smtp.tries, smtp.mails.length]).toEqual([1, 0])
  expect(await health()).toMatchObject({ state: 'ok' })
  expect((await health()).text).toContain('waiting: 1 not taken yet (451), the oldest since 2026')
  smtp.refusal = ''
  await mails.stop()
  const other = await queue()
  await clock.advance(59)
  await other.sweep()
  expect(smtp.mails).toHaveLength(0)
  await clock.advance(1)
  await other.sweep()
  expect(smtp.mails[0]).toContain('confirm?token=abc')
  expect(await rows()).toHaveLength(0)
})

test('while the server is away mails wait, health says so, and they arrive when it is back', async () => {
  const away = await queue({ ...settings(), smtpUrl: 'smtp://127.0.0.1:1' })
  for (let count = 0; count < 3; count++) await away.send(LETTER)
  await away.sweep()
  expect(await health()).toMatchObject({ state: 'failed' })
  expect((await health()).text).toContain('3 mail server not reached (ECONNREFUSED)')
  await clock.advance(60)
  await (await queue()).sweep()
  expect(smtp.mails).toHaveLength(3)
  expect(logged.join()).not.toMatch(/ada|token|abc/)
})

test('pauses grow, and after a day the mail is given up without address and text, and told', async () => {
  smtp.refusal = '450 busy'
  const mails = await queue()
  await mails.send(LETTER)
  await mails.sweep()
  const pauses: number[] = []
  for (let tries = 1; tries < 100; tries++) {
    const seconds = pauseAfter(tries)
    pauses.push(seconds)
    await clock.advance(seconds)
    await mails.sweep()
    if (smtp.tries !== tries + 1) break
  }
  expect(pauses).toEqual([...pauses].sort((one, other) => one - other))
  expect(pauses.slice(0, 4)).toEqual([60, 120, 240, 480])
  expect(smtp.tries).toBeWithin(10, 20)
  expect(await rows()).toMatchObject([
    { recipient: null, subject: null, body: null, reason: 'later', code: '450' },
  ])
  expect(logged.filter((line) => line.includes('a mail was given up'))).toHaveLength(1)
  expect(logged.join()).not.toMatch(/ada|token|abc/)
  expect((await health()).text).toBe('none waits; given up in the last day: 1 not taken yet (450)')
  await clock.advance(86_401)
  await mails.sweep()
  expect(await rows()).toHaveLength(0)
})

test('a mail that is refused for good is given up at once, and told without address and text', async () => {
  smtp.refusal = '550 nobody here'
  const mails = await queue()
  await mails.send(LETTER)
  await mails.sweep()
  expect(await rows()).toMatchObject([
    { recipient: null, subject: null, body: null, reason: 'refused', code: '550' },
  ])
  await clock.advance(86_400)
  await mails.sweep()
  expect(smtp.tries).toBe(1)
  expect(logged.map((line) => JSON.parse(line))).toEqual([
    expect.objectContaining({ level: 'error', message: 'a mail was given up', code: '550' }),
  ])
  expect(logged.join()).not.toMatch(/ada|token|abc/)
})

test('a link for a new password is not sent when it has ended, and is not kept either', async () => {
  smtp.refusal = '451 later'
  const mails = await queue()
  await mails.send({ ...LETTER, kind: 'reset' })
  await mails.sweep()
  smtp.refusal = ''
  await clock.advance(3_600)
  // The link goes as well where no mail server is configured any more.
  await (await queue({})).sweep()
  expect(await rows()).toMatchObject([{ body: null, recipient: null }])
  await mails.sweep()
  expect(smtp.mails).toHaveLength(0)
})

test('of several processes one sends each mail', async () => {
  const away = await queue({ ...settings(), smtpUrl: 'smtp://127.0.0.1:1' })
  for (let count = 0; count < 60; count++) {
    await away.send({ ...LETTER, to: `person-${count}@example.com` })
  }
  await away.stop()
  await db.sql`update mails set next_try_at = meter_now()`
  const queues = await Promise.all(Array.from({ length: 4 }, () => queue()))
  await Promise.all(queues.map((mails) => mails.sweep()))
  const to = smtp.mails.map((mail) => /^To: (\S+)/im.exec(mail)?.[1])
  expect(to).toHaveLength(60)
  expect(new Set(to).size).toBe(60)
  expect(await rows()).toHaveLength(0)
})

test('a mail whose process ended amid it is tried again, after ten minutes', async () => {
  const mails = await queue()
  await db.sql`
    insert into mails (kind, recipient, subject, body, created_at, next_try_at, ends_at, tries)
    values ('confirm', 'ada@example.com', '-', '-', meter_now(), meter_now() + interval '10 minutes',
            meter_now() + interval '1 day', 1)`
  await mails.sweep()
  expect(smtp.mails).toHaveLength(0)
  await clock.advance(600)
  await mails.sweep()
  expect(smtp.mails).toHaveLength(1)
})

test('a stop waits for mails that are on their way, and those that wait are sent by the next start', async () => {
  const mails = await queue()
  for (let count = 0; count < 50; count++) await mails.send(LETTER)
  await mails.stop()
  expect(await rows()).toHaveLength(50 - smtp.mails.length)
  await clock.advance(600)
  await (await queue()).sweep()
  expect(smtp.mails).toHaveLength(50)
})

test('a stop does not wait for a server that does not answer, and its mail stays', async () => {
  const sockets: Socket[] = []
  const silent = createServer((socket) => sockets.push(socket.on('error', () => {})))
  await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve))
  const { port } = silent.address() as AddressInfo
  const server = await openMailServer({ ...settings(), smtpUrl: `smtp://127.0.0.1:${port}` })
  const mails = createMailQueue(db.database, server, createLog('silent'), 0)
  await mails.send(LETTER)
  while (sockets.length === 0) await new Promise((resolve) => setTimeout(resolve, 5))
  await mails.stop()
  expect(await rows()).toMatchObject([{ recipient: 'ada@example.com', tries: 1, reason: null }])
  for (const socket of sockets) socket.destroy()
  silent.close()
})

test('the embedded database keeps mails as well', async () => {
  smtp.refusal = '451 later'
  const mails = await queue(settings(), embedded)
  await mails.send(LETTER)
  await mails.sweep()
  expect(await embedded.sql`select reason, code from mails`).toMatchObject([
    { reason: 'later', code: '451' },
  ])
  smtp.refusal = ''
  await embedded.sql`update mails set next_try_at = meter_now()`
  await mails.sweep()
  expect(smtp.mails).toHaveLength(1)
  expect(await embedded.sql`select from mails`).toHaveLength(0)
})

test('without a mail server nothing is kept, and health says why', async () => {
  const mails = await queue({})
  expect(mails.sends).toBe(false)
  await mails.send(LETTER)
  await mails.sweep()
  await mails.stop()
  expect(await rows()).toHaveLength(0)
  expect(await checkMails(db.database, { smtpUrl: undefined })).toEqual({
    state: 'skipped',
    text: 'no mail is sent, because SMTP_URL is not set',
  })
})
