/** Signing up, in and out, settings: through the host, on a real PostgreSQL, as a browser would. */
import { describe, expect, test } from 'bun:test'
import { TooBusy } from '../../src/people/users/answers.ts'
import { fixtures } from '../helpers/fixtures.ts'
import { shared } from '../helpers/shared.ts'
import { textIn } from './reading.ts'
import { csrfIn, PASSWORD, sharedTown, startTown } from './visitor.ts'

const { service, town } = sharedTown(fixtures)
const mailed = shared(() => startTown(service, { mails: true }))

const SESSION = '__Host-ck_session'
const HOSTILE = `"><script>alert(1)</script><img src=x onerror=y>`
const SIGN_UP = { name: 'Eve Ember', email: 'eve@example.com', password: PASSWORD }

describe('signing up', () => {
  test('a stranger has a key, and its curl line answers, in three pages: sign-up, keys, the key', async () => {
    const eve = town.visitor()
    const signedUp = await eve.submit('/sign-up', SIGN_UP)
    expect([signedUp.status, signedUp.headers.get('location')]).toEqual([303, '/overview'])
    const keys = await eve.text('/keys')
    expect(keys).toContain('value="My first key"')
    const scopes = ['read:metadata', 'read:contacts']
    const made = await (await eve.submit('/keys', { label: 'My first key', scopes })).text()
    const [, key = '', url = ''] =
      /curl -H &quot;Authorization: Bearer (ck_live_\w+)&quot; \\\n {2}&quot;([^&]+&amp;[^&]+)&quot;/.exec(
        made,
      ) ?? []
    const { pathname, search } = new URL(url.replaceAll('&amp;', '&'))
    const answer = await service.request(pathname + search, {
      headers: { authorization: `Bearer ${key}` },
    })
    expect([answer.status, answer.body.meta.creditsBalance]).toEqual([200, 245])
  })

  test('without mail, an address that is taken opens to its own password alone, and leads back', async () => {
    const known = await town.person()
    const thief = town.visitor()
    const form = { ...SIGN_UP, email: known.email, returnUrl: '/people/ada-ashford' }
    const refused = await thief.submit('/sign-up', { ...form, password: 'another fine one' })
    expect([refused.status, thief.cookies.has(SESSION)]).toEqual([422, false])
    expect(await refused.text()).toContain('This address has an account already')
    expect((await known.get('/settings')).status).toBe(200)
    const owner = await town.visitor().submit('/sign-up', form)
    expect([owner.status, owner.headers.get('location')]).toEqual([303, form.returnUrl])
    const [row] = await service.sql`
      select count(*)::integer as users, min(name) as name from users where email = ${known.email}`
    expect(row).toMatchObject({ users: 1, name: 'Ada' })
  })

  test('an address that was pasted with letters nobody sees opens the account that it made', async () => {
    const pasted = { ...SIGN_UP, email: '\u200ezoe\u200b@example.com ' }
    const signedUp = await town.visitor().submit('/sign-up', pasted)
    expect([signedUp.status, signedUp.headers.get('location')]).toEqual([303, '/overview'])
    const signedIn = await town
      .visitor()
      .submit('/sign-in', { email: pasted.email, password: PASSWORD })
    expect(signedIn.status).toBe(303)
  })

  test.each([
    ['too many wait to be signed in', 'crowded', () => Promise.reject(new TooBusy('full'))],
    [
      'the address tried too many passwords',
      'limited',
      async () => ({ outcome: 'limited' as const, retryAfter: 60 }),
    ],
  ])(
    'where %s, the account is made all the same, and the page says so',
    async (_, name, signIn) => {
      const hindered = await startTown(service, {
        application: { users: { ...town.users, signIn } },
      })
      const email = `${name}@example.com`
      const answer = await hindered.visitor().submit('/sign-up', { ...SIGN_UP, email })
      const said = textIn(await answer.text())
      expect(said).toContain('Your account is ready. Sign in.')
      expect(said).not.toContain('Nothing was changed')
      const signedIn = await town.visitor().submit('/sign-in', { email, password: PASSWORD })
      expect(signedIn.status).toBe(303)
    },
  )

  test('with mail, the link of the letter confirms, and only a press does it', async () => {
    const someone = mailed.visitor()
    const email = 'mailed@example.com'
    const answer = await someone.submit('/sign-up', { ...SIGN_UP, email })
    expect(await answer.text()).toContain('Check your mail')
    const credentials = { email, password: PASSWORD }
    const early = await someone.submit('/sign-in', credentials)
    expect([early.status, someone.cookies.has(SESSION)]).toEqual([422, false])
    const letter = mailed.letters.findLast(({ to }) => to === email)?.text ?? ''
    const token = /token=([\w-]+)/.exec(letter)?.[1] ?? ''
    await someone.text(`/confirm?token=${token}`)
    const stillEarly = await someone.submit('/sign-in', credentials)
    expect(stillEarly.status).toBe(422)
    const last = mailed.letters.findLast(({ to }) => to === email)?.text ?? ''
    const again = /token=([\w-]+)/.exec(last)?.[1] ?? ''
    const confirmed = await someone.submit(`/confirm?token=${again}`, { token: again })
    expect(confirmed.headers.get('location')).toBe('/sign-in?said=confirmed')
    expect((await someone.submit('/sign-in', credentials)).status).toBe(303)
  })

  test('a referral code goes with the form, and is remembered', async () => {
    const referrer = await town.person()
    const [{ code } = { code: '' }] = await service.sql<{ code: string }[]>`
      select code from referrals where account_id = ${referrer.accountId}`
    const someone = town.visitor()
    expect(await someone.text(`/sign-up?ref=${code}`)).toContain(`name="ref" value="${code}"`)
    const email = 'referred@example.com'
    await someone.submit(`/sign-up?ref=${code}`, { ...SIGN_UP, email, ref: code })
    const [row] = await service.sql`
      select r.referrer_id from referrals r join accounts a on a.id = r.account_id where a.email = ${email}`
    expect(row?.referrer_id).toBe(referrer.accountId)
  })

  test('a referral link names who gave it, never by an address; one that nobody has is said to be none', async () => {
    const codeOf = async (name: string) => {
      const { accountId, email } = await town.person(name)
      const [row] = await service.sql`select code from referrals where account_id = ${accountId}`
      return { code: row?.code, email }
    }
    const said = async (code: string) => {
      const page = await town.visitor().text(`/sign-up?ref=${encodeURIComponent(code)}`)
      return { page, notice: textIn(/<div class="notice.*?<\/div>/s.exec(page)?.[0] ?? '') }
    }
    const grace = await codeOf('Grace Gray')
    const named = await said(grace.code)
    expect(named.notice).toBe(
      'Invited by Grace Gray. Both of you get 250 credits 120 days after your first payment.',
    )
    expect(named.page).not.toContain(grace.email)
    const addressed = await codeOf('grace@private.example')
    expect((await said(addressed.code)).notice).toStartWith('Invited by a friend.')
    expect((await said(addressed.code)).page).not.toContain('private.example')
    for (const code of ['0'.repeat(12), 'x', '"><b>', '0'.repeat(1_000)]) {
      expect((await said(code)).notice).toStartWith('This invitation link is not valid')
    }
    expect((await said('')).notice).toBe('')
  })

  test('each mistake stands beside its field, and what was typed is there again, passwords aside', async () => {
    const someone = town.visitor()
    for (const [field, value] of [
      ['name', ' '],
      ['name', 'a'.repeat(101)],
      ['email', 'nobody'],
      ['password', 'short'],
    ] as const) {
      const response = await someone.submit('/sign-up', { ...SIGN_UP, [field]: value })
      const text = await response.text()
      expect([field, response.status]).toEqual([field, 422])
      expect(text).toContain(`id="field-${field}-problem"`)
      expect(text.match(/aria-invalid/g)).toHaveLength(1)
      expect(text).not.toContain(PASSWORD)
      if (field !== 'email') expect(text).toContain(SIGN_UP.email)
    }
  })
})

describe('signing in', () => {
  test('a cookie set before signing in opens nothing after: the session is a new one', async () => {
    const { email } = await town.person()
    const victim = town.visitor()
    const planted = 'A'.repeat(43)
    victim.cookies.set(SESSION, planted)
    const response = await victim.submit('/sign-in', { email, password: PASSWORD })
    expect(response.status).toBe(303)
    expect(victim.cookies.get(SESSION)).not.toBe(planted)
    const attacker = town.visitor()
    attacker.cookies.set(SESSION, planted)
    expect((await attacker.get('/keys')).status).toBe(303)
  })

  test('the session of whoever was signed in before ends when somebody signs in', async () => {
    const [before, other] = [await town.person(), await town.person()]
    const old = before.cookies.get(SESSION) ?? ''
    expect((await before.get('/sign-in')).headers.get('location')).toBe('/overview')
    const form = {
      csrf: csrfIn(await before.text('/settings')),
      email: other.email,
      password: PASSWORD,
    }
    expect((await before.post('/sign-in', Object.entries(form))).status).toBe(303)
    const thief = town.visitor()
    thief.cookies.set(SESSION, old)
    expect((await thief.get('/keys')).status).toBe(303)
  })

  test('signing out ends the session on the server', async () => {
    const someone = await town.person()
    const token = someone.cookies.get(SESSION) ?? ''
    expect((await someone.get('/keys')).status).toBe(200)
    const left = await someone.submit('/keys', {}, '/sign-out')
    expect([left.status, someone.cookies.has(SESSION)]).toEqual([303, false])
    someone.cookies.set(SESSION, token)
    expect((await someone.get('/keys')).headers.get('location')).toBe(
      '/sign-in?said=ended&returnUrl=%2Fkeys',
    )
  })

  test('returnUrl= leads to pages of this application and nowhere else', async () => {
    const { email } = await town.person()
    const wanted: [string, string][] = [
      ['/people/ada?x=1', '/people/ada?x=1'],
      ['/keys/rotate?id=1', '/keys/rotate?id=1'],
      ...[
        'https://evil.example/',
        '//evil.example/',
        '/\\evil.example/',
        '\\\\evil.example',
        '/.//evil.example/',
        '/x/..//evil.example',
        '/\t/evil.example/',
        '/%09//evil.example'.replace('%09', '\n'),
        'javascript:alert(1)',
        'keys',
        '',
      ].map((returnUrl): [string, string] => [returnUrl, '/overview']),
    ]
    for (const [returnUrl, to] of wanted) {
      const someone = town.visitor()
      const page = `/sign-in?${new URLSearchParams({ returnUrl })}`
      const form = await someone.text(page)
      expect([returnUrl, form.includes('evil.example')]).toEqual([returnUrl, false])
      const response = await someone.submit(page, { email, password: PASSWORD, returnUrl })
      expect([returnUrl, response.headers.get('location')]).toEqual([returnUrl, to])
    }
  })

  test('too many tries are a 429 that says when to come again', async () => {
    const { email } = await town.person()
    const someone = town.visitor('192.0.2.200')
    const statuses: number[] = []
    for (let i = 0; i < 12; i++) {
      const response = await someone.submit('/sign-in', { email, password: `wrong one ${i}` })
      statuses.push(response.status)
      if (response.status === 429) {
        expect(Number(response.headers.get('retry-after'))).toBeGreaterThan(0)
        expect(await response.text()).toContain('Or reset your password')
      }
    }
    expect(statuses).toEqual([...Array<number>(10).fill(422), 429, 429])
  })
})

describe('pages of somebody’s own', () => {
  test('are kept by nobody, and say who is signed in', async () => {
    const someone = await town.person('Grace')
    for (const path of [
      '/keys',
      '/settings',
      '/workspace',
      '/overview',
      '/docs',
      '/no-such-page',
    ]) {
      const response = await someone.get(path)
      expect([path, response.headers.get('cache-control')]).toEqual([path, 'no-store'])
      expect(await response.text()).toContain('<bdi class="who">Grace</bdi>')
    }
  })
})

describe('settings', () => {
  test('a name is changed, and hostile text stays text wherever it is shown', async () => {
    const someone = await town.person()
    const changed = await someone.submit('/settings', { action: 'name', name: HOSTILE })
    expect(changed.headers.get('location')).toBe('/settings?said=name')
    for (const path of ['/settings', '/keys', '/workspace', '/people']) {
      const text = await someone.text(path)
      expect(text).not.toContain('<script>')
      expect(text).not.toContain('<img src=x')
      expect(text).toContain('&lt;script&gt;')
    }
  })

  test('a password is changed with the old one alone, and ends every other session', async () => {
    const someone = await town.person()
    const elsewhere = town.visitor()
    await elsewhere.submit('/sign-in', { email: someone.email, password: PASSWORD })
    const wrong = await someone.submit('/settings', {
      action: 'password',
      current: 'wrong',
      password: 'another password',
    })
    expect(await wrong.text()).toContain('id="field-current-problem"')
    const done = await someone.submit('/settings', {
      action: 'password',
      current: PASSWORD,
      password: 'another password',
    })
    expect(done.headers.get('location')).toBe('/settings?said=password')
    expect((await someone.get('/settings')).status).toBe(200)
    expect((await elsewhere.get('/settings')).status).toBe(303)
  })

  test('an address is changed with the password alone', async () => {
    const someone = await town.person()
    const email = 'moved@example.com'
    const same = await someone.submit('/settings', {
      action: 'email',
      email: someone.email.toUpperCase(),
      confirmation: PASSWORD,
    })
    expect(await same.text()).toContain('id="field-email-problem"')
    const wrong = await someone.submit('/settings', {
      action: 'email',
      email,
      confirmation: 'wrong',
    })
    expect(await wrong.text()).toContain('id="field-confirmation-problem"')
    const done = await someone.submit('/settings', {
      action: 'email',
      email,
      confirmation: PASSWORD,
    })
    expect(done.headers.get('location')).toBe('/settings?said=email')
    expect(await someone.text('/settings')).toContain(`value="${email}"`)
  })

  test('one sees where one is signed in, and signs out there; somebody else’s session is none', async () => {
    const [someone, other] = [await town.person(), await town.person()]
    const elsewhere = town.visitor()
    await elsewhere.submit('/sign-in', { email: someone.email, password: PASSWORD })
    const [theirs] = await service.sql`select id from sessions where user_id = ${other.userId}`
    const text = await someone.text('/settings')
    expect(text.match(/Another browser/g)).toHaveLength(1)
    expect((await someone.submit('/settings', { action: 'end', id: theirs?.id })).status).toBe(404)
    expect((await other.get('/settings')).status).toBe(200)
    const id = /name="id" value="([^"]+)"/.exec(text)?.[1] ?? ''
    expect((await someone.submit('/settings', { action: 'end', id })).status).toBe(303)
    expect((await elsewhere.get('/settings')).status).toBe(303)
    expect((await someone.get('/settings')).status).toBe(200)
  })
})

describe('a forgotten password', () => {
  test('a known and an unknown address get the same answer; the link sets a password once', async () => {
    const { email } = await mailed.person()
    const answers: string[] = []
    for (const each of [email, 'nobody@example.com']) {
      const response = await mailed.visitor().submit('/forgotten', { email: each })
      answers.push((await response.text()).replaceAll(each, 'X'))
    }
    expect(answers[0]).toBe(answers[1] ?? '')
    const letter = mailed.letters.findLast(({ to }) => to === email)?.text ?? ''
    const token = /token=([\w-]+)/.exec(letter)?.[1] ?? ''
    const someone = mailed.visitor()
    const page = `/reset?token=${token}`
    const short = await someone.submit(page, { token, password: 'short' })
    expect([short.status, (await short.text()).includes(`value="${token}"`)]).toEqual([422, true])
    const done = await someone.submit(page, { token, password: 'another password' })
    expect(done.headers.get('location')).toBe('/sign-in?said=password')
    expect((await someone.get(page)).status).toBe(422)
    const third = { token, password: 'a third password' }
    expect((await someone.submit('/sign-in', third, '/reset')).status).toBe(422)
    const entered = await someone.submit('/sign-in', { email, password: 'another password' })
    expect(entered.status).toBe(303)
  })

  test('without mail the page says who makes a link', async () => {
    expect(await town.visitor().text('/forgotten')).toContain(
      '<code class="unbroken">user reset</code>',
    )
  })
})
