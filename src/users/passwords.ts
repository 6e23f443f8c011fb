/** Password hashes by scrypt. A semaphore lets few run at once: each takes 32 MB and a quarter of a second. */
import { randomBytes, type ScryptOptions, scrypt, timingSafeEqual } from 'node:crypto'
import { promisify } from 'node:util'

/** Too many passwords wait to be hashed. */
export class PasswordsBusy extends Error {
  override name = 'PasswordsBusy'
}

/** One of OWASP's recommendations for scrypt. Memory is 128 * cost * block bytes. */
const SETTINGS = { cost: 2 ** 15, block: 8, parallel: 3 }
type HashSettings = typeof SETTINGS

const HASH_BYTES = 32
const SALT_BYTES = 16
const MAX_MEMORY_BYTES = 64 * 1024 * 1024

const scryptHash = promisify<string, Buffer, number, ScryptOptions, Buffer>(scrypt)

const MAX_AT_ONCE = 2
const MAX_WAITING = 50

export type Passwords = ReturnType<typeof createPasswords>

export function createPasswords(settings = SETTINGS) {
  const limited = createSemaphore()
  const dummy = format(settings, randomBytes(SALT_BYTES), randomBytes(HASH_BYTES))
  return {
    /** @returns `scrypt$cost$block$parallel$salt$hash`: old hashes stay valid when the settings change. @throws PasswordsBusy */
    async hash(password: string): Promise<string> {
      const salt = randomBytes(SALT_BYTES)
      return format(settings, salt, await limited(() => derive(password, salt, settings)))
    },
    /**
     * Whether `password` belongs to the hash `stored`. Without a hash (no user has the address) it computes one all
     * the same, so that the time doesn't tell whether the address has an account. @throws PasswordsBusy
     */
    async verify(password: string, stored: string | undefined): Promise<boolean> {
      const { salt, hash, ...made } = parse(stored ?? dummy)
      const found = await limited(() => derive(password, salt, made))
      return timingSafeEqual(found, hash) && stored !== undefined
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

/** Runs `MAX_AT_ONCE` pieces of work at once and queues `MAX_WAITING` more, first in, first out. */
function createSemaphore() {
  const queue: (() => void)[] = []
  let running = 0
  return async <T>(work: () => Promise<T>): Promise<T> => {
    if (running < MAX_AT_ONCE) running++
    else if (queue.length >= MAX_WAITING) throw new PasswordsBusy('too many passwords wait')
    else await new Promise<void>((resolve) => queue.push(resolve))
    try {
      return await work()
    } finally {
      // The next in the queue keeps this permit, so `running` stays and no newcomer overtakes it.
      const next = queue.shift()
      if (next) next()
      else running--
    }
  }
}
