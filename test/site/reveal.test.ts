/** Profiles: looking is free, a button charges what it says, once, and only its answer holds what was paid for. */
import { afterAll, describe, expect, test } from 'bun:test'
import { setAccount } from '../../src/money/accounts/accounts.ts'
import { unlockedAmong } from '../../src/money/accounts/unlocks.ts'
import { ADA, AURORA, BEN, CLEO, fixtures, PRIVATE_VALUES } from '../helpers/fixtures.ts'
import { buttonIn, textIn } from './reading.ts'
import { loadForm, type Person, sharedPostgresTown } from './visitor.ts'

const ADAS = `/people/${ADA.slug}`
const BENS = `/people/${BEN.slug}`
const AURORAS = `/projects/${AURORA.slug}`

const { service, town } = sharedPostgresTown(fixtures, () => ({ trialCredits: 0 }))
afterAll(() => {
  expect(privateIn(town.site.logged.join())).toEqual([])
})

const customer = (credits: number) => town.customer(credits, 'starter')

const privateIn = (html: string) =>
  PRIVATE_VALUES.filter((value) => textIn(html).includes(value) || html.includes(value))
const charges = async ({ accountId }: Person) =>
  (
    await service.sql<{ credits: number }[]>`
      select credits::integer from ledger
       where account_id = ${accountId} and kind = 'charge' order by sequence`
  ).map(({ credits }) => -credits)
async function press(someone: Person, path: string) {
  const response = await someone.post(path, await loadForm(someone, path))
  return { response, text: await response.text() }
}
const isUnlocked = async ({ accountId }: Person, id: string) =>
  (await unlockedAmong(service.database, accountId, [id])).has(id)

describe('a reveal by button', () => {
  test('says its price before, charges that, and shows the channels on its answer', async () => {
    const someone = await customer(20)
    const before = await someone.text(ADAS)
    expect(buttonIn(before, ADAS)).toBe('Reveal contact 10 credits')
    expect(privateIn(before)).toEqual([])
    const { response, text } = await press(someone, ADAS)
    expect([response.status, response.headers.get('cache-control')]).toEqual([200, 'no-store'])
    expect(textIn(text)).toContain('10 credits were charged. 10 left.')
    for (const value of [ADA.email, ADA.phone, ADA.telegram, ADA.linkedinUrl]) {
      expect(textIn(text)).toContain(value)
    }
    expect(await charges(someone)).toEqual([10])
  })

  test('from then on the account sees the channels wherever the person is shown, at no cost, and nobody else does', async () => {
    const someone = await customer(20)
    await press(someone, ADAS)
    for (const path of [ADAS, AURORAS, BENS, '/contacts']) {
      const page = await someone.get(path)
      const text = await page.text()
      expect([path, textIn(text).includes(ADA.email), textIn(text).includes(BEN.email)]).toEqual([
        path,
        true,
        false,
      ])
      expect(page.headers.get('cache-control')).toBe('no-store')
    }
    for (const reader of [await customer(0), town.visitor()]) {
      for (const path of [ADAS, AURORAS, BENS, '/people', '/search?q=ada', '/contacts']) {
        expect([path, privateIn(await reader.text(path))]).toEqual([path, []])
      }
    }
    expect(buttonIn(await someone.text(ADAS), ADAS)).toBeUndefined()
    expect(await charges(someone)).toEqual([10])
  })

  test('pressed five times at once and reloaded it is charged once, each answer with the channels', async () => {
    const someone = await customer(100)
    const form = await loadForm(someone, ADAS)
    const pressed = Array.from({ length: 5 }, () => someone.post(ADAS, form))
    const answers = [...(await Promise.all(pressed)), await someone.post(ADAS, form)]
    const texts = await Promise.all(answers.map(async (answer) => textIn(await answer.text())))
    expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 200))
    for (const text of texts) expect(text).toContain(ADA.email)
    const repeated = 'This was charged before; nothing more was. 90 left.'
    const charged = '10 credits were charged. 90 left.'
    expect(texts.filter((text) => text.includes(charged))).toHaveLength(1)
    expect(texts.filter((text) => text.includes(repeated))).toHaveLength(5)
    expect(await charges(someone)).toEqual([10])
    expect(await service.balance(someone.accountId)).toBe(90)
  })

  test('where the channels went since the page was loaded it says that nothing was charged', async () => {
    const someone = await customer(20)
    const form = await loadForm(someone, ADAS)
    const [channels] = await service.sql`
      delete from private_channels where person_id = ${ADA.id} returning *`
    const text = textIn(await (await someone.post(ADAS, form)).text())
    await service.sql`insert into private_channels ${service.sql(channels!)}`
    // The pages of the tests after this one know of the channels again.
    await service.directory.refresh()
    expect(text).toContain('Nothing was charged: no channel is on file any more. 20 left.')
    expect(text).not.toContain('charged before')
    expect(await charges(someone)).toEqual([])
  })

  test('with too few credits nothing is charged, unlocked or shown, and the way to more is there', async () => {
    const someone = await customer(9)
    const { response, text } = await press(someone, ADAS)
    expect(response.status).toBe(402)
    expect(textIn(text)).toContain('Nothing was charged: this takes 10 credits, and you have 9.')
    expect(text).toContain('href="/credits"')
    expect(privateIn(text)).toEqual([])
    expect(await charges(someone)).toEqual([])
    expect(await isUnlocked(someone, ADA.id)).toBe(false)
  })

  test('over the rate nothing is charged, and it says when to try again', async () => {
    const someone = await customer(1_000)
    await setAccount(service.database, someone.accountId, { tier: 'enterprise' })
    const form = await loadForm(someone, ADAS)
    const answers = await Promise.all(Array.from({ length: 20 }, () => someone.post(ADAS, form)))
    const limited = answers.filter(({ status }) => status === 429)
    expect(limited.length).toBeGreaterThan(0)
    for (const answer of limited) {
      expect(Number(answer.headers.get('retry-after'))).toBeGreaterThan(0)
      const text = textIn(await answer.text())
      expect(text).toContain('Nothing was charged: the account is over its request rate.')
    }
    expect((await charges(someone)).filter((it) => it > 0)).toEqual([10])
  })

  test('the form of one person’s page opens no other, and one that is not whole nothing', async () => {
    const someone = await customer(100)
    const form = await loadForm(someone, ADAS)
    await someone.post(ADAS, form)
    const elsewhere = await someone.post(BENS, form)
    const text = await elsewhere.text()
    expect([elsewhere.status, privateIn(text)]).toEqual([400, []])
    expect(textIn(text)).toContain('This form was sent before, for another page')
    expect(textIn(text)).toContain('Nothing was charged.')
    const broken = await loadForm(someone, BENS)
    for (const key of ['', 'x', ADA.slug]) {
      broken.set('idempotencyKey', key)
      expect((await someone.post(BENS, broken)).status).toBe(400)
    }
    broken.set('idempotencyKey', crypto.randomUUID())
    broken.set('csrf', 'forged')
    expect((await someone.post(BENS, broken)).status).toBe(403)
    expect(await charges(someone)).toEqual([10])
    expect(await isUnlocked(someone, BEN.id)).toBe(false)
  })

  test('where nothing is on file there is no button', async () => {
    const page = await (await customer(100)).text(`/people/${CLEO.slug}`)
    expect(page).toContain('There is nothing to reveal.')
    expect(buttonIn(page, `/people/${CLEO.slug}`)).toBeUndefined()
  })

  test('whoever is not signed in is offered the trial and led back, and charged nothing', async () => {
    const stranger = town.visitor()
    const page = await stranger.text(ADAS)
    expect(page).toContain(`href="/sign-up?returnUrl=${encodeURIComponent(ADAS)}"`)
    const signUp = await stranger.text(`/sign-up?returnUrl=${encodeURIComponent(ADAS)}`)
    expect(signUp).toContain(`name="returnUrl" value="${ADAS}"`)
    for (const elsewhere of ['https://evil.example/', '//evil.example', '/\\\\evil.example']) {
      const page = await stranger.text(`/sign-up?${new URLSearchParams({ returnUrl: elsewhere })}`)
      expect(page).not.toContain('evil.example')
    }
    const sent = await stranger.post(ADAS, [['idempotencyKey', crypto.randomUUID()]])
    expect(sent.status).toBe(403)
    const next = await stranger.submit('/sign-in', { idempotencyKey: crypto.randomUUID() }, ADAS)
    expect(next.headers.get('location')).toBe(`/sign-in?returnUrl=${encodeURIComponent(ADAS)}`)
  })
})
