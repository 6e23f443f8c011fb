/** contract/Sample responses, States: derived sample state. */
import { expect } from 'bun:test'
import { setAccount } from '../../src/money/accounts/accounts.ts'
import { grantCredits } from '../../src/money/accounts/credits.ts'
import { ADA, AURORA, BILLED_CALLS, COMPANIES, EMBER, HARBOR, PEOPLE } from '../helpers/fixtures.ts'
import {
  INVESTOR,
  MEMBER,
  PERSON,
  PERSON_DETAIL,
  PORTFOLIO_ROW,
  PROJECT,
  PROJECT_DETAIL,
  type Shape,
} from '../helpers/shapes.ts'
import { group, type Suite } from './suite.ts'

const REVEAL = `/v1/people/${ADA.slug}?include=private`
const PATHS = [...BILLED_CALLS, REVEAL]
const FREE = { credits: 4 }

/** The shapes of the synthetic records, which are those of live ones. */
const SHAPES: Readonly<Record<string, Readonly<Record<string, Shape>>>> = {
  '/v1/people': { 'data[]': PERSON },
  [`/v1/people/${ADA.slug}`]: { 'data.person': PERSON_DETAIL, 'data.coworkers[]': MEMBER },
  '/v1/projects': { 'data[]': PROJECT },
  [`/v1/projects/${AURORA.slug}`]: { project: PROJECT_DETAIL, 'team[]': MEMBER },
  '/v1/investors': { 'data[]': INVESTOR },
  [`/v1/investors/${EMBER.slug}`]: { investor: INVESTOR, 'portfolio[]': PORTFOLIO_ROW },
  '/v1/services': { 'data[]': PROJECT },
  [`/v1/services/${HARBOR.slug}`]: { service: PROJECT, 'team[]': MEMBER },
  '/v1/search?q=aurora': { 'projects[]': PROJECT, 'people[]': PERSON },
}

export function samples(suite: Suite): void {
  const upgradeUrl = expect.stringMatching(/^http:.*\/credits$/)
  group(suite, 'contract/Sample responses', ({ rows, story }) => {
    rows([
      ...PATHS.map((path) => {
        const creditsRequired = path === REVEAL ? 10 : 5
        return {
          name: 'marked at every level; the notice quotes balance and price; no real record is in it',
          path,
          by: FREE,
          sends: { 'service-sample': 'true' },
          holds: {
            sample: true,
            total: expect.any(Number),
            meta: {
              creditsCharged: 0,
              creditsBalance: 4,
              creditsRequired,
              sample: true,
              upgradeUrl,
            },
            notice: expect.stringMatching(/^NOT REAL DATA/),
          },
          shapes: SHAPES[path] ?? {},
          says: [
            `costs ${creditsRequired} credits`,
            'balance is 4',
            `Top up by ${creditsRequired - 4} at http`,
            ...(path.split('/').length === 4 ? ['was not looked up'] : []),
          ],
          lacks: [...[...COMPANIES, ...PEOPLE].map(({ id }) => id), AURORA.name],
        }
      }),
      ...['people', 'projects', 'investors', 'services'].flatMap((list) =>
        (
          [
            ['page=4&limit=50', 4, 50, 3],
            ['limit=2', 1, 2, 2],
          ] as const
        ).map(([query, page, limit, records]) => ({
          name: 'at most 3 records, fewer where limit says so; page and limit are echoed',
          path: `/v1/${list}?${query}`,
          by: FREE,
          holds: { page, limit, 'data[].id': Array(records).fill(expect.any(String)) },
        })),
      ),
      {
        path: '/v1/search?q=a&limit=1',
        by: FREE,
        holds: {
          limit: 1,
          'projects[].id': [expect.any(String)],
          'people[].id': [expect.any(String)],
        },
      },
      ...['/v1/search', '/v1/people?include=private', '/v1/projects?sort=x'].map((path) => ({
        name: 'wrong parameters are still a 400',
        path,
        by: FREE,
        code:
          path === '/v1/search' ? ('missing_parameter' as const) : ('invalid_parameter' as const),
      })),
    ])

    story(
      'the live answer’s fields stand at top level, beside the marks, data and total',
      async (world) => {
        const free = await world.account(FREE)
        for (const path of PATHS) {
          const live = Object.keys(await world.bodyOf(path))
          const { body } = await free.get(path)
          const expected = live.filter((name) => !name.startsWith('credits'))
          const marks = ['data', 'notice', 'sample', 'total']
          expect(Object.keys(body).sort()).toEqual([...new Set([...expected, ...marks])].sort())
        }
        const { data, project } = (await free.get(`/v1/projects/${AURORA.slug}`)).body
        expect(data).toEqual([project])
        const found = (await free.get('/v1/search?q=aurora')).body
        expect(found.data).toEqual([...found.projects, ...found.people])
      },
    )

    story('the same at every call, for every account, and whatever the id', async (world) => {
      const [free, other] = [await world.account(FREE), await world.account(FREE)]
      for (const path of PATHS) {
        const { text } = await free.get(path)
        expect((await other.get(path)).text).toBe(text)
        const isSingle = path.split('/').length === 4
        const wrong = isSingle ? path.replace(/\/[^/?]+(?=\?|$)/, '/no-such-record') : path
        expect((await free.get(wrong)).text).toBe(text)
      }
    })

    story('a sampled reveal shows invented channels and is not a reveal', async (world) => {
      const caller = await world.account({ credits: 9 })
      const { email, phone, telegram, linkedinUrl } = (await caller.get(REVEAL)).body.data.person
      for (const value of [email, phone, telegram, linkedinUrl]) expect(value).toMatch(/sample|555/)
      expect(await world.unlocks(caller)).toEqual([])
    })
  })

  group(suite, 'contract/States: derived sample state', ({ story }) => {
    story(
      'true when a free balance falls below the price, false when credits come',
      async (world) => {
        const caller = await world.account({ credits: 5 })
        const stateOf = async () => {
          const { tier, sampleMode } = (await caller.get('/v1/me')).body
          return [tier, sampleMode, (await caller.get('/v1/people')).body.sample]
        }
        expect(await stateOf()).toEqual(['free', false, undefined])
        expect(await stateOf()).toEqual(['free', true, true])
        await grantCredits(world.hosts.database, caller.id, 5, 'topup')
        expect(await stateOf()).toEqual(['free', false, undefined])
      },
    )

    story('depends on the tier too: the same balance on a paid one is a 402', async (world) => {
      const caller = await world.account()
      const statuses: unknown[] = []
      for (const tier of ['free', 'starter', 'free'] as const) {
        await setAccount(world.hosts.database, caller.id, { tier })
        const { status, body } = await caller.get('/v1/people')
        statuses.push(body.sample ?? status)
      }
      expect(statuses).toEqual([true, 402, true])
    })
  })
}
