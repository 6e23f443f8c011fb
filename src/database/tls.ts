/** TLS to PostgreSQL, as libpq's `sslmode` and `sslrootcert` ask for it in the URL. */
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { isIP, type Socket } from 'node:net'
import { type ConnectionOptions, connect } from 'node:tls'
import { ConfigError } from '../config.ts'
import { SSL_MODES, type SslMode, urlOfEachHost } from '../database-url.ts'

/** How the connections to one server are protected. */
export interface Transport {
  readonly mode: SslMode
  /** Who may have signed the server's certificate, as PEM; undefined: whom the runtime trusts. */
  readonly ca: string | undefined
  /** True if the next connection asks for TLS: `allow` and `prefer` go the other way where the server refuses one. */
  asksForTls: boolean
  /** True while the next connection asks for settings that a pooler may refuse. */
  takesSettings: boolean
}

/** An SSLRequest: its length, then the code 1234.5679. */
const SSL_REQUEST = Buffer.from([0, 0, 0, 8, 4, 210, 22, 47])
const YES = 'S'.charCodeAt(0)
const ERROR = 'E'.charCodeAt(0)
/** The SQLSTATE with which pg_hba.conf turns a connection away, as a field of an error. */
const TURNED_AWAY = 'C28000\0'

/**
 * Takes the parameters of TLS off a database's URL, because the driver would send `sslrootcert` to the server.
 * @param variable what the URL is the value of, for errors
 * @throws ConfigError naming a mode that doesn't exist or a file that can't be read
 */
export function takeTransport(
  url: string,
  variable = 'DATABASE_URL',
): { url: string; transport: Transport } {
  const rest = new URL(urlOfEachHost(url)?.[0] ?? url)
  // The driver's own word for it, which earlier versions took: a URL that demanded TLS goes on demanding it.
  const earlier = rest.searchParams.get('ssl')?.replace(/^true$/, 'require')
  const asked =
    rest.searchParams.get('sslmode') ?? earlier?.replace(/^false$/, 'disable') ?? 'prefer'
  const file = rest.searchParams.get('sslrootcert') ?? ''
  for (const name of ['sslmode', 'ssl']) rest.searchParams.delete(name)
  rest.searchParams.delete('sslrootcert')
  const mode = SSL_MODES.find((each) => each === withAuthority(asked, file))
  if (!mode) {
    throw new ConfigError([`${variable}: expected sslmode to be one of ${SSL_MODES.join(', ')}`])
  }
  const ca =
    /^verify/.test(mode) && file && file !== 'system' ? readAuthorities(file, variable) : undefined
  const asksForTls = mode !== 'disable' && mode !== 'allow'
  return { url: rest.href, transport: { mode, ca, asksForTls, takesSettings: true } }
}

/** As in libpq, `require` verifies where an authority is named, and the system's authorities go with names alone. */
function withAuthority(mode: string, file: string): string {
  if (file === 'system') return 'verify-full'
  return mode === 'require' && file ? 'verify-ca' : mode
}

function readAuthorities(file: string, variable: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch {
    const expected = 'expected sslrootcert to name a readable file of certificates (PEM), or system'
    throw new ConfigError([`${variable}: ${expected}, got ${JSON.stringify(file)}`])
  }
}

/**
 * Gives a connected socket the protection that its transport asks for.
 * @throws the error of TLS; one with the code NO_TLS where the server speaks none
 */
export async function protect(socket: Socket, host: string, transport: Transport): Promise<Socket> {
  const { mode, ca, asksForTls } = transport
  const takesEither = mode === 'allow' || mode === 'prefer'
  let opened = socket
  if (asksForTls) {
    if (await offersTls(socket)) {
      const secure = connect({ socket, host, ...verification(mode, ca, host) })
      await untilEvent(secure, 'secureConnect')
      opened = secure
    } else if (!takesEither) {
      throw Object.assign(new Error('the server speaks no TLS'), { code: 'NO_TLS' })
    }
  }
  if (takesEither) {
    // The first message is an error where pg_hba.conf knows no line for connections of this kind.
    opened.once('data', (message: Buffer) => {
      if (message[0] === ERROR && message.includes(TURNED_AWAY)) transport.asksForTls = !asksForTls
    })
  }
  return opened
}

async function offersTls(socket: Socket): Promise<boolean> {
  socket.write(SSL_REQUEST)
  const answer = await untilEvent(socket, 'data')
  // More than the one byte would be text that somebody put before the encrypted part.
  return Buffer.isBuffer(answer) && answer.length === 1 && answer[0] === YES
}

function verification(mode: SslMode, ca: string | undefined, host: string): ConnectionOptions {
  // An address is no name to ask for.
  const name = isIP(host) === 0 ? { servername: host } : {}
  const authorities = ca === undefined ? {} : { ca }
  if (mode === 'verify-full') return { ...name, ...authorities }
  if (mode === 'verify-ca') return { ...name, ...authorities, checkServerIdentity: () => undefined }
  return { ...name, rejectUnauthorized: false }
}

/** Resolves with what comes with an event. @throws the socket's error, also where it is closed before */
async function untilEvent(socket: Socket, event: string): Promise<unknown> {
  const closed = once(socket, 'close').then(() => {
    throw Object.assign(new Error('the server hung up'), { code: 'CONNECTION_CLOSED' })
  })
  const [value] = await Promise.race([once(socket, event), closed])
  return value
}
