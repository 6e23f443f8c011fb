/** Mails over SMTP, to a server that listens here. */
import { afterEach, expect, test } from 'bun:test'
import { createLog } from '../../src/log.ts'
import { createMailer } from '../../src/users/mail.ts'
import { listenForMail } from '../helpers/smtp.ts'

async function startSmtp(refuse = false) {
  const smtp = await listenForMail(refuse)
  stops.push(smtp.stop)
  return smtp
}

const stops: (() => void)[] = []
afterEach(() => {
  for (const stop of stops.splice(0)) stop()
})

const LETTER = {
  to: 'ada@example.com',
  subject: 'A link',
  text: 'https://app.example/reset?token=abc\n',
}

test('a mail goes out from the sender that was set, and stopping waits for it', async () => {
  const smtp = await startSmtp()
  const lines: string[] = []
  const settings = { smtpUrl: smtp.url, mailFrom: 'Chainkin <mail@example.com>' }
  const mailer = await createMailer(
    settings,
    createLog('debug', (line) => lines.push(line)),
  )
  expect(mailer.sends).toBe(true)
  mailer.send(LETTER)
  await mailer.stop()
  expect(smtp.mails).toHaveLength(1)
  expect(smtp.mails[0]).toContain('From: Chainkin <mail@example.com>')
  expect(smtp.mails[0]).toContain('To: ada@example.com')
  expect(lines).toEqual([])
})

test('a line break in an address adds no recipient and no header', async () => {
  const smtp = await startSmtp()
  const mailer = await createMailer(
    { smtpUrl: smtp.url, mailFrom: 'mail@example.com' },
    createLog('silent'),
  )
  mailer.send({ ...LETTER, subject: 'A\r\nBcc: eve@example.com' })
  await mailer.stop()
  expect(smtp.mails[0]).not.toMatch(/^Bcc:/im)
})

test('what could not be sent is in the log, without the address or the link', async () => {
  const smtp = await startSmtp(true)
  const lines: string[] = []
  const settings = { smtpUrl: smtp.url, mailFrom: 'mail@example.com' }
  const mailer = await createMailer(
    settings,
    createLog('debug', (line) => lines.push(line)),
  )
  mailer.send(LETTER)
  await mailer.stop()
  expect(lines).toHaveLength(1)
  expect(lines[0]).toContain('a mail was not sent')
  expect(lines[0]).not.toMatch(/ada|token|abc/)
})

test('without SMTP there is no mail, and nothing fails', async () => {
  const mailer = await createMailer(
    { smtpUrl: undefined, mailFrom: undefined },
    createLog('silent'),
  )
  expect(mailer.sends).toBe(false)
  mailer.send(LETTER)
  await mailer.stop()
})

test('a mail waits while a hundred are on their way, and is not dropped', async () => {
  const smtp = await startSmtp()
  const lines: string[] = []
  const settings = { smtpUrl: smtp.url, mailFrom: 'mail@example.com' }
  const mailer = await createMailer(
    settings,
    createLog('debug', (line) => lines.push(line)),
  )
  for (let number = 0; number < 130; number++) {
    mailer.send({ ...LETTER, to: `person-${number}@example.com` })
  }
  await mailer.stop()
  expect(smtp.mails).toHaveLength(130)
  expect(lines).toEqual([])
})

test('at the end, mails that still wait are dropped after a while, and the log says how many', async () => {
  const smtp = await startSmtp()
  const lines: string[] = []
  const settings = { smtpUrl: smtp.url, mailFrom: 'mail@example.com' }
  const log = createLog('debug', (line) => lines.push(line))
  const mailer = await createMailer(settings, log, 0)
  for (let number = 0; number < 130; number++) {
    mailer.send({ ...LETTER, to: `person-${number}@example.com` })
  }
  await mailer.stop()
  expect(smtp.mails).toHaveLength(100)
  expect(lines.map((line) => JSON.parse(line))).toEqual([
    expect.objectContaining({ message: 'mails were dropped at the end', mails: 30 }),
  ])
})
