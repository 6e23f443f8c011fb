/** Mails over SMTP, to a server that listens here: what is sent, and why one is not taken. */
import { afterEach, expect, test } from 'bun:test'
import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { type AddressInfo, createServer, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createServer as createTlsServer } from 'node:tls'
import { MailNotSent, openMailServer } from '../../../src/people/users/mail.ts'
import { listenForMail } from '../../helpers/smtp.ts'

const stops: (() => unknown)[] = []
afterEach(() => {
  for (const stop of stops.splice(0)) stop()
})

async function startSmtp() {
  const smtp = await listenForMail()
  stops.push(smtp.stop)
  return smtp
}

async function mailServer(smtpUrl: string) {
  const server = await openMailServer({ smtpUrl, mailFrom: 'Chainkin <mail@example.com>' })
  if (!server) throw new Error('no mail server')
  return server
}

const LETTER = {
  to: 'ada@example.com',
  subject: 'A link',
  text: 'https://app.example/reset?token=abc\n',
}

test('a mail goes out from the sender that was set, and says that a program wrote it', async () => {
  const smtp = await startSmtp()
  const server = await mailServer(smtp.url)
  expect(await server.send(LETTER)).toStartWith('250')
  expect(smtp.mails).toHaveLength(1)
  for (const header of ['From: Chainkin <mail@example.com>', 'To: ada@example.com'])
    expect(smtp.mails[0]).toContain(header)
  expect(smtp.mails[0]).toContain('Auto-Submitted: auto-generated')
})

test('each try of a mail has one Message-ID, by which mailboxes know it again', async () => {
  const smtp = await startSmtp()
  const server = await mailServer(smtp.url)
  await server.send(LETTER, 'one')
  await server.send(LETTER, 'one')
  await server.send(LETTER, 'two')
  const ids = smtp.mails.map((mail) => /^Message-ID: (\S+)/im.exec(mail)?.[1])
  expect(ids).toEqual(['<one@example.com>', '<one@example.com>', '<two@example.com>'])
})

test('a line break in a subject adds no recipient and no header', async () => {
  const smtp = await startSmtp()
  const server = await mailServer(smtp.url)
  await server.send({ ...LETTER, subject: 'A\r\nBcc: eve@example.com' })
  expect(smtp.mails[0]).not.toMatch(/^Bcc:/im)
})

/** Listens, and answers what a client sends by the first rule that fits. @returns the port */
async function listenAs(rules: [RegExp, string][], greeting = '220 test'): Promise<number> {
  return listenWith(createServer((socket) => answer(socket, rules, greeting)))
}

function answer(socket: Socket, rules: [RegExp, string][], greeting: string) {
  socket.on('error', () => {})
  socket.write(`${greeting}\r\n`)
  socket.setEncoding('utf8').on('data', (text: string) => {
    const said = rules.find(([sent]) => sent.test(text))?.[1] ?? '250 fine'
    if (said === 'ends') socket.destroy()
    else socket.write(`${said}\r\n`)
  })
}

async function listenWith(server: ReturnType<typeof createServer>): Promise<number> {
  stops.push(() => server.close())
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return (server.address() as AddressInfo).port
}

const failureAt = async (url: string) =>
  (await mailServer(url)).send(LETTER).catch((error: unknown) => error)

const WITH_LOGIN: [RegExp, string] = [/^EHLO/, '250-test\r\n250 AUTH PLAIN']
const DATA: [RegExp, string] = [/^DATA/, '354 go on']

test.each([
  ['a recipient that is not there', [[/^RCPT/, '550 none']], 'refused', '550'],
  ['a sender that is not let in', [[/^MAIL/, '553 no']], 'login', '553'],
  ['a text that is taken for spam', [DATA, [/\r\n\.\r\n$/, '554 spam']], 'refused', '554'],
  ['greylisting', [[/^RCPT/, '451 4.7.1 later']], 'later', '451'],
  ['a full mailbox', [DATA, [/\r\n\.\r\n$/, '452 full']], 'later', '452'],
  ['a connection that ends amid it', [[/^DATA/, 'ends']], 'unreached', 'ECONNECTION'],
] as [string, [RegExp, string][], string, string][])(
  'why a mail was not taken: %s',
  async (_, rules, reason, code) => {
    const failure = await failureAt(`smtp://127.0.0.1:${await listenAs(rules)}`)
    expect(failure).toBeInstanceOf(MailNotSent)
    expect(failure).toMatchObject({ reason, code })
  },
)

test('why a mail was not taken: a server that serves nobody, a wrong password, and none at all', async () => {
  const closed = await listenAs([], '554 closed')
  expect(await failureAt(`smtp://127.0.0.1:${closed}`)).toMatchObject({ reason: 'unreached' })
  const busy = await listenAs([], '421 busy')
  expect(await failureAt(`smtp://127.0.0.1:${busy}`)).toMatchObject({ reason: 'later' })
  const guarded = await listenAs([WITH_LOGIN, [/^AUTH/, '535 wrong']])
  expect(await failureAt(`smtp://ada:wrong@127.0.0.1:${guarded}`)).toMatchObject({
    reason: 'login',
    code: '535',
  })
  expect(await failureAt('smtp://127.0.0.1:1')).toMatchObject({
    reason: 'unreached',
    code: 'ECONNREFUSED',
  })
})

test('why a mail was not taken: a certificate that nobody vouches for', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'chainkin-certificate-'))
  stops.push(() => rmSync(folder, { recursive: true }))
  const [key, cert] = [join(folder, 'key'), join(folder, 'cert')]
  const options =
    'req -x509 -newkey rsa:2048 -nodes -days 2 -subj /CN=localhost -keyout KEY -out CERT'
      .replace('KEY', key)
      .replace('CERT', cert)
  execFileSync('openssl', options.split(' '), { stdio: 'ignore' })
  const tls = { key: readFileSync(key), cert: readFileSync(cert) }
  const server = createTlsServer(tls, (socket) => answer(socket, [], '220 test'))
  server.on('tlsClientError', () => {})
  const failure = await failureAt(`smtps://127.0.0.1:${await listenWith(server)}`)
  expect(failure).toMatchObject({
    reason: 'certificate',
    message: 'certificate not trusted: DEPTH_ZERO_SELF_SIGNED_CERT',
  })
})
