/** `/privacy`: what it says, what its form takes, and that no answer tells whether somebody is in the directory. */
import { expect, test } from 'bun:test'
import { ADA, fixtures, PRIVATE_VALUES } from '../helpers/fixtures.ts'
import { shared, sharedService } from '../helpers/shared.ts'
import { linkIn } from '../people/users/fixtures.ts'
import { expectNoMarkup, MARKUP } from './elements.ts'
import { formIn, textIn } from './reading.ts'
import { SITE } from './site.ts'
import { csrfIn, startTown, type Town } from './visitor.ts'

const service = sharedService(fixtures)
/** Statements of the application. */
let statements = 0
const town = shared(() => {
  const { use } = service.database
  const counting: typeof use = (work, options) => {
    statements++
    return use(work, options)
  }
  return startTown(
    { ...service, database: { ...service.database, use: counting } },
    {
      mails: true,
      environment: {
        PRIVACY_CONTACT: 'Example Ltd, <privacy@example.com>.',
        PRIVACY_SOURCES: 'A & B',
      },
    },
  )
})
const unmailed: Town = shared(() => startTown(service))

const FIELDS = {
  kind: 'remove',
  person: 'Ada Ashford',
  details: '',
  email: 'asker@example.com',
  declared: 'yes',
}

test('the page says what is held and who answers for it, and is for search engines', async () => {
  const html = await town.site.text('/privacy')
  expect(html).toContain('Who answers for the directory: Example Ltd, &lt;privacy@example.com&gt;.')
  expect(html).toContain('A &amp; B')
  expect(html).toContain(`<link rel="canonical" href="${SITE.appUrl}/privacy"`)
  expect(html).not.toContain('noindex')
  expect(await unmailed.site.text('/privacy')).toContain('The operator of Chainkin answers for')
})

test('the form stands before the notice, and a contact that ends with a full stop gets no second', async () => {
  const html = await town.site.text('/privacy')
  expect(html).toContain('action="/privacy"')
  expect(html.indexOf('action="/privacy"')).toBeLessThan(html.indexOf('id="what"'))
  expect(html).not.toContain('..')
})

test('every page leads to it, and a person’s page to a form that names the person', async () => {
  for (const path of ['/', '/people', '/docs/errors', '/no-such-page']) {
    expect([path, await town.site.text(path)]).toEqual([
      path,
      expect.stringContaining('href="/privacy"'),
    ])
  }
  const html = await town.site.text(`/people/${ADA.slug}`)
  const [, link = ''] = /<a href="([^"]+)">Is this you\?/.exec(html) ?? []
  const form = await town.site.text(link)
  expect(form).toContain(`name="person" value="${SITE.appUrl}/people/${ADA.slug}"`)
  expect(await town.site.text('/privacy?person=%22%3E%3Cb%3E')).not.toContain('&lt;b')
})

test('somebody who is there and somebody who is not are answered alike, by the same statements', async () => {
  async function answerTo(fields: Partial<typeof FIELDS>) {
    const visitor = town.visitor()
    const { email = FIELDS.email } = fields
    const before = statements
    const response = await visitor.submit('/privacy', { ...FIELDS, ...fields })
    const asked = statements - before
    const html = await response.text()
    const text = html.replaceAll(email, 'X').replace(/"csrf" value="[^"]+"/, '')
    const headers = [...response.headers].filter(([name]) => name !== 'etag')
    return { status: response.status, text, headers, asked }
  }
  const first = await answerTo({ email: 'one@example.com' })
  expect(first.status).toBe(200)
  expect(textIn(first.text)).toContain('We are sending a link to X')
  for (const [position, fields] of [
    { person: 'Nobody of this name' },
    { person: `${SITE.appUrl}/people/${ADA.slug}` },
    { person: `${SITE.appUrl}/people/nobody`, kind: 'show' },
    { email: PRIVATE_VALUES.find((value) => value.includes('@')) ?? '' },
  ].entries()) {
    expect([fields, await answerTo({ email: `other-${position}@example.com`, ...fields })]).toEqual(
      [fields, first],
    )
  }
})

test('the link of the mail asks for a button, which makes a request of it', async () => {
  const email = 'link@example.com'
  await town.visitor().submit('/privacy', { ...FIELDS, email })
  const path = `/privacy/confirm?token=${linkIn(town.letters, email)}`
  const visitor = town.visitor()
  const states = async () =>
    (await service.sql`select state from privacy_requests where email = ${email}`).map(
      ({ state }) => state,
    )
  const token = formIn(await visitor.text(path), '/privacy/confirm')?.get('token') ?? ''
  expect(await states()).toEqual(['unconfirmed'])
  const confirmed = await visitor.submit(path, { token })
  expect(textIn(await confirmed.text())).toContain('Your request was received')
  expect(await states()).toEqual(['open'])
  const again = await visitor.submit(path, { token })
  expect([again.status, textIn(await again.text())]).toEqual([
    422,
    expect.stringContaining('expired or was used already'),
  ])
})

test('where no mail is sent a request counts at once', async () => {
  const answer = await unmailed
    .visitor()
    .submit('/privacy', { ...FIELDS, email: 'direct@example.com' })
  expect(textIn(await answer.text())).toContain('Your request was received')
})

test('a field that can’t be taken is named, what was typed stays, and nothing of it becomes markup', async () => {
  const visitor = town.visitor()
  const wrong: [keyof typeof FIELDS, Partial<typeof FIELDS>, string][] = [
    ['kind', { kind: '' }, 'Choose one.'],
    ['details', { kind: 'correct', details: '' }, 'Say what is wrong, and what is right.'],
    ['email', { email: 'nobody' }, 'An address like ada@example.com.'],
    ['declared', { declared: '' }, 'Please confirm this.'],
  ]
  for (const [field, part, message] of wrong) {
    const fields = { ...FIELDS, person: MARKUP, details: MARKUP, ...part }
    const response = await visitor.submit('/privacy', fields)
    const html = await response.text()
    expect([part, response.status]).toEqual([part, 422])
    expect(html).toContain(`<p class="problem" id="field-${field}-problem">${message}`)
    await expectNoMarkup('/privacy', html)
    expect(html).toContain('&quot;&#39;&gt;&lt;script&gt;')
  }
})

test('what fails in the middle is logged without what was asked and by whom', async () => {
  const secret = { email: 'quiet@example.com', person: 'Quiet Quinn', details: 'hush hush' }
  await service.sql`alter table privacy_requests rename to elsewhere`
  const answer = await unmailed.visitor().submit('/privacy', { ...FIELDS, ...secret })
  const html = await answer.text()
  await service.sql`alter table elsewhere rename to privacy_requests`
  expect(answer.status).toBe(500)
  const told = html + unmailed.site.logged.join('\n')
  expect(told).toContain('a page failed')
  expect(told).not.toMatch(/quiet|quinn|hush/i)
})

test('who asks too often is told when to go on', async () => {
  const visitor = town.visitor('203.0.113.9')
  for (let round = 0; round < 5; round++) {
    expect((await visitor.submit('/privacy', FIELDS)).status).toBe(200)
  }
  const response = await visitor.submit('/privacy', FIELDS)
  expect(await response.clone().text()).toContain('You can also write to Example Ltd')
  expect([response.status, Number(response.headers.get('retry-after')) > 3_000]).toEqual([
    429,
    true,
  ])
})

test('strangers who fill the hour with requests close the form for nobody who has sent none', async () => {
  const fresh = await startTown(service, { mails: true })
  const flooding = fresh.visitor()
  const csrf = csrfIn(await flooding.text('/privacy'))
  const cookie = [...flooding.cookies].map((pair) => pair.join('=')).join('; ')
  for (let sent = 0; sent < 205; sent++) {
    const body = new URLSearchParams({ ...FIELDS, csrf, email: `flood-${sent}@example.com` })
    const init = { method: 'POST', headers: { cookie }, body }
    await fresh.site.get('/privacy', init, `198.18.${Math.floor(sent / 5)}.1`)
  }
  const attacker = fresh.visitor('198.18.1.2')
  expect((await attacker.submit('/privacy', FIELDS)).status).toBe(429)
  const person = fresh.visitor('192.0.2.55')
  const answer = await person.submit('/privacy', { ...FIELDS, email: 'person@example.com' })
  expect(answer.status).toBe(200)
  expect(linkIn(fresh.letters, 'person@example.com')).not.toBe('')
})
