/** Confirmations of a reveal: tokens that say the price, are good for one person and one API key, and can't be made up. */
import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto'

/** How long somebody may think about it. */
const LASTS_SECONDS = 600

/** Terms that somebody agreed to. */
export interface Agreed {
  /** The most that the reveal may cost. */
  credits: number
  /** The same for each call with this confirmation, so that all are charged once. */
  idempotencyKey: string
}

/** The confirmation is not good for this; the message says what to do. */
export class ConfirmationRefused extends Error {
  override name = 'ConfirmationRefused'
}

/**
 * Signed with a secret that is derived from the caller's API key: nothing has to be remembered, and a confirmation is good in another
 * process of the same key, as where each call starts one.
 */
export class Confirmations {
  readonly #secret: Buffer
  readonly #now: () => number

  /** @param now milliseconds since 1970 */
  constructor(apiKey: string, now: () => number = Date.now) {
    this.#secret = createHmac('sha256', apiKey).update('chainkin mcp confirmations').digest()
    this.#now = now
  }

  /** A token such as `10-credits.tdq3k0.9f…`: price, end and number are readable, and none can be changed. */
  issue(person: string, credits: number): string {
    const ends = Math.floor(this.#now() / 1_000) + LASTS_SECONDS
    const open = `${credits}-credits.${ends.toString(36)}.${randomBytes(9).toString('hex')}`
    return `${open}.${this.#sign(open, person)}`
  }

  /** @param person the id or slug, as the model named it. @throws ConfirmationRefused */
  check(token: string, person: string): Agreed {
    const parts = /^((\d{1,9})-credits\.([0-9a-z]{1,9})\.([0-9a-f]{18}))\.([0-9a-f]{32})$/.exec(
      token,
    )
    const [, open = '', credits = '', ends = '', number = '', signature = ''] = parts ?? []
    const expected = Buffer.from(this.#sign(open, person))
    const sent = Buffer.from(signature)
    if (!parts || sent.length !== expected.length || !timingSafeEqual(sent, expected)) {
      throw new ConfirmationRefused(
        'This confirmation is not of this person and this API key. Nothing was charged. Call reveal_contact without confirm, and ask about the price that it says.',
      )
    }
    if (Number.parseInt(ends, 36) * 1_000 <= this.#now()) {
      throw new ConfirmationRefused(
        `This confirmation is older than ${LASTS_SECONDS / 60} minutes. Nothing was charged. Call reveal_contact without confirm, and ask again.`,
      )
    }
    return { credits: Number(credits), idempotencyKey: `mcp-${number}` }
  }

  #sign(open: string, person: string): string {
    const text = JSON.stringify([open, person.toLowerCase()])
    return createHmac('sha256', this.#secret).update(text).digest('hex').slice(0, 32)
  }
}
