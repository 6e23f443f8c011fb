/**
 * The second factor of somebody who is signed in: turned on in two steps, so that nobody turns on what their app can't
 * show; turned off, and given new recovery codes, by password and code.
 */
import type { Database } from '../../database/client.ts'
import type { Answer, Limited, WithCookies } from './answers.ts'
import type { Cookies } from './cookies.ts'
import * as emails from './email-templates.ts'
import type { Outbox } from './mail-queue.ts'
import type { PasswordCheck } from './password-check.ts'
import {
  countCodeAttempt,
  newRecoveryCodes,
  newSecret,
  stepOf,
  uriOf,
} from './second-factor-codes.ts'
import {
  beginSecret,
  type CodeMatch,
  matchCode,
  pendingSecret,
  renewRecoveryCodes,
  takeCode,
  turnOff,
  turnOn,
} from './second-factor-store.ts'
import { SESSION_LASTS_SECONDS, type Session } from './sessions.ts'
import { SIGNED_OUT, validCode, WRONG_CODE } from './sign-in.ts'
import { hashToken, newToken } from './tokens.ts'
import { FieldError } from './validation.ts'

interface FactorServices extends emails.Sender {
  database: Database
  cookies: Cookies
  outbox: Outbox
  check: PasswordCheck
}

/** Confirmation of an act by somebody who is signed in. */
export interface Proof {
  password: string
  code: string
}

type WithCodes<Outcome extends string> = { outcome: Outcome; codes: string[] }

/** Methods throw `DatabaseUnavailable`, and `TooBusy` where too many wait. `address` is the client's. */
export class SecondFactors {
  readonly #services: FactorServices
  readonly #database: Database

  constructor(services: FactorServices) {
    this.#services = services
    this.#database = services.database
  }

  /**
   * Makes a secret. The session gets a new token, whose browser alone may see it: whoever has a copy of the cookie of before is
   * out. `on`: there is a second factor already. @throws FieldError, `password` where it is wrong
   */
  async begin(
    session: Session,
    password: string,
    address: string,
  ): Promise<WithCookies<'begun'> | Answer<'on'>> {
    const verified = await this.#services.check.ofSession('password', session, password, address)
    if (verified.outcome === 'limited') return verified
    const { token } = newToken()
    const secret = await newSecret()
    const end = await beginSecret(this.#database, verified.user, session.id, secret, token)
    if (end === 'on') return { outcome: 'on' }
    if (end === null) throw new FieldError('password', SIGNED_OUT)
    const cookie = this.#services.cookies.setSession(token, SESSION_LASTS_SECONDS)
    return { outcome: 'begun', cookies: [cookie] }
  }

  /** Set-up of an app in this session; undefined if none was begun within the hour. */
  async setup(session: Session): Promise<{ secret: string; uri: string } | undefined> {
    const setup = await pendingSecret(this.#database, session)
    if (!setup) return undefined
    const { serviceName } = this.#services
    const { email } = session.user
    return { secret: setup.secret, uri: await uriOf(setup.secret, { serviceName, email }) }
  }

  /**
   * Turns on what this session began and ends the user's other sessions. `codes` are shown once. `expired`: there is
   * nothing begun any more. @throws FieldError, `code` where it is wrong
   */
  async turnOn(
    session: Session,
    typed: string,
    request: Request,
  ): Promise<WithCodes<'on'> | { outcome: 'expired' }> {
    const setup = await pendingSecret(this.#database, session)
    if (!setup) return { outcome: 'expired' }
    const digits = typed.normalize('NFKC').replace(/\s/g, '')
    const step = /^[0-9]{6}$/.test(digits)
      ? await stepOf(setup.secret, digits, Date.parse(setup.foundAt))
      : undefined
    if (step === undefined)
      throw new FieldError(
        'code',
        'Not the code that your app shows now. Is the clock of its device right?',
      )
    const { codes, hashes } = newRecoveryCodes()
    const isOn = await turnOn(this.#database, {
      userId: session.user.id,
      session: session.id,
      sessionHash: hashToken(this.#services.cookies.session(request) ?? ''),
      secret: setup.secret,
      step,
      recovery: hashes,
    })
    if (!isOn) return { outcome: 'expired' }
    await this.#notify(session, 'on')
    return { outcome: 'on', codes }
  }

  /** Takes password and code before what can't be undone: the code is good for this once. @throws FieldError, `password` or `code` where it is wrong */
  prove(session: Session, proof: Proof, address: string): Promise<Answer<'done'>> {
    return this.#confirmed(session, proof, address, (match) =>
      takeCode(this.#database, session.user.id, match),
    )
  }

  /** @throws FieldError, `password` or `code` where it is wrong */
  async turnOff(session: Session, proof: Proof, address: string): Promise<Answer<'done'>> {
    const off = (match: CodeMatch) => turnOff(this.#database, session.user.id, match)
    const answer = await this.#confirmed(session, proof, address, off)
    if (answer.outcome === 'done') await this.#notify(session, 'off')
    return answer
  }

  /** New recovery codes in place of all that are left. @throws FieldError, `password` or `code` where it is wrong */
  async renewCodes(
    session: Session,
    proof: Proof,
    address: string,
  ): Promise<WithCodes<'done'> | Limited> {
    const { codes, hashes } = newRecoveryCodes()
    const renew = (match: CodeMatch) =>
      renewRecoveryCodes(this.#database, session.user.id, match, hashes)
    const answer = await this.#confirmed(session, proof, address, renew)
    if (answer.outcome !== 'done') return answer
    await this.#notify(session, 'codes')
    return { outcome: 'done', codes }
  }

  /** Does what asks for password and code. @param act returns false where the code is not taken. @throws FieldError */
  async #confirmed(
    session: Session,
    { password, code }: Proof,
    address: string,
    act: (match: CodeMatch) => Promise<boolean>,
  ): Promise<Answer<'done'>> {
    const typed = validCode('code', code)
    const verified = await this.#services.check.ofSession('password', session, password, address)
    if (verified.outcome === 'limited') return verified
    const { id: knownAs, user } = session
    const isRecovery = 'recovery' in typed
    const by = { userId: user.id, address, knownAs, isRecovery }
    const attempt = await countCodeAttempt(this.#database, by)
    if (attempt.outcome === 'limited') return attempt
    const match = await matchCode(this.#database, user.id, typed)
    if (!match || !(await act(match))) throw new FieldError('code', WRONG_CODE)
    await attempt.refund()
    return { outcome: 'done' }
  }

  #notify({ user }: Session, change: emails.FactorChange): Promise<void> {
    return this.#services.outbox.send('factor', user.email, async () =>
      emails.factorChangedEmail(this.#services, change),
    )
  }
}
