/** The console of an endpoint's page: a real call with a key of one's own account, by the API's own rules. */
import { describe, expect, test } from 'bun:test'
import { ENDPOINTS, SCOPES, type Scope } from '../../src/contract/endpoints.ts'
import type { Tier } from '../../src/contract/tiers.ts'
import { DatabaseUnavailable } from '../../src/database/client.ts'
import { createKey, revokeKey } from '../../src/money/accounts/keys.ts'
import { SHOWN_KEYS } from '../../src/site/docs/console.tsx'
import { ENDPOINT_DOCUMENTS } from '../../src/site/docs/documents.ts'
import { ADA, AURORA, fixtures } from '../helpers/fixtures.ts'
import { buttonIn, formIn, tableIn, textIn } from './reading.ts'
import { type TestSite, testSite } from './site.ts'
import { chargedTo, type Person, sharedTown } from './visitor.ts'

const { service, town } = sharedTown(fixtures)

/** The most that a page may weigh without pictures. */
const PAGE_BYTES = 60_000

const LIST = '/docs/reference/listPeople'
const PERSON = '/docs/reference/getPerson'

/** The console's form, which leads to the answer. */
const consoleIn = (html: string, path: string) => formIn(html, `${path}#answered`)

/** Somebody with credits and a key. */
async function caller(credits = 250, tier: Tier = 'pro', scopes: readonly Scope[] = SCOPES) {
  const person = await town.customer(credits, tier)
  const { id, key } = await createKey(service.database, person.accountId, 'my key', scopes)
  return { person, keyId: id, key }
}

/** Fills in the page's form and sends it. */
async function send(person: Person, path: string, fields: Record<string, string>) {
  const form = consoleIn(await person.text(path), path)
  if (!form) throw new Error(`${path} has no form`)
  for (const [name, value] of Object.entries(fields)) form.set(name, value)
  const response = await person.post(path, form)
  return { form, response, html: await response.text() }
}

/** Sends a person's form through another site of the same service. @returns the answer, with the form */
async function sendThrough(
  { get }: Pick<TestSite, 'get'>,
  { cookies }: Person,
  path: string,
  fields: Record<string, string>,
) {
  const cookie = [...cookies].map((pair) => pair.join('=')).join('; ')
  const page = await get(path, { headers: { cookie } })
  const form = consoleIn(await page.text(), path) ?? new URLSearchParams()
  for (const [name, value] of Object.entries(fields)) form.set(name, value)
  const headers = { cookie, 'sec-fetch-site': 'same-origin' }
  const response = await get(path, { method: 'POST', body: form, headers })
  return { form, response, html: await response.text() }
}

const answerIn = (html: string) =>
  textIn(html.split('id="call-answer"')[1]?.split('</form>')[0] ?? '')
const callsOf = async (accountId: string) => {
  const rows = await service.sql`
    select * from ledger where account_id = ${accountId} and kind = 'charge'`
  return rows.length
}

describe('the console', () => {
  test('a call is answered and charged as any other, and shown with status, charge, headers and body, without the key', async () => {
    const { person, keyId, key } = await caller()
    const { response, html } = await send(person, LIST, { keyId, q: 'ada', limit: '1' })
    expect(html + town.site.logged.join()).not.toContain(key)
    expect([response.status, response.headers.get('cache-control')]).toEqual([200, 'no-store'])
    const answer = answerIn(html)
    expect(answer).toMatch(/^[^>]*>\s*Answer 200 5 credits were charged\. \d+ credits are left\./)
    expect(answer).toContain('GET https://api.chainkin.example/v1/people?q=ada&limit=1')
    expect(answer).toContain('"firstName": "Ada"')
    const headers = tableIn(html, 'Headers of the answer').map(([name]) => name)
    expect(headers).toEqual(
      expect.arrayContaining(['service-api-version', 'x-ratelimit-remaining']),
    )
    expect(await chargedTo(service, person)).toBe(5)
    // The account's menu tells the balance after the charge.
    const [, left = ''] = /(\d+) credits are left/.exec(answer) ?? []
    expect(textIn(html.split('class="menu"')[1]?.split('</p>')[0] ?? '')).toContain(
      `${left} credits`,
    )
  })

  test('each reader has a console with their own keys, and the text is the same for all', async () => {
    const [one, other] = [await caller(), await caller()]
    const readers = [one.person, other.person, town.visitor()]
    const keysOfReaders = [[one.keyId], [other.keyId], []]
    const texts = new Set<string>()
    for (const order of [
      [0, 1, 2],
      [2, 1, 0],
    ]) {
      // Nobody has seen the page of this site.
      const site = await testSite(service)
      for (const place of order) {
        const cookies = [...(readers[place]?.cookies ?? [])]
        const cookie = cookies.map(([name, value]) => `${name}=${value}`).join('; ')
        const html = await (await site.get(LIST, { headers: { cookie } })).text()
        const keys = [one.keyId, other.keyId].filter((id) => html.includes(id))
        expect(keys).toEqual(keysOfReaders[place] ?? [])
        const parts = html.slice(html.indexOf('<main')).split('<section aria-labelledby="send">')
        expect(parts).toHaveLength(2)
        texts.add(parts[0] + (parts[1] ?? '').replace(/^.*?<\/section>/s, ''))
      }
    }
    expect(texts.size).toBe(1)
    expect([...texts][0]).not.toContain('<slot')
  })

  test('the same form sent again, by a reload or two clicks, is charged once', async () => {
    const { person, keyId } = await caller()
    const { form } = await send(person, LIST, { keyId, q: 'ada' })
    const again = await (await person.post(LIST, form)).text()
    expect(answerIn(again)).toContain('This was charged before; nothing more was.')
    expect([await chargedTo(service, person), await callsOf(person.accountId)]).toEqual([5, 1])
    // Its answer holds the next call's own key.
    const next = consoleIn(again, LIST)
    expect(next?.get('idempotencyKey')).not.toBe(form.get('idempotencyKey'))
  })

  test('a reveal costs its price, and a key without the scope is refused free of charge', async () => {
    const { person, keyId } = await caller()
    const { html } = await send(person, PERSON, { keyId, id: ADA.slug, include: 'private' })
    expect(answerIn(html)).toContain('10 credits were charged.')
    expect(answerIn(html)).toContain(ADA.email)
    const weak = await caller(250, 'pro', ['read:metadata'])
    const refused = await send(weak.person, PERSON, {
      keyId: weak.keyId,
      id: ADA.slug,
      include: 'private',
    })
    expect(answerIn(refused.html)).toMatch(/Answer 403 Nothing was charged\./)
    expect(refused.html).not.toContain(ADA.email)
    expect(await chargedTo(service, weak.person)).toBe(0)
  })

  test('a sample is marked and free', async () => {
    const person = await town.customer(0, 'free')
    await service.sql`update accounts set balance = 0 where id = ${person.accountId}`
    const { id: keyId } = await createKey(service.database, person.accountId, 'poor', SCOPES)
    expect(textIn(await person.text(LIST))).toContain(
      'the answer is a sample with invented records',
    )
    const { html } = await send(person, LIST, { keyId })
    expect(answerIn(html)).toContain('200 Sample Not real data')
    expect(answerIn(html)).toContain('Nothing was charged.')
    expect(await chargedTo(service, person)).toBe(0)
  })

  test('a refusal of the API is shown in its words, and costs nothing', async () => {
    const { person, keyId } = await caller()
    const { html } = await send(person, '/docs/reference/listProjects', { keyId, limit: 'many' })
    expect(answerIn(html)).toContain('Answer 400 Nothing was charged.')
    expect(answerIn(html)).toContain('limit must be a whole number.')
    const gone = await send(person, PERSON, { keyId, id: '../../me?x=/' })
    expect(answerIn(gone.html)).toContain('Answer 404 Nothing was charged.')
    expect(await chargedTo(service, person)).toBe(0)
  })

  test('only a key of the own account that is in force is used', async () => {
    const { person, keyId } = await caller()
    const other = await caller()
    const [own] = await service.sql`
      select id from api_keys where account_id = ${person.accountId} and environment = 'web'`
    const ended = await createKey(service.database, person.accountId, 'ended', SCOPES)
    await revokeKey(service.database, ended.id)
    for (const id of [other.keyId, ended.id, own?.id ?? 'none', '', 'x']) {
      const { response, html } = await send(person, LIST, { keyId: id })
      expect([id, response.status]).toEqual([id, 422])
      expect(html).toContain('Choose a key that is in force.')
      expect(html).not.toContain(`value="${ended.id}"`)
    }
    expect([await chargedTo(service, person), await chargedTo(service, other.person)]).toEqual([
      0, 0,
    ])
    const missing = await send(person, PERSON, { keyId, id: ' ' })
    expect([missing.response.status, missing.html.includes('Give an id or a slug.')]).toEqual([
      422,
      true,
    ])
  })

  test('a stranger is led to sign in and back; who has no key is led to one', async () => {
    const stranger = town.visitor()
    const html = await stranger.text(PERSON)
    expect(html).not.toContain('class="form console"')
    expect(html).toContain(`href="/sign-in?${new URLSearchParams({ returnUrl: PERSON })}"`)
    const sent = await stranger.submit('/sign-in', { keyId: 'x' }, PERSON)
    expect([sent.status, sent.headers.get('location')]).toEqual([
      303,
      `/sign-in?${new URLSearchParams({ returnUrl: PERSON })}`,
    ])
    const person = await town.customer(10, 'pro')
    const text = await person.text(PERSON)
    expect(text.split('id="send"')[1]).toContain('href="/keys"')
  })

  test('a call whose charge is unknown keeps its idempotency key', async () => {
    const { person, keyId } = await caller()
    const error = { code: 'unavailable', message: 'Nobody knows.', charged: null }
    const broken = await testSite(service, {
      callApi: async () => Response.json({ error }, { status: 503 }),
    })
    const { form, html } = await sendThrough(broken, person, LIST, { keyId })
    expect(answerIn(html)).toContain('503 It is not known whether this was charged.')
    expect(consoleIn(html, LIST)?.get('idempotencyKey')).toBe(form.get('idempotencyKey'))
  })

  test('the page of a charged call needs no database, so it never says that nothing was charged', async () => {
    const { person, keyId } = await caller()
    const meta = { creditsCharged: 5, creditsBalance: 245 }
    let isGone = false
    const use: typeof service.database.use = (...work) =>
      isGone ? Promise.reject(new DatabaseUnavailable('gone')) : service.database.use(...work)
    const failing = await testSite(
      { directory: service.directory, database: { ...service.database, use } },
      {
        callApi: async () => {
          isGone = true
          return Response.json({ data: [], meta })
        },
      },
    )
    const { response, html } = await sendThrough(failing, person, LIST, { keyId })
    expect([isGone, response.status]).toEqual([true, 200])
    expect(answerIn(html)).toContain('5 credits were charged. 245 credits are left.')
  })

  test('the price is shown with the balance after the call, and the outcome of a reveal that it does not cover', async () => {
    const { person, keyId } = await caller(0, 'free')
    await service.sql`update accounts set balance = 12 where id = ${person.accountId}`
    const { html } = await send(person, PERSON, { keyId, id: ADA.slug })
    expect(answerIn(html)).toContain('7 credits are left.')
    expect(textIn(html)).toContain(
      'You have 7 credits: where it would reveal, the answer is a sample with invented records, and free.',
    )
  })

  test('an account without a ceiling sees the charge, and no credits that are left', async () => {
    const { person, keyId } = await caller(0, 'enterprise')
    const { html } = await send(person, LIST, { keyId })
    expect(answerIn(html)).toContain('5 credits were charged.')
    expect(answerIn(html)).not.toContain('left')
  })

  test('the newest of many keys and the beginning of a long answer are shown, so that the page stays small', async () => {
    const { person } = await caller()
    await service.sql`
      insert into api_keys (account_id, hash, prefix, label, scopes)
      select ${person.accountId}, gen_random_uuid()::text, 'ck_live_' || n, repeat('k', 80) || n, '{read:metadata}'
        from generate_series(1, 300) n`
    const html = await person.text(PERSON)
    const [, options = ''] = /name="keyId"[^>]*>(.*?)<\/select>/s.exec(html) ?? []
    expect(options.match(/<option/g)).toHaveLength(SHOWN_KEYS)
    expect(textIn(html)).toContain(`The newest ${SHOWN_KEYS} keys in force can be chosen here.`)
    const data = Array.from({ length: 900 }, () => ({ summary: '詳'.repeat(20) }))
    const meta = { creditsCharged: 5, creditsBalance: 245 }
    const long = await testSite(service, { callApi: async () => Response.json({ data, meta }) })
    const [, keyId = ''] = /<option value="([^"]+)"/.exec(options) ?? []
    const { html: answered } = await sendThrough(long, person, PERSON, { keyId, id: 'ada' })
    expect(answerIn(answered)).toMatch(/The first 4,000 of [\d,]+ bytes\./)
    expect(answered).not.toContain('\ufffd')
    expect(Buffer.byteLength(answered)).toBeLessThan(PAGE_BYTES)
  })

  test('a form of another site calls nothing', async () => {
    const { person, keyId } = await caller()
    const form = consoleIn(await person.text(LIST), LIST)
    form?.set('keyId', keyId)
    const response = await person.post(LIST, form ?? [], { 'sec-fetch-site': 'cross-site' })
    expect([response.status, await chargedTo(service, person)]).toEqual([403, 0])
  })
})

test('every endpoint can be called from its page, which says the price before', async () => {
  const { person, keyId } = await caller(1_000)
  for (const { path, endpoint = 'me' } of ENDPOINT_DOCUMENTS) {
    const { credits, revealCredits } = ENDPOINTS[endpoint]
    const html = await person.text(path)
    const price =
      revealCredits > credits ? `${credits} or ${revealCredits} credits` : `${credits} credits`
    expect([path, buttonIn(html, `${path}#answered`)]).toEqual([
      path,
      `Send ${credits === 0 ? 'free' : price}`,
    ])
    const id = endpoint === 'person' ? ADA.slug : AURORA.slug
    const sent = await send(person, path, { keyId, q: 'a', id, slug: id })
    // Aurora is neither fund nor provider.
    const expected = endpoint === 'investor' || endpoint === 'service' ? '404' : '200'
    expect([path, answerIn(sent.html)]).toEqual([
      path,
      expect.stringContaining(`Answer ${expected}`),
    ])
    expect([path, sent.html.length < PAGE_BYTES]).toEqual([path, true])
  }
})
