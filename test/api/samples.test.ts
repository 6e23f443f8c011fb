/** contract/Sample responses, the sample state machine. */
import { describe, expect, test } from 'bun:test'
import { setAccount } from '../../src/money/accounts/accounts.ts'
import { grantCredits } from '../../src/money/accounts/credits.ts'
import { ADA, AURORA, BILLED_CALLS, COMPANIES, EMBER, HARBOR, PEOPLE } from '../helpers/fixtures.ts'
import {
  expectShape,
  INVESTOR,
  MEMBER,
  PERSON,
  PERSON_DETAIL,
  PORTFOLIO_ROW,
  PROJECT,
  PROJECT_DETAIL,
} from '../helpers/shapes.ts'
import { startApi } from './setup.ts'

const { service, caller: free } = await startApi({ credits: 4 })

/** Every billed endpoint, by a call that would be live. */
const PATHS = [...BILLED_CALLS, `/v1/people/${ADA.slug}?include=private`]
const SINGLE = PATHS.filter((path) => path.split('/').length === 4)

describe('contract/Sample responses', () => {
  test.each(PATHS)(
    'contract/Sample responses: %s is a 200 marked by its header, by sample and by meta.sample',
    async (path) => {
      const { status, headers, body } = await free.get(path)
      expect([status, headers.get('service-sample'), body.sample, body.meta.sample]).toEqual([
        200,
        'true',
        true,
        true,
      ])
    },
  )

  test.each(PATHS)(
    'contract/Sample responses: the notice of %s opens with NOT REAL DATA, quotes balance against price and gives an address',
    async (path) => {
      const { body } = await free.get(path)
      const price = path.endsWith('include=private') ? 10 : 5
      expect(body.notice).toStartWith('NOT REAL DATA')
      expect(body.notice).toContain(`costs ${price} credits`)
      expect(body.notice).toContain('balance is 4')
      expect(body.notice).toContain(body.meta.upgradeUrl)
      expect(body.notice).toContain(`Top up by ${price - 4} `)
    },
  )

  test.each(PATHS)(
    'contract/Sample responses: meta of %s says 0 charged, the balance, the price and where to top up',
    async (path) => {
      const { body } = await free.get(path)
      const { upgradeUrl, ...meta } = body.meta
      expect(meta).toEqual({
        creditsCharged: 0,
        creditsBalance: 4,
        creditsRequired: path.endsWith('include=private') ? 10 : 5,
        sample: true,
      })
      expect(URL.canParse(upgradeUrl)).toBe(true)
      expect(await service.balance(free.id)).toBe(4)
    },
  )

  test.each(PATHS)(
    'contract/Sample responses: %s has the live answer’s fields at top level, plus the marks, data and a number total',
    async (path) => {
      const rich = await service.account({ credits: 100 })
      const live = Object.keys((await rich.get(path)).body)
      const { body } = await free.get(path)
      const expected = live.filter((name) => !name.startsWith('credits'))
      expect(Object.keys(body)).toEqual(expect.arrayContaining(expected))
      const extra = Object.keys(body)
        .filter((name) => !expected.includes(name))
        .sort()
      const marks = ['data', 'notice', 'sample', 'total'].filter((name) => !live.includes(name))
      expect(extra).toEqual(marks)
      expect(body.total).toBeNumber()
    },
  )

  test('contract/Sample responses: the synthetic records have exactly the live records’ fields and types', async () => {
    const bodyOf = async (path: string) => (await free.get(path)).body
    for (const person of (await bodyOf('/v1/people')).data) expectShape(person, PERSON)
    for (const project of (await bodyOf('/v1/projects')).data) expectShape(project, PROJECT)
    for (const investor of (await bodyOf('/v1/investors')).data) expectShape(investor, INVESTOR)
    for (const provider of (await bodyOf('/v1/services')).data) expectShape(provider, PROJECT)
    const { person, coworkers } = (await bodyOf(PATHS[1] ?? '')).data
    expectShape(person, PERSON_DETAIL)
    for (const coworker of coworkers) expectShape(coworker, MEMBER)
    const project = await bodyOf(`/v1/projects/${AURORA.slug}`)
    expectShape(project.project, PROJECT_DETAIL)
    for (const member of project.team) expectShape(member, MEMBER)
    const fund = await bodyOf(`/v1/investors/${EMBER.slug}`)
    expectShape(fund.investor, INVESTOR)
    for (const row of fund.portfolio) expectShape(row, PORTFOLIO_ROW)
    expectShape((await bodyOf(`/v1/services/${HARBOR.slug}`)).service, PROJECT)
    const search = await bodyOf('/v1/search?q=aurora')
    for (const one of search.projects) expectShape(one, PROJECT)
    for (const one of search.people) expectShape(one, PERSON)
  })

  test('where the live body has no data, data holds the same synthetic records', async () => {
    const { body } = await free.get(`/v1/projects/${AURORA.slug}`)
    expect(body.data).toEqual([body.project])
    const search = (await free.get('/v1/search?q=aurora')).body
    expect(search.data).toEqual([...search.projects, ...search.people])
  })

  test('contract/Sample responses: the real query is not run: no real record is in a sample', async () => {
    const texts = await Promise.all(PATHS.map(async (path) => (await free.get(path)).text))
    for (const { id } of [...COMPANIES, ...PEOPLE]) expect(texts.join()).not.toContain(id)
    expect(texts.join()).not.toContain(AURORA.name)
  })

  test.each(SINGLE)(
    'contract/Sample responses: %s never looks its id up: a wrong one gets the same sample, and the notice says so',
    async (path) => {
      const right = await free.get(path)
      const wrong = await free.get(path.replace(/\/[^/?]+(?=\?|$)/, '/no-such-record'))
      expect(wrong.text).toBe(right.text)
      expect(right.body.notice).toContain('not looked up')
    },
  )

  test('a sample holds at most 3 records, fewer where limit says so, and echoes page and limit', async () => {
    for (const path of ['/v1/people', '/v1/projects', '/v1/investors', '/v1/services']) {
      const three = (await free.get(`${path}?page=4&limit=50`)).body
      expect([three.page, three.limit, three.data.length]).toEqual([4, 50, 3])
      const two = (await free.get(`${path}?limit=2`)).body
      expect([two.page, two.limit, two.data.length]).toEqual([1, 2, 2])
    }
    const search = (await free.get('/v1/search?q=a&limit=1')).body
    expect([search.limit, search.projects.length, search.people.length]).toEqual([1, 1, 1])
  })

  test('a sample is the same at every call and for every account', async () => {
    const other = await service.account({ credits: 4 })
    for (const path of PATHS) expect((await other.get(path)).text).toBe((await free.get(path)).text)
  })

  test('contract/Sample responses: wrong parameters are still a 400: a sample answers only calls that would be live', async () => {
    for (const path of ['/v1/search', '/v1/people?include=private', '/v1/projects?sort=x']) {
      expect((await free.get(path)).status).toBe(400)
    }
  })

  test('a reveal with a key that lacks read:contacts is a 403 also in sample mode', async () => {
    const caller = await service.account({ scopes: ['read:metadata'] })
    expect((await caller.get(`/v1/people/${ADA.slug}?include=private`)).status).toBe(403)
  })
})

describe('contract/States: derived sample state', () => {
  test('contract/States: sampleMode turns true when a free balance falls below the price, false when credits are added', async () => {
    const caller = await service.account({ credits: 5 })
    const mode = async () => (await caller.get('/v1/me')).body.sampleMode
    expect(await mode()).toBe(false)
    expect((await caller.get('/v1/people')).body.sample).toBeUndefined()
    expect(await mode()).toBe(true)
    expect((await caller.get('/v1/people')).body.sample).toBe(true)
    // No plan change is needed: credits are enough.
    await grantCredits(service.database, caller.id, 5, 'topup')
    expect(await mode()).toBe(false)
    const live = await caller.get('/v1/people')
    expect([live.body.sample, live.body.meta.creditsCharged]).toEqual([undefined, 5])
    expect((await caller.get('/v1/me')).body.tier).toBe('free')
  })

  test('contract/States: it depends on the tier too: the same balance on a paid tier is a 402, never a sample', async () => {
    const caller = await service.account()
    expect((await caller.get('/v1/people')).body.sample).toBe(true)
    await setAccount(service.database, caller.id, { tier: 'starter' })
    expect((await caller.get('/v1/people')).status).toBe(402)
    await setAccount(service.database, caller.id, { tier: 'free' })
    expect((await caller.get('/v1/people')).body.sample).toBe(true)
  })

  test.each([5, 9])(
    'with %d credits on free, plain reads are live and a first reveal is a sample that requires 10',
    async (credits) => {
      const caller = await service.account({ credits })
      const sample = await caller.get(`/v1/people/${ADA.slug}?include=private`)
      expect(sample.body.meta).toMatchObject({
        sample: true,
        creditsRequired: 10,
        creditsBalance: credits,
      })
      expect(sample.text).not.toContain(ADA.email)
      const plain = await caller.get(`/v1/people/${ADA.slug}`)
      expect(plain.body.meta).toEqual({ creditsCharged: 5, creditsBalance: credits - 5 })
      expect(await service.sql`select from unlocks where account_id = ${caller.id}`).toHaveLength(0)
    },
  )

  test('a contact that is already unlocked costs 5 to read, so with 5 credits it is live', async () => {
    const caller = await service.account({ credits: 15 })
    await caller.get(`/v1/people/${ADA.slug}?include=private`)
    const { body } = await caller.get(`/v1/people/${ADA.slug}?include=private`)
    expect([body.sample, body.data.person.email, body.meta.creditsBalance]).toEqual([
      undefined,
      ADA.email,
      0,
    ])
  })

  test('contract/Sample responses: a sampled reveal shows invented channels and is not a reveal', async () => {
    const { body } = await free.get(`/v1/people/${ADA.slug}?include=private`)
    const { email, phone, telegram, linkedinUrl } = body.data.person
    for (const value of [email, phone, telegram, linkedinUrl]) expect(value).toMatch(/sample|555/)
  })
})
