/**
 * A reading is a value. Whatever changes in the directory between a read and its charge, an answer
 * shows one state of it, the contacts that the meter is asked for are those that are rendered, and no
 * charged call fails. `MOMENT_TIMES=10` for ten times as many cases, new ones each time.
 */
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { randomUUID } from 'node:crypto'
import fc from 'fast-check'
import { COMPANY_TYPES } from '../../../src/contract/vocabulary.ts'
import type { Database } from '../../../src/database/client.ts'
import type { Meter } from '../../../src/money/charge/meter.ts'
import { crowd, fixtures } from '../../helpers/fixtures.ts'
import { LIMIT_MS } from '../../helpers/limit.ts'
import { type Caller, postgresService, type TestService } from '../../helpers/service.ts'
import { formIn } from '../../site/reading.ts'
import { chargedTo, type Person, startTown, type Town } from '../../site/visitor.ts'

const TIMES = Number(process.env.MOMENT_TIMES ?? 1)
setDefaultTimeout(LIMIT_MS * TIMES)

/** More than one charge of an export pays for. */
const CROWD = 1_050
const COMPANIES = 5
const PEOPLE = 8
const ROUNDS = 4

const companyId = (n: number) => `00000001-0000-7000-8000-00000000000${n}`
const personId = (n: number) => `00000002-0000-7000-8000-00000000000${n}`
const roundId = (n: number) => `00000003-0000-7000-8000-00000000000${n}`

let service: TestService
let town: Town
let caller: Caller
let person: Person
/** Changes the directory once, when something is waited for next. */
let interference: (() => Promise<void>) | null = null
/** What was charged since it was last emptied. */
let calls: Parameters<Meter['charge']>[0][] = []

async function interfere() {
  const work = interference
  interference = null
  await work?.()
}

beforeAll(async () => {
  let meter: Meter | undefined
  service = await postgresService(
    async (database) => {
      await fixtures(database)
      await crowd(database, CROWD)
    },
    {},
    (real) => {
      meter = { ...real, charge }
      async function charge(call: Parameters<Meter['charge']>[0]) {
        calls.push(call)
        await interfere()
        return real.charge(call)
      }
      return meter
    },
  )
  const { database } = service
  const interrupted: Database = {
    ...database,
    use: async (work, options) => {
      await interfere()
      return database.use(work, options)
    },
  }
  const application = { database: interrupted, ...(meter ? { meter } : {}) }
  town = await startTown(service, { trialCredits: 0, application })
  for (let n = 0; n < COMPANIES; n++) await putCompany(n, n)
  for (let n = 0; n < PEOPLE; n++) await putPerson(n, n)
  for (let n = 0; n < ROUNDS; n++) await putRound(n, n)
  await service.directory.refresh()
})
afterAll(() => service.stop())

/** A record goes, or is put as its `variant` says. */
interface Change {
  kind: 'company' | 'person' | 'round' | 'channels'
  n: number
  variant: number
  goes: boolean
}
const change: fc.Arbitrary<Change> = fc.record({
  kind: fc.constantFrom('company', 'person', 'round', 'channels'),
  n: fc.nat(COMPANIES - 1),
  variant: fc.nat(30),
  goes: fc.integer({ min: 1, max: 4 }).map((number) => number === 1),
})
const changes = fc.array(change, { minLength: 1, maxLength: 5 })

async function putCompany(n: number, variant: number) {
  const type = COMPANY_TYPES[variant % COMPANY_TYPES.length] ?? 'project'
  await service.sql`
    insert into companies (id, slug, name, company_type, ai_summary)
    values (${companyId(n)}, ${`company-${n}-${variant}`}, ${`Zeta Company ${n} ${variant}`}, ${type}, ${`Summary ${variant}`})
    on conflict (id) do update set slug = excluded.slug, name = excluded.name,
      company_type = excluded.company_type, ai_summary = excluded.ai_summary`
}

async function putPerson(n: number, variant: number) {
  await service.sql`
    insert into people (id, slug, first_name, last_name, company_id)
    values (${personId(n)}, ${`person-${n}-${variant}`}, 'Zeta', ${`Person ${n} ${variant}`},
      (select id from companies where id = ${companyId(variant % COMPANIES)}))
    on conflict (id) do update set slug = excluded.slug, last_name = excluded.last_name,
      company_id = excluded.company_id`
  await putChannels(n, variant)
}

async function putChannels(n: number, variant: number) {
  await service.sql`
    insert into private_channels (person_id, email, phone)
    select id, ${variant % 3 ? `p${n}-${variant}@example.com` : null}, ${variant % 2 ? '+41' : null}
    from people where id = ${personId(n)}
    on conflict (person_id) do update set email = excluded.email, phone = excluded.phone`
}

async function putRound(n: number, variant: number) {
  await service.sql`delete from funding_rounds where id = ${roundId(n)}`
  await service.sql`
    insert into funding_rounds (id, company_id, round_type)
    select ${roundId(n)}::uuid, id, ${`Round ${variant}`} from companies where id = ${companyId(n)}`
  await service.sql`
    insert into round_investors (id, round_id, investor_id, is_lead)
    select gen_random_uuid(), r.id, c.id, c.id = ${companyId(variant % COMPANIES)}
    from funding_rounds r, companies c
    where r.id = ${roundId(n)} and c.id in (${companyId(variant % COMPANIES)}, ${companyId((variant + 2) % COMPANIES)})`
}

async function apply(changes: readonly Change[]) {
  const { sql } = service
  for (const { kind, n, variant, goes } of changes) {
    if (kind === 'company') {
      if (goes) await sql`delete from companies where id = ${companyId(n)}`
      else await putCompany(n, variant)
    } else if (kind === 'round') {
      if (goes) await sql`delete from funding_rounds where id = ${roundId(n)}`
      else await putRound(n, variant)
    } else if (kind === 'channels') {
      if (goes) await sql`delete from private_channels where person_id = ${personId(n)}`
      else await putChannels(n, variant)
    } else if (goes) await sql`delete from people where id = ${personId(n)}`
    else await putPerson(n, variant)
  }
  await service.directory.refresh()
}

/**
 * Asks before the change, with the change between the read and what is waited for first, and after it.
 * @returns the three answers, and the calls that were charged in the second.
 */
async function askedAround<T>(ask: () => Promise<T>, changes: readonly Change[]) {
  const before = await ask()
  calls = []
  interference = () => apply(changes)
  const during = await ask()
  const charged = [...calls]
  await interfere()
  const after = await ask()
  return { before, during, after, charged }
}

/** The short run has the same cases each time. */
const casesOf = (count: number) => ({
  numRuns: count * TIMES,
  endOnFailure: true,
  ...(TIMES === 1 && { seed: 41 }),
})

describe('of the API', () => {
  const RECORDS = fc.nat(COMPANIES - 1)
  const path = fc.oneof(
    fc.constantFrom(
      '/v1/people?q=zeta&limit=100',
      '/v1/people?q=zeta&sort=name&limit=3&page=2',
      '/v1/projects?q=zeta',
      '/v1/investors?limit=100',
      '/v1/services?q=zeta',
      '/v1/search?q=zeta',
    ),
    RECORDS.map((n) => `/v1/people/${personId(n)}`),
    RECORDS.map((n) => `/v1/people/${personId(n)}?include=private`),
    fc
      .tuple(fc.constantFrom('projects', 'investors', 'services'), RECORDS)
      .map(([list, n]) => `/v1/${list}/${companyId(n)}`),
  )

  /** What an answer says of the charge and of contacts' locks, which the charge decides. */
  const DECIDED = new Set([
    ...['isLocked', 'hasEmail', 'hasPhone', 'email', 'phone'],
    ...['creditsCharged', 'creditsBalance'],
  ])
  const recordsOf = (text: string) =>
    JSON.parse(text, (key, value) => (DECIDED.has(key) ? undefined : value))

  /** Everybody in an answer, in its order. */
  function contactsIn(body: unknown): Record<string, unknown>[] {
    if (typeof body !== 'object' || body === null) return []
    const own = 'isLocked' in body ? [body as Record<string, unknown>] : []
    return [...own, ...Object.values(body).flatMap(contactsIn)]
  }

  test('every endpoint, whatever changes between its read and its charge', async () => {
    await fc.assert(
      fc.asyncProperty(path, changes, async (path, changes) => {
        caller = await service.account({ tier: 'team', credits: 1_000 })
        const { before, during, after, charged } = await askedAround(async () => {
          const balance = await service.balance(caller.id)
          const answer = await caller.get(path)
          return { answer, paid: balance - (await service.balance(caller.id)) }
        }, changes)
        const { answer, paid } = during
        expect([200, 404]).toContain(answer.status)
        if (answer.status === 404) {
          expect([paid, answer.body.error.charged]).toEqual([0, 0])
          return
        }
        expect(answer.body.meta.creditsCharged).toBe(paid)
        const rendered = contactsIn(answer.body)
        expect(charged.map(({ contacts }) => contacts)).toEqual([
          rendered.map(({ id }) => String(id)),
        ])
        expect([before.answer, after.answer].map(({ text }) => recordsOf(text))).toContainEqual(
          recordsOf(answer.text),
        )
        const isRecord = path.includes('/0000')
        if (isRecord) {
          for (const contact of rendered.filter(({ isLocked }) => isLocked === false)) {
            expect([contact.hasEmail, contact.hasPhone]).toEqual([
              contact.email !== null,
              contact.phone !== null,
            ])
          }
        }
      }),
      casesOf(60),
    )
  })
})

/** Names and addresses of the records that a page links to, in their order. */
const linksIn = (html: string) =>
  [
    ...html.matchAll(
      /<a[^>]* href="(\/(?:people|projects|investors|services)\/[^"?#]+)"[^>]*>([^<]*)</g,
    ),
  ].map(([, href, name]) => `${href} ${name}`)

describe('of pages', () => {
  beforeAll(async () => {
    person = await town.customer(100_000, 'team')
  })

  const aPerson = fc.nat(COMPANIES - 1).map((n) => `/people/${personId(n)}`)
  const profile = fc.oneof(
    aPerson,
    fc
      .tuple(fc.constantFrom('projects', 'investors', 'services'), fc.nat(COMPANIES - 1))
      .map(([list, n]) => `/${list}/${companyId(n)}`),
  )

  test('profiles and lists, whatever changes while they wait', async () => {
    const list = fc.constantFrom('/people?q=zeta', '/investors', '/search?q=zeta')
    await fc.assert(
      fc.asyncProperty(fc.oneof(profile, profile, list), changes, async (path, changes) => {
        const { before, during, after } = await askedAround(async () => {
          const answer = await person.get(path)
          return { status: answer.status, links: linksIn(await answer.text()) }
        }, changes)
        expect([before, after]).toContainEqual(during)
      }),
      casesOf(60),
    )
  })

  test('what a button paid for, whatever changes before its charge', async () => {
    await fc.assert(
      fc.asyncProperty(aPerson, changes, async (path, changes) => {
        const page = await person.get(path)
        const csrf = /name="csrf" value="([^"]+)"/.exec(await page.text())?.[1] ?? ''
        const { before, during, after, charged } = await askedAround(async () => {
          const fields = { csrf, idempotencyKey: randomUUID(), price: '10' }
          const paid = await chargedTo(service, person)
          const answer = await person.post(path, Object.entries(fields))
          return {
            status: answer.status,
            links: linksIn(await answer.text()),
            paid: (await chargedTo(service, person)) - paid,
          }
        }, changes)
        if (during.paid > 0) expect(during.status).toBe(200)
        if (during.status !== 200) return
        expect([before.links, after.links].map((links) => links.toSorted())).toContainEqual(
          during.links.toSorted(),
        )
        const id = path.replace('/people/', '')
        expect(charged.map(({ contacts }) => contacts)).toEqual([[id]])
      }),
      casesOf(60),
    )
  })
})

describe('of files', () => {
  test('an export is of the moment at which it began, over all of its charges', async () => {
    const list = fc.constantFrom('people', 'investors', 'projects', 'services')
    await fc.assert(
      fc.asyncProperty(list, fc.nat(1), changes, async (list, later, changes) => {
        const someone = await town.customer(10_000, 'starter')
        const path = `/export/${list}`
        const loaded = async () => formIn(await someone.text(path), path) ?? new URLSearchParams()
        const before = await (await someone.post(path, await loaded())).text()
        const form = await loaded()
        let waits = list === 'people' ? later : 0
        const arm = () => {
          interference = async () => (waits-- > 0 ? arm() : apply(changes))
        }
        arm()
        const paid = await chargedTo(service, someone)
        const during = await (await someone.post(path, form)).text()
        interference = null
        expect(during).toBe(before)
        expect((await chargedTo(service, someone)) - paid).toBe(paid)
      }),
      casesOf(8),
    )
  })

  test('each line of a bulk search is of one moment', async () => {
    const lines = [
      'zeta company',
      'zeta person',
      'zeta',
      ...Array.from({ length: 25 }, (_, i) => `zeta person 1${' zeta'.repeat(i)}`),
    ]
    await fc.assert(
      fc.asyncProperty(changes, async (changes) => {
        const someone = await town.customer(10_000, 'pro')
        const { before, during, after } = await askedAround(async () => {
          const kept = await someone.submit('/bulk-search', { lines: lines.join('\n') })
          const search = kept.headers.get('location') ?? ''
          await someone.post(search, formIn(await someone.text(search), search) ?? [])
          const html = await someone.text(search)
          const [, data = ''] =
            /href="data:text\/csv;charset=utf-8;base64,([^"]*)"/.exec(html) ?? []
          const rows = Buffer.from(data, 'base64').toString().split(/\r?\n/)
          return lines.map((_, i) => rows.filter((row) => row.startsWith(`${i + 1},`)))
        }, changes)
        for (const [i, rows] of during.entries()) expect([before[i], after[i]]).toContainEqual(rows)
      }),
      casesOf(8),
    )
  })
})
