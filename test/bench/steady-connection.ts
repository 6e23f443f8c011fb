/** One kept connection of a load that speaks HTTP/1.1 by itself: a request at a time, answers with a `Content-Length`. */
import type { Socket } from 'bun'

export interface SteadyConnection {
  /** Sends a request as text. @returns the answer's status once all of it came; 0 where the connection ended. */
  ask(request: string): Promise<number>
  close(): void
}

const HEAD_END = '\r\n\r\n'

/** Opens a connection, and another one when it ends. */
export async function openConnection(base: string): Promise<SteadyConnection> {
  const { hostname, port } = new URL(base)
  let answered: (status: number) => void = () => {}
  let isClosed = false
  let status = 0
  /** What came of a head that is not whole yet. */
  let head = Buffer.alloc(0)
  /** Bytes of the body that are still to come. */
  let missing = 0

  function end(how: number) {
    head = Buffer.alloc(0)
    missing = 0
    const tell = answered
    answered = () => {}
    tell(how)
  }

  function take(bytes: Buffer) {
    if (missing > 0) {
      missing -= bytes.length
      if (missing === 0) end(status)
      return
    }
    const all = head.length > 0 ? Buffer.concat([head, bytes]) : bytes
    const headEnd = all.indexOf(HEAD_END)
    if (headEnd < 0) {
      head = Buffer.from(all)
      return
    }
    const text = all.toString('latin1', 0, headEnd)
    status = Number(text.slice('HTTP/1.1 '.length, 'HTTP/1.1 200'.length))
    const length = Number(/\r\ncontent-length: (\d+)/i.exec(text)?.[1])
    missing = headEnd + HEAD_END.length + length - all.length
    if (!(missing > 0)) end(missing === 0 ? status : 0)
  }

  const connect = () =>
    Bun.connect({
      hostname,
      port: Number(port),
      socket: {
        data: (_, bytes) => take(bytes),
        close: () => end(0),
        error: () => end(0),
      },
    })

  let socket: Socket | undefined = await connect()
  return {
    async ask(request) {
      if (socket?.readyState !== 1 && !isClosed) socket = await connect().catch(() => undefined)
      if (!socket) return 0
      const answer = new Promise<number>((resolve) => {
        answered = resolve
      })
      if (socket.write(request) !== request.length) end(0)
      return answer
    },
    close() {
      isClosed = true
      socket?.end()
    },
  }
}
