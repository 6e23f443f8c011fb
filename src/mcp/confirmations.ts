/** Confirmations of a reveal: tokens that say the price, are good for one person and one caller, and can't be made up. */
import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto'

/** How long somebody may think about it. */
const LASTS_SECONDS = 600

/** What a confirmation is for. */
export interface Reveal {
  /** Whose session it is. */
  caller: string
  /** The person's id or slug, as the model named it. */
  person: string
}

/** What somebody has agreed to. */
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

/** Signed with a key of this process, so that nothing has to be remembered: a restart asks again. */
export class Confirmations {
  readonly #key = randomBytes(32)
  readonly #now: () => number

  /** @param now milliseconds since 1970 */
  constructor(now: () => number = Date.now) {
    this.#now = now
  }

  /** A token such as `10-credits.tdq3k0.9f…`: price, end and number are readable, and none can be changed. */
  issue(reveal: Reveal, credits: number): string {
    const ends = Math.floor(this.#now() / 1_000) + LASTS_SECONDS
    const open = `${credits}-credits.${ends.toString(36)}.${randomBytes(9).toString('hex')}`
    return `${open}.${this.#sign(open, reveal)}`
  }

  /** @throws ConfirmationRefused */
  check(token: string, reveal: Reveal): Agreed {
    const parts = /^((\d{1,9})-credits\.([0-9a-z]{1,9})\.([0-9a-f]{18}))\.([0-9a-f]{32})$/.exec(
      token,
    )
    const [, open = '', credits = '', ends = '', number = '', signature = ''] = parts ?? []
    const expected = Buffer.from(this.#sign(open, reveal))
    const sent = Buffer.from(signature)
    if (!parts || sent.length !== expected.length || !timingSafeEqual(sent, expected)) {
      throw new ConfirmationRefused(
        'This confirmation is not of this person and this session. Nothing was charged. Call reveal_contact without confirm, and ask about the price that it says.',
      )
    }
    if (Number.parseInt(ends, 36) * 1_000 <= this.#now()) {
      throw new ConfirmationRefused(
        `This confirmation is older than ${LASTS_SECONDS / 60} minutes. Nothing was charged. Call reveal_contact without confirm, and ask again.`,
      )
    }
    return { credits: Number(credits), idempotencyKey: `mcp-${number}` }
  }

  #sign(open: string, { caller, person }: Reveal): string {
    const text = JSON.stringify([open, caller, person.toLowerCase()])
    return createHmac('sha256', this.#key).update(text).digest('hex').slice(0, 32)
  }
}
