/** Two-step sign-in on its pages: each flow by forms alone, as a browser without script sends them. */
import { expect, test } from 'bun:test'
import { Secret, TOTP } from 'otpauth'
import { shared, sharedService } from '../helpers/shared.ts'
import { turnOnTwoSteps } from '../people/users/fixtures.ts'
import { textIn } from './reading.ts'
import { csrfIn, PASSWORD, type Person, startTown, type Visitor } from './visitor.ts'

const service = sharedService()
const town = shared(() => startTown(service, { mails: true }))

const PAGE = '/settings/two-step'

const codeOf = (secret: string, steps = 0) =>
  TOTP.generate({ secret: Secret.fromBase32(secret), timestamp: Date.now() + steps * 30_000 })

const codesIn = (html: string) => html.match(/\b([0-9a-z]{4}-){3}[0-9a-z]{4}\b/g) ?? []

/** Begins to turn it on and reads the secret from the page, as somebody without a camera does. */
async function beginOn(person: Visitor): Promise<{ html: string; secret: string }> {
  const begun = await person.submit(PAGE, { action: 'begin', password: PASSWORD })
  expect([begun.status, begun.headers.get('location')]).toEqual([303, PAGE])
  const html = await person.text(PAGE)
  const [, shown = ''] = /<code>([A-Z2-7 ]+)<\/code>/.exec(html) ?? []
  return { html, secret: shown.replaceAll(' ', '') }
}

interface Careful extends Person {
  secret: string
  codes: string[]
}

/** Somebody who has turned it on. */
async function careful(): Promise<Careful> {
  const person = await town.person()
  return { ...person, ...(await turnOnTwoSteps(service.sql, person.userId)) }
}

async function firstStep(visitor: Visitor, email: string, returnUrl = '/keys?x=1') {
  const page = `/sign-in?${new URLSearchParams({ returnUrl })}`
  return visitor.submit(page, { email, password: PASSWORD, returnUrl })
}

test('is turned on by the picture or the secret, and shows ten recovery codes once', async () => {
  const person = await town.person()
  expect(textIn(await person.text('/settings'))).toContain('Turn on two-step sign-in')
  const { html, secret } = await beginOn(person)
  expect(secret).toMatch(/^[A-Z2-7]{32}$/)
  expect(html).toContain('<svg class="qr"')
  expect(html).toContain(`secret=${secret}`)
  const wrong = await person.submit(PAGE, { action: 'on', code: codeOf(secret, 5) })
  expect(wrong.status).toBe(422)
  expect(await wrong.text()).toContain(secret.slice(0, 4))
  const on = await person.submit(PAGE, { action: 'on', code: codeOf(secret) })
  expect([on.status, on.headers.get('cache-control')]).toEqual([200, 'no-store'])
  const shown = await on.text()
  expect(new Set(codesIn(shown)).size).toBe(10)
  const [, file = ''] = /href="data:text\/plain;charset=utf-8,([^"]*)"/.exec(shown) ?? []
  expect(new Set(codesIn(decodeURIComponent(file)))).toEqual(new Set(codesIn(shown)))
  const after = await person.text(PAGE)
  expect(codesIn(after)).toEqual([])
  expect(after).not.toContain(secret)
  expect(textIn(after)).toContain('10 recovery codes are left')
  expect(textIn(await person.text('/settings'))).toContain('On Signing in asks for a code')
})

test('signing in asks for a code after the password and leads back to where one was', async () => {
  const { email, secret } = await careful()
  const visitor = town.visitor()
  const first = await firstStep(visitor, email)
  const next = `/sign-in/code?${new URLSearchParams({ returnUrl: '/keys?x=1' })}`
  expect([first.status, first.headers.get('location')]).toEqual([303, next])
  expect(visitor.cookies.has('__Host-ck_session')).toBe(false)
  expect(first.headers.getSetCookie().join()).toMatch(
    /__Host-ck_pending=[\w-]{43}; Max-Age=600; Path=\/; HttpOnly; Secure; SameSite=Lax/,
  )
  const typed = codeOf(secret, 9)
  const wrong = await visitor.submit(next, { code: typed, returnUrl: '/keys?x=1' })
  expect(wrong.status).toBe(422)
  const again = await wrong.text()
  expect(textIn(again)).toContain('Wrong code')
  expect(again).not.toContain(typed)
  const done = await visitor.submit(next, { code: codeOf(secret, 1), returnUrl: '/keys?x=1' })
  expect([done.status, done.headers.get('location')]).toEqual([303, '/keys?x=1'])
  expect(visitor.cookies.has('__Host-ck_pending')).toBe(false)
  expect((await visitor.get('/keys')).status).toBe(200)
})

test('a recovery code is asked for on the same way', async () => {
  const { email, codes } = await careful()
  const visitor = town.visitor()
  await firstStep(visitor, email)
  const page = await visitor.text('/sign-in/code')
  expect(page).toContain('href="/sign-in/code?by=recovery"')
  const done = await visitor.submit('/sign-in/code?by=recovery', { code: codes[3] ?? '' })
  expect(done.headers.get('location')).toBe('/overview')
  expect(textIn(await visitor.text(PAGE))).toContain('9 recovery codes are left')
})

test('the page of the code leads to signing in where no password came before', async () => {
  const visitor = town.visitor()
  const page = await visitor.get('/sign-in/code?returnUrl=%2Fkeys')
  expect([page.status, page.headers.get('location')]).toEqual([303, '/sign-in?returnUrl=%2Fkeys'])
  const sent = await visitor.submit('/sign-in', { code: '000000' }, '/sign-in/code')
  expect(sent.headers.get('location')).toBe('/sign-in?said=late')
  const elsewhere = await careful()
  await firstStep(visitor, elsewhere.email, 'https://evil.example/x')
  const done = await visitor.submit('/sign-in/code', {
    code: elsewhere.codes[0] ?? '',
    returnUrl: '//evil.example',
  })
  expect(done.headers.get('location')).toBe('/overview')
})

test('a pending sign-in opens no page and takes no form from another site', async () => {
  const { email, secret } = await careful()
  const visitor = town.visitor()
  await firstStep(visitor, email)
  expect((await visitor.get('/settings')).headers.get('location')).toContain('/sign-in')
  const csrf = csrfIn(await visitor.text('/sign-in/code'))
  const form: [string, string][] = [
    ['csrf', csrf],
    ['code', codeOf(secret, 1)],
  ]
  const foreign = await visitor.post('/sign-in/code', form, { 'sec-fetch-site': 'cross-site' })
  expect(foreign.status).toBe(403)
  const stolen = town.visitor()
  const own = csrfIn(await stolen.text('/sign-in'))
  const unbound = await stolen.post('/sign-in/code', [['csrf', own], ...form.slice(1)])
  expect(unbound.headers.get('location')).toBe('/sign-in?said=late')
})

test('is turned off, and recovery codes are made anew, by password and code', async () => {
  const person = await careful()
  const [one = '', two = ''] = person.codes
  for (const path of [`${PAGE}/codes`, `${PAGE}/off`]) {
    const refused = await person.submit(path, { password: 'wrong', code: one })
    const shown = await refused.text()
    expect([refused.status, codesIn(shown), shown.includes(one)]).toEqual([422, [], false])
  }
  const made = await person.submit(`${PAGE}/codes`, { password: PASSWORD, code: one })
  const codes = [...new Set(codesIn(await made.text()))]
  expect(codes.length).toBe(10)
  expect((await person.submit(`${PAGE}/off`, { password: PASSWORD, code: two })).status).toBe(422)
  const off = await person.submit(`${PAGE}/off`, { password: PASSWORD, code: codes[0] ?? '' })
  expect(off.headers.get('location')).toBe(`${PAGE}?said=off`)
  expect(textIn(await person.text(off.headers.get('location') ?? ''))).toContain('is off')
  const visitor = town.visitor()
  expect((await firstStep(visitor, person.email)).headers.get('location')).toBe('/keys?x=1')
})

test('no address, no header and no mail holds the secret or a code', async () => {
  const before = town.letters.length
  const { email, ...person } = await town.person()
  const { secret } = await beginOn(person)
  const on = await person.submit(PAGE, { action: 'on', code: codeOf(secret) })
  const codes = [...new Set(codesIn(await on.text()))]
  expect(codes.length).toBe(10)
  const visitor = town.visitor()
  const answers = [await firstStep(visitor, email)]
  answers.push(await visitor.submit('/sign-in/code', { code: codes[0] ?? '' }))
  answers.push(await person.submit(`${PAGE}/off`, { password: PASSWORD, code: codes[1] ?? '' }))
  expect(answers.map(({ status }) => status)).toEqual([303, 303, 303])
  const letters = town.letters.slice(before).filter(({ to }) => to === email)
  expect(letters.map(({ subject }) => subject).slice(1)).toEqual([
    expect.stringContaining('Two-step sign-in'),
    expect.stringContaining('recovery code was used'),
    expect.stringContaining('Two-step sign-in'),
  ])
  const said = JSON.stringify([letters, answers.map(({ headers }) => [...headers])])
  for (const one of [secret, ...codes]) expect(said).not.toContain(one)
})
