/** A mail server that listens here and keeps what it is sent. */
import { createServer, type Server, type Socket } from 'node:net'

/**
 * As much of SMTP as a mail needs. @param refuse whether every recipient is refused
 * @returns its URL, the mails so far, and the answer to each recipient, which a test may change: '' takes the mail
 */
export async function listenForMail(refuse = false) {
  const state = { refusal: refuse ? '550 nobody here' : '', tries: 0 }
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
      else if (/^RCPT/i.test(text)) {
        state.tries++
        socket.write(state.refusal ? `${state.refusal}: ${text}` : '250 fine\r\n')
      } else socket.write('250 fine\r\n')
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  const stop = () => {
    for (const socket of sockets) socket.destroy()
    server.close()
  }
  const url = `smtp://127.0.0.1:${typeof address === 'object' && address?.port}`
  return Object.assign(state, { url, mails, stop })
}
