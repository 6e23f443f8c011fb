/** The way back: where one was going, and what one had written when a session ended, come back after signing in. */
import { describe, expect, test } from 'bun:test'
import { ROUTES } from '../../src/site/routes.ts'
import { ADA, fixtures } from '../helpers/fixtures.ts'
import { shared, sharedService } from '../helpers/shared.ts'
import { operatorIn } from './operators.ts'
import { factIn, formIn, textIn } from './reading.ts'
import { addressOf } from './site.ts'
import { csrfIn, loadForm, PASSWORD, type Person, startTown, type Visitor } from './visitor.ts'

const service = sharedService(fixtures)
const town = shared(() => startTown(service))
const mailedService = sharedService(fixtures)
const mailed = shared(() => startTown(mailedService, { mails: true }))

const locationOf = (answer: Response) => answer.headers.get('location') ?? ''
const returnUrlIn = (to: string) => new URL(to, 'http://here').searchParams.get('returnUrl') ?? ''

/** Ends every session of the person's. */
const endSessions = ({ userId }: Person) =>
  service.sql`delete from sessions where user_id = ${userId}`

/** Signs in by the page of this address. @returns where that leads */
async function signInAt(someone: Visitor, email: string, to: string): Promise<string> {
  const form = formIn(await someone.text(to), '/sign-in') ?? new URLSearchParams()
  form.set('email', email)
  form.set('password', PASSWORD)
  const answer = await someone.post('/sign-in', form)
  expect(answer.status).toBe(303)
  return locationOf(answer)
}

async function withContact(): Promise<Person> {
  const someone = await town.customer(100, 'pro')
  const path = `/people/${ADA.slug}`
  await someone.post(path, await loadForm(someone, path))
  return someone
}

const NOTE = 'Met in Lisbon. <b>Asked</b> for a deck\n– call her in May, ü 漢'

describe('a session that ends in the middle of a form', () => {
  test('loses nothing that was written: it is there after signing in, with its record, and is sent by one press', async () => {
    const someone = await withContact()
    const page = `/contacts/note?id=${ADA.id}`
    const csrf = csrfIn(await someone.text(page))
    await endSessions(someone)
    const answer = await someone.post(
      '/contacts/note',
      [
        ['csrf', csrf],
        ['id', ADA.id],
        ['note', NOTE],
        ['tags', 'warm, May'],
      ],
      { referer: `https://chainkin.example${page}` },
    )
    const to = locationOf(answer)
    expect([answer.status, to.startsWith('/sign-in?said=ended&returnUrl=')]).toEqual([303, true])
    // Nobody who sees the address reads what was written.
    expect(decodeURIComponent(to)).not.toContain('Lisbon')
    expect(textIn(await someone.text(to))).toContain('Your session has ended.')
    const back = await signInAt(someone, someone.email, to)
    const shown = await someone.text(back)
    expect([factIn(shown, 'Tags'), textIn(shown)]).toEqual([
      'warm, May',
      expect.stringContaining('You were signed out before this was sent. Nothing was changed.'),
    ])
    expect(shown).toContain(`href="https://chainkin.example${page}"`)
    const form = formIn(shown, '/contacts/note') ?? new URLSearchParams()
    expect([form.get('id'), form.get('note'), form.get('tags')]).toEqual([
      ADA.id,
      NOTE,
      'warm, May',
    ])
    expect(await someone.text(page)).not.toContain('Lisbon')
    expect(locationOf(await someone.post('/contacts/note', form))).toBe('/contacts?said=noted')
    expect(await someone.text(page)).toContain('Met in Lisbon.')
  })

  test('of an operator comes back as well, though nobody else learns that there is such a page', async () => {
    const operator = await operatorIn(service, town)
    const path = `/operator/directory/people/${ADA.id}`
    const csrf = csrfIn(await operator.text(path))
    await service.sql`
      update sessions set used_at = used_at - interval '4 days' where user_id = ${operator.userId}`
    const fields: [string, string][] = [
      ['csrf', csrf],
      ['jobTitle', 'Chief of staff'],
    ]
    const answer = await operator.post(path, fields)
    expect(returnUrlIn(locationOf(answer))).toStartWith('/unsent?form=')
    const unknown = await operator.post('/operator/no-such-page', fields)
    expect(returnUrlIn(locationOf(unknown))).toStartWith('/unsent?form=')
    const stranger = town.visitor()
    const statuses = [path, '/operator/no-such-page'].map(
      async (it) => (await stranger.get(it)).status,
    )
    expect(await Promise.all(statuses)).toEqual([404, 404])
  })

  test('keeps no password, no code and nothing that charges, and leads back to the form’s page', async () => {
    const someone = await town.person()
    const csrf = csrfIn(await someone.text('/settings'))
    const export_ = await loadForm(await town.customer(100, 'pro'), '/export/people')
    await endSessions(someone)
    for (const [path, fields] of [
      ['/settings', { action: 'password', current: PASSWORD, password: 'another password' }],
      ['/settings', { action: 'email', email: 'x@example.com', confirmation: PASSWORD }],
      ['/settings/two-step/off', { code: '123456' }],
      ['/export/people', { ...Object.fromEntries(export_), csrf }],
      [`/bulk-search/${ADA.id}`, { units: '26' }],
      ['/keys/revoke', { id: ADA.id }],
    ] as const) {
      const form = Object.entries({ csrf, ...fields })
      const answer = await someone.post(path, form, {
        referer: `https://chainkin.example${path}?id=1`,
      })
      expect([path, returnUrlIn(locationOf(answer))]).toEqual([path, `${path}?id=1`])
    }
  })

  test('what is too long for an address is shown to be copied', async () => {
    const someone = await town.customer(100, 'pro')
    await endSessions(someone)
    const lines = Array.from({ length: 200 }, () => crypto.randomUUID()).join('\n')
    const answer = await someone.post('/bulk-search', [['lines', lines]])
    const page = await answer.text()
    expect([answer.status, textIn(page).includes('too long to be carried')]).toEqual([403, true])
    expect(page).toContain(lines)
    expect(page).toContain('href="/sign-in?returnUrl=%2Fbulk-search"')
  })

  test('what another site sent, or what was sealed for another browser, is never shown', async () => {
    const someone = await town.person()
    await endSessions(someone)
    const foreign = await someone.post('/lists', [['name', 'x']], {
      origin: 'https://evil.example',
      'sec-fetch-site': 'cross-site',
    })
    expect(returnUrlIn(locationOf(foreign))).not.toContain('/unsent')
    // A browser that doesn't say where the form comes from, and one in which its address was typed.
    const headers = { 'content-type': 'application/x-www-form-urlencoded' }
    const cookie = `__Host-ck_form=${someone.cookies.get('__Host-ck_form')}`
    for (const said of [{}, { 'sec-fetch-site': 'none' }]) {
      const init = { method: 'POST', body: 'name=x', headers: { ...headers, cookie, ...said } }
      const answer = await town.site.get('/lists', init)
      expect(returnUrlIn(locationOf(answer))).toBe('/lists')
    }
    const own = returnUrlIn(locationOf(await someone.post('/lists', [['name', 'My list']])))
    expect(own).toStartWith('/unsent?form=')
    const [one, other] = [await town.person(), await town.person()]
    for (const path of [own, `${own}x`, '/unsent', '/unsent?form=x'])
      expect([path, (await one.get(path)).status]).toEqual([path, 404])
    expect((await other.get(own)).status).toBe(404)
    // Who signs in next in the same browser, once its reader has signed out.
    const back = await signInAt(someone, someone.email, `/sign-in?returnUrl=${own}`)
    expect((await someone.get(back)).status).toBe(200)
    await someone.submit('/sign-out', {})
    await signInAt(someone, other.email, '/sign-in')
    expect((await someone.get(own)).status).toBe(404)
  })

  test('a form of the session before is shown again instead of being lost, and changes nothing', async () => {
    const someone = await town.person()
    const csrf = csrfIn(await someone.text('/lists'))
    await signInAt(someone, someone.email, '/sign-in').catch(() => '')
    await endSessions(someone)
    await signInAt(someone, someone.email, '/sign-in')
    const answer = await someone.post('/lists', [
      ['csrf', csrf],
      ['name', 'Investors to meet'],
    ])
    const page = await answer.text()
    expect([answer.status, textIn(page).includes('This form is out of date')]).toEqual([403, true])
    const foreign = await someone.post(
      '/lists',
      [
        ['csrf', csrf],
        ['name', 'Bait'],
      ],
      { origin: 'https://evil.example', 'sec-fetch-site': 'cross-site' },
    )
    expect([foreign.status, (await foreign.text()).includes('Bait')]).toEqual([403, false])
    expect(await someone.text('/lists')).not.toContain('Investors to meet')
    const form = formIn(page, '/lists') ?? new URLSearchParams()
    expect((await someone.post('/lists', form)).status).toBe(303)
    expect(await someone.text('/lists')).toContain('Investors to meet')
  })
})

describe('the links of mails', () => {
  test('a confirmation keeps the way back, from signing up and from signing in', async () => {
    const someone = mailed.visitor()
    const email = 'new-comer@example.com'
    const back = '/invitation?token=abc'
    const returnUrl = String(new URLSearchParams({ returnUrl: back }))
    await someone.submit(`/sign-up?${returnUrl}`, {
      name: 'New',
      email,
      password: PASSWORD,
      returnUrl: back,
    })
    await someone.submit('/sign-in', { email, password: PASSWORD, returnUrl: back })
    const letters = mailed.letters.filter(({ to }) => to === email)
    expect(letters).toHaveLength(2)
    const links = letters.map(({ text }) => /\/confirm\?\S+/.exec(text)?.[0] ?? '')
    for (const link of links) expect(link).toEndWith(`&${returnUrl}`)
    const form = formIn(await someone.text(links[1] ?? ''), '/confirm') ?? new URLSearchParams()
    const to = locationOf(await someone.post('/confirm', form))
    expect(to).toBe(`/sign-in?said=confirmed&${returnUrl}`)
    expect(await signInAt(someone, email, to)).toBe(back)
  })

  test('a reset keeps the way back, and says when it is opened that it was used, or has expired', async () => {
    const { email } = await mailed.person()
    const someone = mailed.visitor()
    const returnUrl = '/lists'
    expect(await someone.text(`/sign-in?returnUrl=${returnUrl}`)).toContain(
      'href="/forgotten?returnUrl=%2Flists"',
    )
    await someone.submit(`/forgotten?returnUrl=${returnUrl}`, { email, returnUrl })
    const letter = mailed.letters.findLast(({ to }) => to === email)?.text ?? ''
    const [link = ''] = /\/reset\?\S+/.exec(letter) ?? []
    const form = formIn(await someone.text(link), '/reset') ?? new URLSearchParams()
    form.set('password', 'another password')
    expect(locationOf(await someone.post('/reset', form))).toBe(
      '/sign-in?said=password&returnUrl=%2Flists',
    )
    const used = await someone.get(link)
    const page = await used.text()
    expect([used.status, textIn(page).includes('This link was used already')]).toEqual([422, true])
    expect(formIn(page, '/reset')).toBeUndefined()
    expect((await someone.post('/reset', form)).status).toBe(422)
    const never = await someone.get('/reset?token=never-existed')
    expect([never.status, textIn(await never.text()).includes('This link has expired')]).toEqual([
      422,
      true,
    ])
  })
})

test('a member who is removed is told by a mail, and by the page where they sign in', async () => {
  const [owner, member] = await mailed.workspace()
  await owner.submit('/workspace', { action: 'name', organization: 'Fund of Funds' })
  const page = `/workspace/remove?id=${member.userId}`
  expect((await owner.submit(page, { id: member.userId })).status).toBe(303)
  const letter = mailed.letters.findLast(({ to }) => to === member.email)
  expect(letter?.text).toContain('You no longer belong to the workspace Fund of Funds')
  const to = locationOf(await member.get('/contacts'))
  expect(to).toBe('/sign-in?said=removed&returnUrl=%2Fcontacts')
  expect(textIn(await member.text(to))).toContain(
    'You were removed from the workspace by its owner.',
  )
})

test('what other sites add to a link never makes an address a mistake', async () => {
  const someone = await town.customer(1_000, 'pro')
  const marks =
    'utm_source=mail&utm_medium=a%20b&utm_campaign=x&fbclid=Iw.1-_&gclid=Cj0&ref=producthunt&msclkid=1&mc_cid=2'
  const made = await someone.submit('/lists', { name: 'Mine' })
  const paths = ROUTES.filter(({ path }) => !path.includes(':id') || path.startsWith('/p')).map(
    addressOf,
  )
  let asked = 0
  for (const path of [
    ...paths,
    locationOf(made).replace(/\?.*/, ''),
    '/search?q=ada',
    '/export/projects?sector=DeFi',
  ]) {
    const [plain, marked] = [
      await someone.get(path),
      await someone.get(`${path}${path.includes('?') ? '&' : '?'}${marks}`),
    ]
    expect([path, marked.status]).toEqual([path, plain.status])
    if (plain.status === 200) asked++
  }
  expect(asked).toBeGreaterThan(30)
  const page = await someone.text(`/people?utm_source=mail&roles=founder&ref=x`)
  expect(page).toContain('/export/people?roles=founder"')
  expect((await someone.get('/people?refs=x')).status).toBe(400)
})
