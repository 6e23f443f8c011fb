/** Mails over SMTP, to a server that listens here. */
import { afterEach, expect, test } from 'bun:test'
import { createServer, type Server, type Socket } from 'node:net'
import { createLog } from '../../src/log.ts'
import { createMailer } from '../../src/users/mail.ts'

/** As much of SMTP as a mail needs. */
async function startSmtp(refuse = false) {
  const mails: string[] = []
  const sockets = new Set<Socket>()
  const server: Server = createServer((socket) => {
    sockets.add(socket)
    socket.on('error', () => {})
    let inData = false
    let data = ''
    socket.write('220 test ESMTP\r\n')
    socket.setEncoding('utf8').on('data', (text: string) => {
      if (inData) {
        data += text
        if (!data.endsWith('\r\n.\r\n')) return
        mails.push(data)
        inData = false
        data = ''
        socket.write('250 taken\r\n')
      } else if (/^DATA/i.test(text)) {
        inData = true
        socket.write('354 go on\r\n')
      } else if (/^QUIT/i.test(text)) socket.end('221 bye\r\n')
      else if (refuse && /^RCPT/i.test(text)) socket.write(`550 nobody here: ${text}`)
      else socket.write('250 fine\r\n')
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  const stop = () => {
    for (const socket of sockets) socket.destroy()
    server.close()
  }
  stops.push(stop)
  return { url: `smtp://127.0.0.1:${typeof address === 'object' && address?.port}`, mails }
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
