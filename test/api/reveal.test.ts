/** contract/States: the contact unlock. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { ADA, AURORA, BEN, CLEO, DAN, FANG, fixtures, PRIVATE_VALUES } from '../helpers/fixtures.ts'
import { type Caller, postgresService, type TestService } from '../helpers/service.ts'

let service: TestService

beforeAll(async () => {
  service = await postgresService(fixtures)
})
afterAll(() => service.stop())

const reveal = (person: { id: string }) => `/v1/people/${person.id}?include=private`
const read = (person: { id: string }) => `/v1/people/${person.id}`

const CHANNELS = ['email', 'phone', 'telegram', 'linkedinUrl'] as const
const channelsOf = (record: Record<string, unknown>) => CHANNELS.map((name) => record[name])
const ADAS = [ADA.email, ADA.phone, ADA.telegram, ADA.linkedinUrl]
const NONE = [null, null, null, null]

async function unlocksOf({ id }: Caller) {
  const rows = await service.sql`select person_id from unlocks where account_id = ${id}`
  return rows.map((row) => row.person_id)
}

describe('locked', () => {
  test('contract/States locked: a plain read shows isLocked true, the has flags, and null for every channel', async () => {
    const caller = await service.account({ credits: 100 })
    const { person } = (await caller.get(read(ADA))).body.data
    expect(person.isLocked).toBe(true)
    expect([person.hasEmail, person.hasPhone, person.hasTelegram, person.hasLinkedin]).toEqual([
      true,
      true,
      true,
      true,
    ])
    expect(channelsOf(person)).toEqual(NONE)
    expect(await unlocksOf(caller)).toEqual([])
  })

  test.each([
    [ADA, [true, true, true, true]],
    [BEN, [true, false, false, false]],
    [CLEO, [false, false, false, false]],
    [DAN, [false, false, true, true]],
    [FANG, [false, true, false, false]],
  ])(
    'contract/Person record: the has flags say before paying which channels there are: $firstName',
    async (who, flags) => {
      const caller = await service.account({ credits: 5 })
      const { person } = (await caller.get(read(who))).body.data
      const { hasEmail, hasPhone, hasTelegram, hasLinkedin } = person
      expect([hasEmail, hasPhone, hasTelegram, hasLinkedin]).toEqual(flags)
    },
  )
})

describe('locked → unlocked', () => {
  test('contract/States locked → unlocked: 10 credits, all four channels, the unlock written once', async () => {
    const caller = await service.account({ credits: 10 })
    const { status, body } = await caller.get(reveal(ADA))
    expect(status).toBe(200)
    expect(body.data.person.isLocked).toBe(false)
    expect(channelsOf(body.data.person)).toEqual(ADAS)
    expect(body.meta).toEqual({ creditsCharged: 10, creditsBalance: 0 })
    expect(await unlocksOf(caller)).toEqual([ADA.id])
  })

  test('contract/GET people id: on a reveal creditsCharged and creditsBalance also stand at the top level', async () => {
    const caller = await service.account({ credits: 100 })
    const revealed = (await caller.get(reveal(ADA))).body
    expect([revealed.creditsCharged, revealed.creditsBalance]).toEqual([10, 90])
    expect(Object.keys((await caller.get(read(BEN))).body)).toEqual(['data', 'meta'])
  })

  test('contract/States: a channel that a contact does not have stays null when the others are revealed', async () => {
    const caller = await service.account({ credits: 10 })
    const { person } = (await caller.get(reveal(DAN))).body.data
    expect(channelsOf(person)).toEqual([null, null, DAN.telegram, DAN.linkedinUrl])
    expect(person.isLocked).toBe(false)
  })

  test('contract/States: the condition read:contacts: without it nothing is revealed, charged or unlocked', async () => {
    const caller = await service.account({ credits: 100, scopes: ['read:metadata'] })
    const answer = await caller.get(reveal(ADA))
    expect(answer.status).toBe(403)
    for (const value of PRIVATE_VALUES) expect(answer.text).not.toContain(value)
    expect([await unlocksOf(caller), await service.balance(caller.id)]).toEqual([[], 100])
  })

  test('50 simultaneous first reveals of one contact: one is charged 10, the others 5, one unlock', async () => {
    const caller = await service.account({ credits: 1_000 })
    const answers = await Promise.all(Array.from({ length: 50 }, () => caller.get(reveal(ADA))))
    const charged = answers.map(({ body }) => body.meta.creditsCharged).sort((a, b) => b - a)
    expect(charged).toEqual([10, ...Array(49).fill(5)])
    for (const { body } of answers) expect(channelsOf(body.data.person)).toEqual(ADAS)
    expect(await unlocksOf(caller)).toEqual([ADA.id])
    expect(await service.balance(caller.id)).toBe(1_000 - 10 - 49 * 5)
  })

  test('by slug and by id it is the same contact: unlocked once', async () => {
    const caller = await service.account({ credits: 100 })
    await caller.get(`/v1/people/${ADA.slug}?include=private`)
    const { body } = await caller.get(reveal(ADA))
    expect(body.meta.creditsCharged).toBe(5)
  })
})

describe('unlocked', () => {
  test('contract/States unlocked: any later read costs 5 and shows the channels, with include=private or without', async () => {
    const caller = await service.account({ credits: 100 })
    await caller.get(reveal(ADA))
    for (const path of [read(ADA), reveal(ADA), `/v1/people/${ADA.slug}`]) {
      const { body } = await caller.get(path)
      expect([body.meta.creditsCharged, body.data.person.isLocked]).toEqual([5, false])
      expect(channelsOf(body.data.person)).toEqual(ADAS)
    }
    expect(await unlocksOf(caller)).toEqual([ADA.id])
  })

  test('contract/States unlocked: a key without read:contacts sees what its account has unlocked', async () => {
    const caller = await service.account({ credits: 100 })
    await caller.get(reveal(ADA))
    const { createKey } = await import('../../src/money/accounts/keys.ts')
    const { key } = await createKey(service.database, caller.id, 'reader', ['read:metadata'])
    const headers = { authorization: `Bearer ${key}` }
    const { body } = await service.request(read(ADA), { headers })
    expect(channelsOf(body.data.person)).toEqual(ADAS)
  })

  test('contract/States: the unlock is per account: another one still finds the contact locked', async () => {
    const owner = await service.account({ credits: 100 })
    await owner.get(reveal(ADA))
    const other = await service.account({ credits: 100 })
    const answer = await other.get(read(ADA))
    expect(answer.body.data.person.isLocked).toBe(true)
    for (const value of PRIVATE_VALUES) expect(answer.text).not.toContain(value)
    expect((await other.get(reveal(ADA))).body.meta.creditsCharged).toBe(10)
  })

  test('isLocked on lists and search turns false for the account that unlocked, while channels stay null', async () => {
    const caller = await service.account({ credits: 100 })
    await caller.get(reveal(ADA))
    for (const [path, group] of [
      ['/v1/people', 'data'],
      ['/v1/search?q=ada', 'people'],
    ] as const) {
      const { body } = await caller.get(path)
      const ada = body[group].find(({ id }: { id: string }) => id === ADA.id)
      expect([ada.isLocked, ...channelsOf(ada)]).toEqual([false, ...NONE])
    }
    const { body } = await (await service.account({ credits: 5 })).get('/v1/people')
    expect(body.data.every(({ isLocked }: { isLocked: boolean }) => isLocked)).toBe(true)
  })

  test('contract/GET projects id: team members and coworkers show channels only where unlocked', async () => {
    const caller = await service.account({ credits: 100 })
    await caller.get(reveal(ADA))
    const { team } = (await caller.get(`/v1/projects/${AURORA.id}`)).body
    const lines = team.map((one: Record<string, unknown>) => [
      one.id,
      one.isLocked,
      ...channelsOf(one),
    ])
    expect(lines).toEqual([
      [ADA.id, false, ...ADAS],
      [BEN.id, true, ...NONE],
      [CLEO.id, true, ...NONE],
    ])
    const { coworkers } = (await caller.get(read(BEN))).body.data
    expect(coworkers.map((one: Record<string, unknown>) => [one.id, ...channelsOf(one)])).toEqual([
      [ADA.id, ...ADAS],
      [CLEO.id, ...NONE],
    ])
  })
})

describe('nothing to reveal', () => {
  test('a contact without channels costs 5, takes nothing from the cap and stays locked with every flag false', async () => {
    const caller = await service.account({ credits: 100 })
    const { body } = await caller.get(reveal(CLEO))
    const { person } = body.data
    expect(body.meta).toEqual({ creditsCharged: 5, creditsBalance: 95 })
    expect([person.isLocked, person.hasEmail, person.hasPhone]).toEqual([true, false, false])
    expect(channelsOf(person)).toEqual(NONE)
    const [row] = await service.sql`
      select reveal_count, unlock_count from accounts where id = ${caller.id}`
    expect(row).toEqual({ reveal_count: 0, unlock_count: 0 })
  })

  test('with 5 credits on free it is live, because 5 is what it costs', async () => {
    const caller = await service.account({ credits: 5 })
    expect((await caller.get(reveal(CLEO))).body.sample).toBeUndefined()
  })
})

describe('a directory in memory that is behind the database', () => {
  /** Changes the database without a word to the change log, so that no follower hears of it. */
  const unheard = async (table: 'people' | 'private_channels', id: string) => {
    const { sql } = service
    await sql.begin(async (tx) => {
      await tx`set local session_replication_role = replica`
      await tx`delete from ${tx(table)} where ${tx(table === 'people' ? 'id' : 'person_id')} = ${id}`
    })
  }

  test('the reveal of a contact whose last channel went costs 5, and the contact stays locked', async () => {
    const caller = await service.account({ credits: 100 })
    await unheard('private_channels', FANG.id)
    const { status, body } = await caller.get(reveal(FANG))
    expect(status).toBe(200)
    expect(body.meta).toEqual({ creditsCharged: 5, creditsBalance: 95 })
    expect(body.creditsCharged).toBeUndefined()
    expect([body.data.person.isLocked, ...channelsOf(body.data.person)]).toEqual([true, ...NONE])
    expect(await unlocksOf(caller)).toEqual([])
  })

  test('reveal and read of a person who was deleted answer 404 and cost nothing', async () => {
    const caller = await service.account({ credits: 100 })
    await unheard('people', DAN.id)
    for (const path of [reveal(DAN), read(DAN)]) {
      const { status, body } = await caller.get(path)
      expect([status, body.error.code]).toEqual([404, 'not_found'])
    }
    const [row] = await service.sql`select balance::integer from accounts where id = ${caller.id}`
    expect(row?.balance).toBe(100)
    expect(await unlocksOf(caller)).toEqual([])
  })
})
