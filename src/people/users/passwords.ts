/** Password hashes by scrypt, computed in the order of `password-queue.ts`. */
import { randomBytes, type ScryptOptions, scrypt, timingSafeEqual } from 'node:crypto'
import { promisify } from 'node:util'
import { PasswordQueue, type Place } from './password-queue.ts'

/** One of OWASP's recommendations for scrypt. Memory is 128 * cost * block bytes. */
const SETTINGS = { cost: 2 ** 15, block: 8, parallel: 3 }
type HashSettings = typeof SETTINGS

const HASH_BYTES = 32
const SALT_BYTES = 16
const MAX_MEMORY_BYTES = 64 * 1024 * 1024

const scryptHash = promisify<string, Buffer, number, ScryptOptions, Buffer>(scrypt)

export type Passwords = ReturnType<typeof createPasswords>

interface PasswordOptions {
  settings?: HashSettings
  /** These two say how strangers go on an account that is under attack: see `PasswordQueue`. */
  apartMs?: number
  processes?: number
}

export function createPasswords({ settings = SETTINGS, apartMs, processes }: PasswordOptions = {}) {
  const queue = new PasswordQueue(apartMs, processes)
  const dummy = format(settings, randomBytes(SALT_BYTES), randomBytes(HASH_BYTES))
  return {
    /** @returns `scrypt$cost$block$parallel$salt$hash`: old hashes stay valid when the settings change. @throws TooBusy */
    async hash(password: string, place: Place): Promise<string> {
      const salt = randomBytes(SALT_BYTES)
      return format(settings, salt, await queue.run(place, () => derive(password, salt, settings)))
    },
    /**
     * True if `password` belongs to the hash `stored`. Without a hash (no user has the address) it computes one all
     * the same, so that the time doesn't tell whether the address has an account. @throws TooBusy
     */
    async verify(password: string, stored: string | undefined, place: Place): Promise<boolean> {
      const { salt, hash, ...parameters } = parse(stored ?? dummy)
      const derived = await queue.run(place, () => derive(password, salt, parameters))
      return timingSafeEqual(derived, hash) && stored !== undefined
    },
  }
}

function format({ cost, block, parallel }: HashSettings, salt: Buffer, hash: Buffer): string {
  const bytes = [salt, hash].map((each) => each.toString('base64url'))
  return ['scrypt', cost, block, parallel, ...bytes].join('$')
}

function parse(stored: string) {
  const [, cost, block, parallel, salt = '', hash = ''] = stored.split('$')
  return {
    cost: Number(cost),
    block: Number(block),
    parallel: Number(parallel),
    salt: Buffer.from(salt, 'base64url'),
    hash: Buffer.from(hash, 'base64url'),
  }
}

function derive(password: string, salt: Buffer, settings: HashSettings): Promise<Buffer> {
  const { cost: N, block: r, parallel: p } = settings
  // The same password typed on another keyboard may come in another Unicode form.
  const text = password.normalize('NFKC')
  return scryptHash(text, salt, HASH_BYTES, { N, r, p, maxmem: MAX_MEMORY_BYTES })
}
