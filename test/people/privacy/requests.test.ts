/** Asking about one's own data: when a request counts, what mails say, and how often one may ask. On a real PostgreSQL. */
import { beforeEach, describe, expect, test } from 'bun:test'
import { perform } from '../../../src/console/acts/perform.ts'
import { closeRequest } from '../../../src/console/acts/requests.ts'
import { clean } from '../../../src/money/charge/housekeeping.ts'
import { listRequests, showRequest } from '../../../src/people/privacy/register.ts'
import type { Privacy } from '../../../src/people/privacy/requests.ts'
import { FieldError } from '../../../src/people/users/validation.ts'
import { rejection } from '../../helpers/rejection.ts'
import { linkIn } from '../users/fixtures.ts'
import { REQUEST, sharedAskers } from './fixtures.ts'

const askers = sharedAskers()

const HOUR = 3_600
const rowsOf = async (email: string) =>
  (await askers.sql`select state from privacy_requests where email = ${email}`).map(
    ({ state }) => state,
  )

test('a request counts once the link of its mail is opened, and the link works once', async () => {
  const email = 'once@example.com'
  const form = { ...REQUEST, email: ' Once@Example.com ' }
  expect(await askers.mailed.ask(form, askers.newAddress())).toEqual({ outcome: 'mailed' })
  expect(await listRequests(askers.database)).toEqual([])
  const token = linkIn(askers.letters, email)
  const [first, ...others] = await Promise.all(
    [1, 2, 3].map(() => askers.mailed.confirm(token, askers.newAddress())),
  ).then((all) => all.toSorted((a, b) => a.outcome.localeCompare(b.outcome)))
  expect(others).toEqual([{ outcome: 'expired' }, { outcome: 'expired' }])
  const [listed] = await listRequests(askers.database)
  expect(first).toEqual({ outcome: 'confirmed', id: listed?.id ?? '' })
  expect(listed).toMatchObject({
    kind: 'remove',
    state: 'open',
    email,
    isConfirmed: true,
    person: 'Ada Ashford',
    deadlines: {
      eu: { dueAt: '2026-02-28T10:00:00.000Z', daysLeft: 28 },
      california: { dueAt: '2026-03-17T10:00:00.000Z', daysLeft: 45 },
    },
  })
})

test('after 48 hours the link does nothing, and housekeeping deletes what nobody confirmed', async () => {
  const email = 'late@example.com'
  await askers.mailed.ask({ ...REQUEST, email }, askers.newAddress())
  await askers.clock.advance(47 * HOUR)
  await clean(askers.database)
  expect(await rowsOf(email)).toEqual(['unconfirmed'])
  await askers.clock.advance(HOUR)
  expect(await askers.mailed.confirm(linkIn(askers.letters, email), '192.0.2.1')).toEqual({
    outcome: 'expired',
  })
  await askers.clock.advance(1)
  await clean(askers.database)
  expect(await rowsOf(email)).toEqual([])
})

test('a mail repeats nothing that somebody typed, and the log names nobody', async () => {
  const form = {
    ...REQUEST,
    kind: 'correct',
    email: 'victim@example.com',
    person: 'Buy at https://spam.example',
    details: 'cheap watches',
  }
  await askers.mailed.ask(form, askers.newAddress())
  const letter = askers.letters.findLast(({ to }) => to === form.email)
  expect(letter?.text).toContain('/privacy/confirm?token=')
  expect(JSON.stringify(letter)).not.toMatch(/spam|watches/)
  await askers.mailed.confirm(linkIn(askers.letters, form.email), askers.newAddress())
  const logged = askers.logged.join('\n')
  expect(logged).toContain('"kind":"correct"')
  expect(logged).not.toMatch(/@|spam|watches|Ashford/)
})

test('a mailbox gets three mails an hour, however its address is spelt, and what is not mailed is not kept', async () => {
  const names = ['many.boxes', 'manyboxes+1', 'm.any.boxes+2', 'MANYBOXES+3', 'manyboxes']
  for (const name of names) {
    const form = { ...REQUEST, email: `${name}@example.com` }
    expect(await askers.mailed.ask(form, askers.newAddress())).toEqual({ outcome: 'mailed' })
  }
  const mailed = askers.letters.filter(({ to }) => to.replaceAll('.', '').startsWith('manyboxes'))
  expect(mailed.map(({ to }) => to)).toEqual([
    'many.boxes@example.com',
    'manyboxes+1@example.com',
    'm.any.boxes+2@example.com',
  ])
  const requests = await Promise.all(
    names.map((name) => rowsOf(`${name.toLowerCase()}@example.com`)),
  )
  expect(requests.map((rows) => rows.length)).toEqual([1, 1, 1, 0, 0])
})

test('what the operator reads has nothing that hides or turns the text around it', async () => {
  const form = {
    person: 'Ada\u202e drofhsA\u200b',
    details: 'Please\u2066 remove\u2069 me.',
    email: 'hid\u200bden\u202e@example.com',
  }
  const taken = await askers.unmailed.ask({ ...REQUEST, ...form }, askers.newAddress())
  if (taken.outcome !== 'taken') throw new Error(taken.outcome)
  expect(await showRequest(askers.database, taken.id)).toMatchObject({
    person: 'Ada drofhsA',
    details: 'Please remove me.',
    email: 'hidden@example.com',
  })
  const invisible = askers.mailed.ask({ ...REQUEST, person: '\u200b\u202e' }, askers.newAddress())
  expect(await rejection(invisible)).toMatchObject({ field: 'person' })
})

test('a client address may ask five times an hour', async () => {
  await askers.clock.advance(HOUR)
  const address = askers.newAddress()
  const ask = (from: string) => askers.mailed.ask({ ...REQUEST, email: 'x@example.com' }, from)
  const outcomes = []
  for (let round = 0; round < 7; round++) outcomes.push((await ask(address)).outcome)
  expect(outcomes).toEqual([...Array(5).fill('mailed'), 'limited', 'limited'])
  await askers.clock.advance(HOUR)
  expect((await ask(address)).outcome).toBe('mailed')
})

describe('after a flood of unconfirmed requests', () => {
  const network = (number: number) => `203.${number}.113`
  let last = 0
  const ask = (from: string, askedBy: Privacy = askers.mailed) =>
    askedBy.ask({ ...REQUEST, email: `flood-${++last}@example.com` }, from)

  /** Fifty networks, each with five requests. */
  async function flood(askedBy: Privacy) {
    const outcomes = []
    for (let round = 0; round < 5; round++) {
      for (let number = 0; number < 50; number++) {
        outcomes.push((await ask(`${network(number)}.${round}`, askedBy)).outcome)
      }
    }
    return outcomes
  }

  beforeEach(() => askers.clock.advance(2 * HOUR))

  for (const kind of ['mailed', 'unmailed'] as const) {
    test(`whoever comes from a network that has sent nothing may ask, and those that have may not (${kind})`, async () => {
      const privacy = askers[kind]
      const taken = kind === 'mailed' ? 'mailed' : 'taken'
      const outcomes = await flood(privacy)
      expect(outcomes.filter((outcome) => outcome === taken)).toHaveLength(200)
      expect((await ask(`${network(3)}.200`, privacy)).outcome).toBe('limited')
      for (let number = 60; number < 250; number++) {
        expect((await ask(`${network(number)}.1`, privacy)).outcome).toBe(taken)
      }
      expect((await ask('2001:db8:7:1::/64', privacy)).outcome).toBe(taken)
      expect((await ask('2001:db8:7:2::/64', privacy)).outcome).toBe('limited')
      expect((await ask('2001:db8:8:1::/64', privacy)).outcome).toBe(taken)
      await askers.clock.advance(2 * HOUR)
      expect((await ask(`${network(3)}.200`, privacy)).outcome).toBe(taken)
    })
  }

  test('requests that were confirmed count no more', async () => {
    await flood(askers.mailed)
    const address = `${network(251)}.1`
    expect((await ask(address)).outcome).toBe('mailed')
    expect((await ask(address)).outcome).toBe('limited')
    const token = linkIn(askers.letters, `flood-${last - 1}@example.com`)
    expect((await askers.mailed.confirm(token, address)).outcome).toBe('confirmed')
    expect((await ask(address)).outcome).toBe('limited')
    await askers.sql`
      update privacy_requests set confirmed_at = asked_at, state = 'open', hash = null
       where state = 'unconfirmed'`
    expect((await ask(address)).outcome).toBe('mailed')
  })
})

test('where no mail is sent a request counts at once, and says that nobody confirmed its address', async () => {
  const taken = await askers.unmailed.ask(
    { ...REQUEST, email: 'unmailed@example.com' },
    askers.newAddress(),
  )
  if (taken.outcome !== 'taken') throw new Error(taken.outcome)
  expect(await showRequest(askers.database, taken.id)).toMatchObject({
    state: 'open',
    isConfirmed: false,
    email: 'unmailed@example.com',
  })
})

test('what can’t be taken is named by its field, and counts nowhere', async () => {
  const address = askers.newAddress()
  const wrong: [string, Partial<typeof REQUEST>][] = [
    ['kind', { kind: 'steal' }],
    ['person', { person: ' ' }],
    ['person', { person: 'x'.repeat(301) }],
    ['person', { person: 'Ada\nAshford' }],
    ['details', { kind: 'correct' }],
    ['details', { details: 'x'.repeat(2_001) }],
    ['details', { details: 'a\0b' }],
    ['email', { email: 'ada' }],
    ['declared', { declared: '' }],
  ]
  for (const [field, part] of wrong) {
    const error = await rejection(askers.mailed.ask({ ...REQUEST, ...part }, address))
    expect([part, error instanceof FieldError && error.field]).toEqual([part, field])
  }
  expect((await askers.mailed.ask(REQUEST, address)).outcome).toBe('mailed')
})

test('a closed request has no address, person or text, and is deleted after 24 months', async () => {
  const id = await askers.confirmed({ kind: 'correct', details: 'I left.\nIn May.' })
  expect(await showRequest(askers.database, id)).toMatchObject({ details: 'I left.\nIn May.' })
  const by = { via: 'command', userId: null, who: 'olga', address: null } as const
  expect(await perform(askers.database, by, closeRequest, id, { reason: 'not your record' })).toBe(
    true,
  )
  expect(await perform(askers.database, by, closeRequest, id, { reason: null })).toBeUndefined()
  const kept = async () =>
    (await askers.sql`select to_jsonb(r) as row from privacy_requests r where id = ${id}`).map(
      ({ row }) => row,
    )
  const closed = new Date(askers.clock.now()).toISOString().replace('.000Z', '+00:00')
  expect(await kept()).toEqual([
    {
      id,
      kind: 'correct',
      state: 'refused',
      email: null,
      person: null,
      details: null,
      hash: null,
      asked_at: closed,
      confirmed_at: closed,
      closed_at: closed,
      mailed_at: null,
      reason: 'not your record',
    },
  ])
  await askers.clock.advance(729 * 24 * HOUR)
  await clean(askers.database)
  expect(await kept()).toHaveLength(1)
  await askers.clock.advance(3 * 24 * HOUR)
  await clean(askers.database)
  expect(await kept()).toEqual([])
})
