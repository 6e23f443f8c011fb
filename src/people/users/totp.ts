/**
 * Codes of an app, as RFC 6238 has them: six digits, another code in each time step of 30 seconds. Every app knows this
 * form; longer codes and other hashes not all of them.
 */
const DIGITS = 6
const STEP_SECONDS = 30
/** Steps by which a clock may be ahead or behind. */
const TOLERANCE = 1
/** Length recommended by RFC 4226: 160 bits. */
const SECRET_BYTES = 20
/** Characters of a name in an app's list; more would make a picture that is hard to scan. */
const MAX_NAME = 60

/** Loaded when first asked for: a start doesn't need it. */
const library = () => import('otpauth')

/** A new secret in base32. */
export async function newSecret(): Promise<string> {
  const { Secret } = await library()
  return new Secret({ size: SECRET_BYTES }).base32
}

/** Content of the QR code: an `otpauth:` URI. */
export async function uriOf(
  secret: string,
  { serviceName, email }: { serviceName: string; email: string },
): Promise<string> {
  const { TOTP } = await library()
  const [issuer, label] = [serviceName, email].map((name) => [...name].slice(0, MAX_NAME).join(''))
  const kind = { algorithm: 'SHA1', digits: DIGITS, period: STEP_SECONDS } as const
  return new TOTP({ ...kind, issuer: issuer ?? '', label: label ?? '', secret }).toString()
}

/**
 * The time step whose code this is, now or a step before or after.
 * @param digits six digits 0 to 9 @param now the database's time, epoch milliseconds
 * @returns steps since 1970; undefined where the code is another
 */
export async function stepOf(
  secret: string,
  digits: string,
  now: number,
): Promise<number | undefined> {
  const { TOTP, Secret } = await library()
  const found = TOTP.validate({
    token: digits,
    secret: Secret.fromBase32(secret),
    algorithm: 'SHA1',
    digits: DIGITS,
    period: STEP_SECONDS,
    timestamp: now,
    window: TOLERANCE,
  })
  return found === null ? undefined : Math.floor(now / 1_000 / STEP_SECONDS) + found
}
