/** Script in every field that takes text, and in every field of imported records: on every page it is text. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { importRows } from '../../src/intake/import/import.ts'
import { setAccount } from '../../src/money/accounts/accounts.ts'
import { addToList, keepList } from '../../src/people/contacts/record-lists.ts'
import { keepView } from '../../src/people/contacts/saved-views.ts'
import { newOneTimeToken } from '../../src/people/users/tokens.ts'
import { ROUTES } from '../../src/site/routes.ts'
import { type TestService, testService } from '../helpers/service.ts'
import { expectNoMarkup, MARKUP } from './elements.ts'
import { addressOf } from './site.ts'
import { csrfIn, PASSWORD, startTown, type Town, type Visitor } from './visitor.ts'

const ID = (number: number) => `00000000-0000-4000-8000-00000000000${number}`
/** For short fields. */
const SHORT = MARKUP.slice(0, 28)
const COMPANY = {
  name: MARKUP,
  ticker: SHORT,
  sectors: [SHORT],
  chains: [SHORT],
  size: SHORT,
  aiSummary: MARKUP,
  fundType: SHORT,
  trustTier: SHORT,
  twitterRisk: { level: 'high', reasons: [SHORT] },
}
const RECORDS: Readonly<Record<string, string>> = {
  '/people/:id': `/people/${ID(4)}`,
  '/projects/:id': `/projects/${ID(1)}`,
  '/investors/:id': `/investors/${ID(2)}`,
  '/services/:id': `/services/${ID(3)}`,
}

/** Forms that are not sent here. */
const LEFT = [
  ...['/sign-out', '/keys/revoke', '/workspace/leave', '/invitation', '/balance/stop-plan'],
  '/lists/delete',
  '/bulk-search/:id',
]

let service: TestService
let town: Town

beforeAll(async () => {
  service = await testService(async (database) => {
    const companies = ['project', 'investor', 'service'].map((companyType, position) => ({
      ...COMPANY,
      id: ID(position + 1),
      companyType,
    }))
    const people = [4, 5, 6].map((number) => ({
      id: ID(number),
      firstName: MARKUP,
      lastName: MARKUP,
      jobTitle: MARKUP,
      company: ID(1),
      email: `person-${number}@private.example`,
    }))
    const rounds = [
      {
        company: ID(1),
        roundType: SHORT,
        roundEventName: SHORT,
        investors: [{ investor: ID(2) }],
      },
    ]
    for (const [kind, rows] of Object.entries({ companies, people, rounds })) {
      const { created, refusals } = await importRows(database, kind as 'people', rows)
      expect({ kind, refusals, created }).toEqual({ kind, refusals: [], created: rows.length })
    }
    // An import takes no such channels; another program that writes to the database might.
    await database.use(
      ({ sql }) => sql`
        update private_channels set email = ${MARKUP}, phone = ${MARKUP}, telegram = ${MARKUP},
          linkedin_url = ${`javascript:${MARKUP}`}`,
    )
  })
  town = await startTown(service, { mails: true })
})
afterAll(() => service.stop())

/** Somebody on a plan that has everything, whose own words are all hostile. */
async function hostile() {
  const someone = await town.person(MARKUP)
  const { accountId } = someone
  await setAccount(service.database, accountId, { tier: 'team', organization: MARKUP })
  const made = await someone.submit('/keys', { label: MARKUP, scopes: ['read:metadata'] })
  const key = /ck_live_\w+/.exec(await made.text())?.[0]
  const reveal = { price: '10', idempotencyKey: crypto.randomUUID() }
  await someone.submit('/settings', reveal, `/people/${ID(5)}`)
  await service.request('/v1/people', { headers: { authorization: `Bearer ${key}` } })
  const invitation = await someone.submit('/workspace', { action: 'invite', label: MARKUP })
  const link = /(\/invitation\?token=[\w-]+)/.exec(await invitation.text())?.[1] ?? ''
  const member = await town.person(MARKUP)
  await member.submit(link, { token: link.split('=')[1] ?? '' })
  await someone.submit('/workspace', { action: 'invite', label: MARKUP })
  const list = await keepList(service.database, accountId, MARKUP)
  await addToList(service.database, accountId, list, [ID(1), ID(4)])
  const query = String(new URLSearchParams({ q: MARKUP, sector: MARKUP, sort: MARKUP }))
  const view = await keepView(service.database, accountId, {
    list: 'projects',
    name: MARKUP,
    query,
  })
  const [row] = await service.sql`
    select id from api_keys where account_id = ${accountId} and label = ${MARKUP}`
  return { someone, member, asked: { key: row?.id as string, member: member.userId, list, view } }
}

type Asked = Awaited<ReturnType<typeof hostile>>['asked']

/** The addresses of every page, those that ask for one thing among them. */
function addressesOf({ key, member, list, view }: Asked): string[] {
  const asked: Readonly<Record<string, string>> = {
    '/keys/revoke': `?id=${key}`,
    '/keys/rotate': `?id=${key}`,
    '/workspace/remove': `?id=${member}`,
    '/balance': `?key=${key}`,
    '/contacts/note': `?id=${ID(5)}`,
    '/lists/add': `?ids=${ID(6)}`,
    '/lists/rename': `?id=${list}`,
    '/lists/delete': `?id=${list}`,
    '/lists/remove': `?list=${list}&ids=${ID(4)}`,
    '/views/new/:list': `?${new URLSearchParams({ q: MARKUP })}`,
    '/views/change': `?id=${view}`,
  }
  const own: Readonly<Record<string, string>> = {
    '/reveal': `/reveal?ids=${ID(6)}`,
    '/lists/:id': `/lists/${list}`,
    '/views/:id': `/projects?${new URLSearchParams({ view: view ?? '', sector: MARKUP })}`,
  }
  return ROUTES.map(
    (route) =>
      (own[route.path] ?? RECORDS[route.path] ?? addressOf(route)) + (asked[route.path] ?? ''),
  )
}

/** Somebody with two-step sign-in, and a browser of theirs that is to show a code. */
async function inTwoSteps() {
  const careful = await town.person()
  await service.sql`
    insert into second_factors (user_id, secret, session_id, begun_at, on_since)
    values (${careful.userId}, 'JBSWY3DPEHPK3PXP', gen_random_uuid(), now(), now())`
  const pending = town.visitor()
  await pending.submit('/sign-in', { email: careful.email, password: PASSWORD })
  return { careful, pending }
}

interface FoundForm {
  action: string
  /** Values as the page gives them; '' where somebody would type. */
  fields: [name: string, value: string, isTyped: boolean][]
}

/** The forms of a page that are posted. */
async function formsIn(html: string): Promise<FoundForm[]> {
  const forms: FoundForm[] = []
  const rewriter = new HTMLRewriter()
    .on('form', {
      element: (form) => {
        if (form.getAttribute('method') === 'post')
          forms.push({ action: unescaped(form.getAttribute('action')), fields: [] })
      },
    })
    .on('form[method=post] input, form[method=post] textarea, form[method=post] button[name]', {
      element: (field) => {
        const isTyped = !['hidden', 'submit', 'checkbox'].includes(field.getAttribute('type') ?? '')
        const value = unescaped(field.getAttribute('value'))
        forms.at(-1)?.fields.push([field.getAttribute('name') ?? '', value, isTyped])
      },
    })
  await rewriter.transform(new Response(html)).text()
  return forms
}

function unescaped(text: string | null): string {
  return (text ?? '').replaceAll('&quot;', '"').replaceAll('&lt;', '<').replaceAll('&amp;', '&')
}

describe('script', () => {
  test('in records, names, labels and workspaces is text on every page, whoever looks', async () => {
    const { someone, member, asked } = await hostile()
    let shown = 0
    for (const visitor of [someone, member, town.visitor()]) {
      for (const path of addressesOf(asked)) {
        const response = await visitor.get(path)
        if (response.status === 303 || !isPage(response)) continue
        const html = await response.text()
        await expectNoMarkup(path, html)
        if (html.includes('&lt;script&gt;alert(1)')) shown++
      }
    }
    expect(shown).toBeGreaterThan(60)
  })

  test('in paid answers is text: a reveal, several, a bulk search', async () => {
    const { someone } = await hostile()
    const newKey = () => crypto.randomUUID()
    const answers: [string, Record<string, string>][] = [
      [`/people/${ID(4)}`, { price: '10' }],
      [`/people/${ID(5)}`, { price: '10' }],
      ['/reveal', { ids: ID(6), price: '10' }],
      ['/bulk-search', { lines: `alert\n${MARKUP}\nscript` }],
    ]
    for (const [path, fields] of answers) {
      let response = await someone.submit(
        '/settings',
        { ...fields, idempotencyKey: newKey() },
        path,
      )
      const to = response.headers.get('location')
      if (to?.startsWith('/bulk-search')) await someone.submit(to, {})
      if (to) response = await someone.get(to)
      const html = await response.text()
      expect([path, response.status]).toEqual([path, 200])
      await expectNoMarkup(path, html)
      expect(html).toContain('&lt;script&gt;alert(')
    }
  })

  test('in any field of any form is text on the page that answers, and wherever it is kept', async () => {
    const { someone, asked } = await hostile()
    const sent = new Set<string>()
    const send = async (visitor: Visitor, path: string) => {
      for (const { action, fields } of await formsIn(await visitor.text(path))) {
        const names = fields.map(([name]) => name).join()
        if (action === '/sign-out' || sent.has(`${action} ${names}`)) continue
        sent.add(`${action} ${names}`)
        // First what a person can type, then what only a program can send.
        for (const all of [false, true]) {
          const form = fields.map(([name, value, isTyped]): [string, string] => [
            name,
            name !== 'csrf' && (isTyped || all) ? MARKUP : value,
          ])
          const fresh = csrfIn(await visitor.text(path))
          const pairs = form.map(([name, value]): [string, string] => [
            name,
            name === 'csrf' && fresh ? fresh : value,
          ])
          const response = await visitor.post(action, pairs)
          const what = `${action} ${names} ${response.status}`
          expect([what, response.status < 500 && response.status !== 403]).toEqual([what, true])
          if (isPage(response)) await expectNoMarkup(what, await response.text())
        }
      }
    }
    for (const path of addressesOf(asked)) {
      if (!['/workspace/leave', '/keys/revoke', '/lists/delete'].includes(path.split('?')[0] ?? ''))
        await send(someone, path)
    }
    const [user] = await service.sql`select id, email from users limit 1`
    const token = await newOneTimeToken(service.database, 'reset', user?.id, user?.email)
    for (const path of [
      '/sign-in',
      '/sign-up',
      '/forgotten',
      `/reset?token=${token}`,
      '/confirm?token=x',
    ])
      await send(town.visitor(), path)
    const { careful, pending } = await inTwoSteps()
    for (const path of ['/settings/two-step/codes', '/settings/two-step/off']) {
      await send(careful, path)
    }
    await send(pending, '/sign-in/code')
    const actions = [...sent].map((form) => form.split(/[ ?#]/)[0] ?? '')
    const left: string[] = ROUTES.filter(({ post, path }) => {
      const pattern = new RegExp(`^${path.replace(/:\w+/, '[^/]+')}$`)
      return post && !actions.some((action) => pattern.test(action))
    }).map(({ path }) => path)
    // They have no field but hidden ones, and most end what this is done with.
    expect(left).toEqual(LEFT)
    for (const path of addressesOf(asked)) {
      const response = await someone.get(path)
      if (isPage(response)) await expectNoMarkup(path, await response.text())
    }
  })
})

function isPage({ headers }: Response): boolean {
  return headers.get('content-type')?.startsWith('text/html') ?? false
}
