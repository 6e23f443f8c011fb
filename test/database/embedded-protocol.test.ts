/**
 * The hazard that turns exist for, made certain: clients that speak the protocol by hand leave their exchange open
 * while another one sends its own.
 */
import { describe, expect, test } from 'bun:test'
import { createConnection, type Socket } from 'node:net'
import { openEmbedded } from '../../src/database/embedded.ts'
import { shared, sharedDirectory } from '../helpers/shared.ts'

const directory = sharedDirectory()
const embedded = shared(
  () => openEmbedded(directory.path),
  ({ stop }) => stop(),
)

const text = (value: string) => Buffer.from(`${value}\0`)
const int16 = (value: number) => Buffer.from([value >> 8, value & 255])

function message(type: string, ...parts: Buffer[]): Buffer {
  const body = Buffer.concat(parts)
  const length = Buffer.alloc(4)
  length.writeInt32BE(body.length + 4)
  return Buffer.concat([Buffer.from(type), length, body])
}

/** The unnamed statement and portal, which every client of one session shares. */
const parse = (sql: string) => message('P', text(''), text(sql), int16(0))
const bind = () => message('B', text(''), text(''), int16(0), int16(0), int16(0))
const execute = () => message('E', text(''), Buffer.alloc(4))
const flush = () => message('H')
const sync = () => message('S')

interface Received {
  type: string
  body: Buffer
}

/** One connection; what it received can be waited for by type. */
class Client {
  readonly received: Received[] = []
  readonly #socket: Socket
  #rest = Buffer.alloc(0)
  #onReceived: () => void = () => {}

  private constructor(socket: Socket) {
    this.#socket = socket
    socket.on('data', (data) => this.#read(Buffer.from(data)))
    socket.on('error', () => {})
  }

  static async connect(): Promise<Client> {
    const client = new Client(createConnection({ path: embedded.socketPath }))
    const startup = [Buffer.from([0, 3, 0, 0]), text('user'), text('postgres'), text('')]
    client.#socket.write(message('', ...startup))
    await client.next('Z')
    return client
  }

  send(...messages: Buffer[]) {
    this.#socket.write(Buffer.concat(messages))
  }

  /** The values of the rows received up to the next ReadyForQuery, or the error's text. */
  async answer(): Promise<string[]> {
    const end = await this.next('Z')
    return this.received.splice(0, end).flatMap(({ type, body }) => {
      if (type === 'E') return [body.toString()]
      return type === 'D' ? [body.subarray(6).toString()] : []
    })
  }

  /** Waits for a message of a type and gives its position; everything up to it stays in `received`. */
  async next(type: string): Promise<number> {
    for (;;) {
      const position = this.received.findIndex((one) => one.type === type)
      if (position >= 0) {
        if (type === 'Z') this.received.splice(position, 1)
        return position
      }
      await new Promise<void>((resolve) => {
        this.#onReceived = resolve
      })
    }
  }

  close() {
    this.#socket.destroy()
  }

  #read(data: Buffer) {
    this.#rest = Buffer.concat([this.#rest, data])
    while (this.#rest.length >= 5) {
      const end = 1 + this.#rest.readInt32BE(1)
      if (this.#rest.length < end) break
      const body = this.#rest.subarray(5, end)
      this.received.push({ type: String.fromCharCode(this.#rest[0] ?? 0), body })
      this.#rest = this.#rest.subarray(end)
    }
    this.#onReceived()
  }
}

describe('exchanges that overlap', () => {
  test('8 clients that send their exchanges in pieces, all at once, get only answers of their own', async () => {
    const clients = await Promise.all(Array.from({ length: 8 }, () => Client.connect()))
    const work = clients.map(async (client, number) => {
      client.received.length = 0
      for (let turn = 0; turn < 25; turn++) {
        client.send(parse(`select '${number}/${turn}'`), flush())
        await client.next('1')
        client.send(bind(), flush())
        await client.next('2')
        client.send(execute(), sync())
        expect(await client.answer()).toEqual([`${number}/${turn}`])
      }
    })
    await Promise.all(work)
    for (const client of clients) client.close()
  })

  test('a client that leaves between Bind and Execute holds up nobody', async () => {
    const [leaver, other] = await Promise.all([Client.connect(), Client.connect()])
    leaver.received.length = 0
    other.received.length = 0
    leaver.send(parse('select 1'), bind(), flush())
    await leaver.next('2')
    other.send(parse("select 'still served'"), bind(), execute(), sync())
    leaver.close()
    expect(await other.answer()).toEqual(['still served'])
    other.close()
  })

  test('an exchange that fails ends at its Sync, and the next one is answered', async () => {
    const [ada, ben] = await Promise.all([Client.connect(), Client.connect()])
    ada.received.length = 0
    ben.received.length = 0
    ada.send(parse('select 1/0'), bind(), flush())
    ben.send(parse("select 'of ben'"), bind(), execute(), sync())
    ada.send(execute(), sync())
    const [error = ''] = await ada.answer()
    expect(error).toContain('22012')
    expect(await ben.answer()).toEqual(['of ben'])
    ada.close()
    ben.close()
  })
})
