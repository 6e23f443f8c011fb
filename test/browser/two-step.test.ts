/** Two-step sign-in in Chromium: pages that fit and that axe finds nothing on, and every flow without script. */
import { describe, expect, test } from 'bun:test'
import { Secret, TOTP } from 'otpauth'
import { CHROMIUM, sharedSite } from './chromium.ts'
import { lookAt } from './looks.ts'
import { PASSWORD, signUp, startTravel, type Traveller } from './traveller.ts'

const site = sharedSite()
const PAGE = '/settings/two-step'
const NARROW = { width: 360, height: 740 }

const codeOf = (secret: string, steps = 0) =>
  TOTP.generate({ secret: Secret.fromBase32(secret), timestamp: Date.now() + steps * 30_000 })

/** Turns it on as a person does. @returns the secret and the recovery codes, from the file */
async function turnOn(traveller: Traveller, look: (what: string) => Promise<void>) {
  const { page, go, fill, press, download } = traveller
  await go(PAGE)
  await look('two-step sign-in, off')
  await fill('Your password', PASSWORD)
  await press('Set up')
  await look('two-step sign-in, the picture')
  const secret = ((await page.locator('.code code').textContent()) ?? '').replaceAll(' ', '')
  await fill('Code', codeOf(secret, 5))
  await press('Turn on')
  await look('two-step sign-in, a wrong code')
  await fill('Code', codeOf(secret))
  await press('Turn on')
  await look('recovery codes')
  const file = await download('Download as text', 'link')
  return { secret, codes: file.match(/^(\w{4}-){3}\w{4}$/gm) ?? [] }
}

async function signOutAndIn({ go, press, fill }: Traveller, email: string) {
  await go('/sign-out')
  await press('Sign out')
  await go('/sign-in?returnUrl=%2Fkeys')
  await fill('E-mail', email)
  await fill('Password', PASSWORD)
  await press('Sign in')
}

describe.skipIf(!CHROMIUM)('in Chromium', () => {
  test('its pages break no rule of the policy, fit, and axe finds nothing', async () => {
    const traveller = await startTravel(site)
    const { page, wrongs, close, go, fill, press } = traveller
    const email = 'careful@example.com'
    await signUp(traveller, { name: 'Ada', email })
    const look = async (what: string) => {
      await lookAt(page, what)
      await page.setViewportSize(NARROW)
      const width = await page.evaluate(() => document.documentElement.scrollWidth)
      expect([what, width]).toEqual([what, NARROW.width])
    }
    const { secret, codes } = await turnOn(traveller, look)
    expect(codes.length).toBe(10)
    for (const path of [PAGE, `${PAGE}/codes`, `${PAGE}/off`]) {
      await go(path)
      await look(path)
    }
    await signOutAndIn(traveller, email)
    await look('the second step')
    await press('I don’t have my app: use a recovery code', 'link')
    await look('the second step, a recovery code')
    await press('Use the code of my app', 'link')
    await fill('Code', codeOf(secret, 1))
    await press('Sign in')
    expect(new URL(page.url()).pathname).toBe('/keys')
    expect(wrongs).toEqual([])
    await close()
  })

  test('without script it is turned on, signed in with by a recovery code, and turned off', async () => {
    const traveller = await startTravel(site, { javaScriptEnabled: false, viewport: NARROW })
    const { page, close, go, fill, press } = traveller
    const email = 'plain@example.com'
    await signUp(traveller, { name: 'Ben', email })
    const { codes } = await turnOn(traveller, async () => {})
    await signOutAndIn(traveller, email)
    await press('I don’t have my app: use a recovery code', 'link')
    await fill('Recovery code', codes[0] ?? '')
    await press('Sign in')
    expect(new URL(page.url()).pathname).toBe('/keys')
    await go(`${PAGE}/off`)
    await fill('Your password', PASSWORD)
    await fill('Code', codes[1] ?? '')
    await press('Turn off')
    expect(await page.textContent('.notice')).toContain('is off')
    await close()
  })
})
