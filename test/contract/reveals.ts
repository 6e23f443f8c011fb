/** contract/States: the unlock of a contact; private channels are seen by the account that unlocked them alone. */
import { expect } from 'bun:test'
import { createKey } from '../../src/money/accounts/keys.ts'
import {
  ADA,
  AURORA,
  BEN,
  CLEO,
  COMPANIES,
  DAN,
  EMBER,
  HARBOR,
  PEOPLE,
  PRIVATE_VALUES,
} from '../helpers/fixtures.ts'
import { group, type Row, type Suite } from './suite.ts'

const reveal = ({ id }: { id: string }) => `/v1/people/${id}?include=private`
const read = ({ id }: { id: string }) => `/v1/people/${id}`

const channelsOf = ({ email, phone, telegram, linkedinUrl }: Record<string, unknown>) => [
  ...[email, phone, telegram, linkedinUrl],
]
const ADAS = channelsOf(ADA)
const NONE = [null, null, null, null]

function expectNothingPrivate(text: string) {
  for (const value of PRIVATE_VALUES) expect(text).not.toContain(value)
}

export function reveals(suite: Suite): void {
  group(suite, 'contract/States', ({ rows, story }) => {
    rows([
      {
        name: 'locked → unlocked: all four channels; what a self-billed reveal cost stands at top level too',
        path: reveal(ADA),
        by: { credits: 10 },
        costs: 10,
        keys: { '': ['data', 'creditsCharged', 'creditsBalance', 'meta'] },
        holds: {
          creditsCharged: 10,
          creditsBalance: 0,
          'data.person': expect.objectContaining({
            isLocked: false,
            email: ADA.email,
            phone: ADA.phone,
            telegram: ADA.telegram,
            linkedinUrl: ADA.linkedinUrl,
          }),
        },
      },
      {
        name: 'a channel that a contact does not have stays null',
        path: reveal(DAN),
        by: { credits: 10 },
        costs: 10,
        holds: {
          'data.person.isLocked': false,
          'data.person.email': null,
          'data.person.telegram': DAN.telegram,
        },
      },
      {
        name: 'a contact without channels stays locked, for the price of a read',
        path: reveal(CLEO),
        by: { credits: 5 },
        keys: { '': ['data', 'meta'] },
        holds: { 'data.person.isLocked': true, 'data.person.hasEmail': false, sample: undefined },
      },
    ])

    story(
      'unlocked: any later read costs 5 and shows the channels; the unlock is written once',
      async (world) => {
        const caller = await world.account({ credits: 100 })
        const charged: number[] = []
        for (const path of [reveal(ADA), read(ADA), reveal(ADA), `/v1/people/${ADA.slug}`]) {
          const { body } = await caller.get(path)
          charged.push(body.meta.creditsCharged)
          expect([body.data.person.isLocked, ...channelsOf(body.data.person)]).toEqual([
            false,
            ...ADAS,
          ])
        }
        expect(charged).toEqual([10, 5, 5, 5])
        expect(await world.unlocks(caller)).toEqual([ADA.id])
        const made = await createKey(world.hosts.database, caller.id, 'reader', ['read:metadata'])
        const { person } = (await world.caller(caller.id, made.key).get(read(ADA))).body.data
        expect(channelsOf(person)).toEqual(ADAS)
      },
    )

    story('of simultaneous first reveals one costs 10, and the others 5', async (world) => {
      const caller = await world.account({ credits: 1_000 })
      const answers = await Promise.all(Array.from({ length: 20 }, () => caller.get(reveal(ADA))))
      const charged = answers.map(({ body }) => body.meta.creditsCharged).sort((a, b) => b - a)
      expect(charged).toEqual([10, ...Array(19).fill(5)])
      for (const { body } of answers) expect(channelsOf(body.data.person)).toEqual(ADAS)
      expect(await world.unlocks(caller)).toEqual([ADA.id])
      expect(await world.balance(caller)).toBe(1_000 - 10 - 19 * 5)
    })

    story(
      'a reveal that has nothing to show, and HEAD, take nothing from the cap and unlock nobody',
      async (world) => {
        const caller = await world.account({ credits: 100 })
        await caller.get(reveal(CLEO))
        await caller.head(reveal(ADA))
        const [row] = await world.sql`
        select reveal_count, unlock_count from accounts where id = ${caller.id}`
        expect(row).toEqual({ reveal_count: 0, unlock_count: 0 })
      },
    )

    story(
      'isLocked of lists is false for the account that unlocked, while channels stay null',
      async (world) => {
        const [caller, other] = [
          await world.account({ credits: 100 }),
          await world.account({ credits: 5 }),
        ]
        await caller.get(reveal(ADA))
        for (const [path, records] of [
          ['/v1/people?q=ada', 'data'],
          ['/v1/search?q=ada', 'people'],
        ] as const) {
          const [ada] = (await caller.get(path)).body[records]
          expect([ada.id, ada.isLocked, ...channelsOf(ada)]).toEqual([ADA.id, false, ...NONE])
        }
        expect((await other.get('/v1/people?q=ada')).body.data[0].isLocked).toBe(true)
      },
    )

    story(
      'GET projects id: team and coworkers show channels only where unlocked',
      async (world) => {
        const caller = await world.account({ credits: 100 })
        await caller.get(reveal(ADA))
        const { team } = (await caller.get(`/v1/projects/${AURORA.id}`)).body
        const { coworkers } = (await caller.get(read(BEN))).body.data
        const shown = [...team, ...coworkers].map((one) => [
          one.id,
          one.isLocked,
          ...channelsOf(one),
        ])
        expect(shown).toEqual([
          [ADA.id, false, ...ADAS],
          [BEN.id, true, ...NONE],
          [CLEO.id, true, ...NONE],
          [ADA.id, false, ...ADAS],
          [CLEO.id, true, ...NONE],
        ])
      },
    )
  })

  const lists = [
    ...['/v1/people?limit=7', '/v1/people?channels=phone,telegram,linkedin', '/v1/people?q=ada'],
    ...['/v1/projects', '/v1/investors', '/v1/services', '/v1/search?q=a', '/v1/me'],
  ]
  const single = [
    ...PEOPLE.map(({ id }) => `/v1/people/${id}`),
    ...COMPANIES.map(({ id }) => `/v1/projects/${id}`),
    ...[`/v1/investors/${EMBER.id}`, `/v1/services/${HARBOR.id}`],
  ]

  group(suite, 'contract/Person record: private channels', ({ rows, story }) => {
    story(
      'lists show none, to nobody; records show those of their account, to no other',
      async (world) => {
        const [owner, other] = [
          await world.account({ credits: 500 }),
          await world.account({ credits: 500 }),
        ]
        const texts: string[] = []
        for (const { id } of PEOPLE)
          texts.push((await owner.get(`/v1/people/${id}?include=private`)).text)
        for (const value of PRIVATE_VALUES) expect(texts.join()).toContain(value)
        for (const path of lists) expectNothingPrivate((await owner.get(path)).text)
        for (const path of [...lists, ...single]) expectNothingPrivate((await other.get(path)).text)
      },
    )
    rows([
      ...[`${reveal(ADA)}&page=1`, `${read(ADA)}?include=public`, '/v1/people?include=private'].map(
        (path): Row => ({
          name: 'an error names no private value',
          path,
          code: path.includes('page') ? 'unknown_parameter' : 'invalid_parameter',
          lacks: PRIVATE_VALUES,
        }),
      ),
      {
        name: 'nobody is found by a private channel',
        path: `/v1/people?q=${encodeURIComponent(BEN.email)}&limit=100`,
        lacks: [BEN.id],
      },
      {
        path: `/v1/people/${encodeURIComponent(ADA.email)}`,
        code: 'not_found',
        lacks: PRIVATE_VALUES,
      },
    ])
  })
}
