/**
 * Password hashes: scrypt, which the runtime computes on threads of its own, so that the API answers
 * meanwhile. Few at once: each takes 32 MB and a quarter of a second of a processor.
 */
import { randomBytes, scrypt, timingSafeEqual } from 'node:crypto'

/** Memory is 128 * cost * block bytes. */
export interface HashSettings {
  cost: number
  block: number
  parallel: number
}

export interface Passwords {
  /** `scrypt$cost$block$parallel$salt$hash`, so that the settings can change with the years. @throws PasswordsBusy */
  hash(password: string): Promise<string>
  /**
   * Whether `password` is the one of `stored`. Without one (nobody has that address) the same work is done
   * for nothing, so that the time tells nobody who has an account. @throws PasswordsBusy
   */
  verify(password: string, stored: string | undefined): Promise<boolean>
}

/** More people sign in at once than can be checked. */
export class PasswordsBusy extends Error {
  override name = 'PasswordsBusy'
}

/** One of OWASP's recommendations for scrypt. */
const SETTINGS: HashSettings = { cost: 2 ** 15, block: 8, parallel: 3 }
const HASH_BYTES = 32
const SALT_BYTES = 16
const MAX_MEMORY_BYTES = 64 * 1024 * 1024

const MAX_AT_ONCE = 2
const MAX_WAITING = 50

export function createPasswords(settings = SETTINGS): Passwords {
  const inTurn = createTurnstile()
  const nobodys = written(settings, randomBytes(SALT_BYTES), randomBytes(HASH_BYTES))
  return {
    async hash(password) {
      const salt = randomBytes(SALT_BYTES)
      return written(settings, salt, await inTurn(() => derive(password, salt, settings)))
    },
    async verify(password, stored) {
      const { salt, hash, ...made } = read(stored ?? nobodys)
      const found = await inTurn(() => derive(password, salt, made))
      return timingSafeEqual(found, hash) && stored !== undefined
    },
  }
}

function written({ cost, block, parallel }: HashSettings, salt: Buffer, hash: Buffer): string {
  const bytes = [salt, hash].map((each) => each.toString('base64url'))
  return ['scrypt', cost, block, parallel, ...bytes].join('$')
}

function read(stored: string) {
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
  return new Promise((resolve, reject) => {
    scrypt(text, salt, HASH_BYTES, { N, r, p, maxmem: MAX_MEMORY_BYTES }, (error, hash) =>
      error ? reject(error) : resolve(hash),
    )
  })
}

/** Lets a few pieces of work run at once; the others wait, in order, and too many are turned away. */
function createTurnstile() {
  const waiting: (() => void)[] = []
  let running = 0
  return async <T>(work: () => Promise<T>): Promise<T> => {
    if (running < MAX_AT_ONCE) running++
    else if (waiting.length >= MAX_WAITING) throw new PasswordsBusy('too many passwords wait')
    else await new Promise<void>((resolve) => waiting.push(resolve))
    try {
      return await work()
    } finally {
      // The place is handed over, not given up: nobody can slip in between.
      const next = waiting.shift()
      if (next) next()
      else running--
    }
  }
}
