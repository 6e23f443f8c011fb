/** Several people revealed at once: one price said before, one charge each, and it says truly how far it came. */
import { expect, test } from 'bun:test'
import { randomUUID } from 'node:crypto'
import { DatabaseUnavailable } from '../../src/database/client.ts'
import { importRows } from '../../src/intake/import/import.ts'
import { grantCredits } from '../../src/money/accounts/credits.ts'
import { unlockedAmong } from '../../src/money/accounts/unlocks.ts'
import { webReveal } from '../../src/money/accounts/web-calls.ts'
import { createMeter, type Meter } from '../../src/money/charge/meter.ts'
import { CLEO, fixtures } from '../helpers/fixtures.ts'
import { PATIENCE_MS } from '../helpers/limit.ts'
import { formIn, textIn } from './reading.ts'
import { chargedTo, type Person, sharedPostgresTown } from './visitor.ts'

/** Runs just before the next charge. */
let meanwhile: (() => Promise<unknown>) | undefined
/** Charges that end well before one whose answer is lost; undefined where none is. */
let good: number | undefined
const ids = Array.from({ length: 8 }, () => randomUUID())

const { service, town } = sharedPostgresTown(
  async (database) => {
    await fixtures(database)
    await importRows(
      database,
      'people',
      ids.map((id, i) => ({
        id,
        firstName: 'Ada',
        lastName: `N${i}`,
        email: `n${i}@private.example`,
      })),
    )
  },
  ({ database }) => {
    const meter = createMeter(database, { maxWaitMs: PATIENCE_MS })
    const charge: Meter['charge'] = async (call) => {
      const first = meanwhile
      meanwhile = undefined
      await first?.()
      const outcome = await meter.charge(call)
      if (good === undefined || good-- > 0) return outcome
      good = undefined
      throw new DatabaseUnavailable('test', { isUnknown: true })
    }
    return { trialCredits: 0, application: { meter: { ...meter, charge } } }
  },
)

const askFor = (of: readonly string[]) =>
  `/reveal?${new URLSearchParams(of.map((id) => ['ids', id]))}`
async function confirmed(someone: Person, of: readonly string[]) {
  const page = await someone.text(askFor(of))
  return { text: textIn(page), form: formIn(page, '/reveal') ?? new URLSearchParams() }
}
/** The page to which the form leads. */
async function answered(someone: Person, form: URLSearchParams): Promise<string> {
  const answer = await someone.post('/reveal', form)
  expect(answer.status).toBe(303)
  return someone.text(answer.headers.get('location') ?? '')
}
const sent = async (someone: Person, form: URLSearchParams) => textIn(await answered(someone, form))
const addressesIn = (text: string) => new Set(text.match(/n\d@private\.example/g)).size
/** Credits that the pages said were charged. */
const saidIn = (text: string) => Number(/: (\d+) credits? w(?:as|ere) charged/.exec(text)?.[1] ?? 0)
const unlockedBy = async ({ accountId }: Person) =>
  (await unlockedAmong(service.database, accountId, ids)).size

test('the price is said before, for those who are not unlocked and have a channel; the ledger equals what is said', async () => {
  const someone = await town.customer(100, 'pro')
  const first = await confirmed(someone, ids.slice(0, 2))
  expect(first.text).toContain('Reveal 2 people')
  expect(first.text).toContain('2 not yet unlocked × 10 credits')
  expect(addressesIn(first.text)).toBe(0)
  expect(await chargedTo(service, someone)).toBe(0)
  expect(await sent(someone, first.form)).toContain(
    '2 people were revealed: 20 credits were charged. 80 left.',
  )
  const next = await confirmed(someone, [...ids.slice(0, 5), CLEO.id, randomUUID(), ids[0]!])
  expect(next.text).toContain('Reveal 3 people')
  expect(next.text).toContain('3 not yet unlocked × 10 credits')
  expect(next.text).toContain(
    '2 unlocked already; 1 without a channel on file; 1 no longer in the directory',
  )
  expect(next.text).toContain('Reveal 3 30 credits')
  const done = await sent(someone, next.form)
  expect(done).toContain('3 people were revealed: 30 credits were charged. 50 left.')
  expect(addressesIn(done)).toBe(3)
  expect(await sent(someone, next.form)).toContain(
    '3 people were revealed: 30 credits were charged. 50 left.',
  )
  const other = (await confirmed(someone, ids.slice(5, 6))).form
  for (const id of ids.slice(0, 2)) other.append('ids', id)
  other.delete('ids', ids[5]!)
  expect(await sent(someone, other)).toContain(
    'These were charged before; nothing more was. 50 left.',
  )
  expect([await chargedTo(service, someone), await unlockedBy(someone)]).toEqual([50, 5])
})

test('two members who reveal the same people at once are charged once for each of them', async () => {
  const someone = await town.customer(1_000, 'team')
  const forms = [
    (await confirmed(someone, ids)).form,
    (await confirmed(someone, ids.toReversed())).form,
    (await confirmed(someone, ids)).form,
  ]
  const answers = await Promise.all(forms.map((form) => sent(someone, form)))
  const said = answers.map(saidIn).reduce((sum, each) => sum + each, 0)
  expect([said, await chargedTo(service, someone), await unlockedBy(someone)]).toEqual([80, 80, 8])
})

test('where credits end the batch stops, says how far it came, and the same form goes on from there', async () => {
  const someone = await town.customer(55, 'pro')
  const { form } = await confirmed(someone, ids.slice(0, 5))
  // Some credits are spent meanwhile.
  await sent(someone, (await confirmed(someone, ids.slice(6))).form)
  const short = await confirmed(someone, ids.slice(0, 5))
  expect(short.text).toContain('Your credits cover 3 of 5 people: the batch would stop there.')
  expect(short.text).toContain('Reveal 3 30 credits')
  // The button's price is the most that is charged.
  expect(short.form.getAll('ids')).toEqual(ids.slice(0, 3))
  const stopped = await sent(someone, form)
  expect(stopped).toContain(
    '3 people were revealed: 30 credits were charged. It stopped there. Your credits ran out. 5 left.',
  )
  expect(addressesIn(stopped)).toBe(3)
  expect(stopped).toContain('Go on with 2 people')
  expect(await unlockedBy(someone)).toBe(5)
  await grantCredits(service.database, someone.accountId, 100, 'topup')
  expect(await sent(someone, form)).toContain('5 people were revealed: 50 credits were charged.')
  expect([await chargedTo(service, someone), await unlockedBy(someone)]).toEqual([70, 7])
})

test('a batch that is cut off in the middle says what is known, and the same form charges nobody twice', async () => {
  const someone = await town.customer(100, 'pro')
  const { form } = await confirmed(someone, ids.slice(0, 4))
  good = 2
  const cut = await sent(someone, form)
  // The third was charged, and its answer lost: the page says what the ledger has.
  expect(cut).toContain('3 people were revealed: 30 credits were charged. It stopped there.')
  expect(cut).toContain('We don’t know whether the next one was charged')
  expect(await chargedTo(service, someone)).toBe(30)
  const again = await sent(someone, form)
  expect([saidIn(again), addressesIn(again)]).toEqual([40, 4])
  expect([await chargedTo(service, someone), await unlockedBy(someone)]).toEqual([40, 4])
})

test('a batch charges for nobody more once the session or the account has ended its right, and shows nothing to whoever lost access', async () => {
  const someone = await town.customer(100, 'pro')
  const { form } = await confirmed(someone, ids.slice(0, 4))
  meanwhile = async () => service.sql`delete from sessions where user_id = ${someone.userId}`
  const ended = textIn(await (await someone.post('/reveal', form)).text())
  expect(ended).toContain(
    '1 person was revealed: 10 credits were charged. It stopped there. You were signed out, or you no longer have access to this account.',
  )
  expect([addressesIn(ended), await chargedTo(service, someone)]).toEqual([0, 10])
})

test('what is no list of people is refused before anything is charged, and a stranger is led back here', async () => {
  const someone = await town.customer(100, 'pro')
  const many = Array.from({ length: 101 }, () => randomUUID())
  for (const of of [[], ['x'], many]) {
    expect((await someone.get(askFor(of))).status).toBe(400)
  }
  expect(await someone.text('/reveal?ids=')).toContain('Nobody is selected')
  const { form } = await confirmed(someone, ids.slice(0, 1))
  form.set('price', '5')
  expect((await someone.post('/reveal', form)).status).toBe(400)
  expect(await chargedTo(service, someone)).toBe(0)
  const stranger = await town.visitor().text(askFor(ids.slice(0, 2)))
  const back = new URLSearchParams({ returnUrl: askFor(ids.slice(0, 2)) })
  expect(stranger).toContain(`href="/sign-in?${back}"`)
  expect(addressesIn(stranger)).toBe(0)
})

test('those whom the credits did not cover are not lost: the answer leads on to them, and they stay selected', async () => {
  const someone = await town.customer(35, 'pro')
  const { form } = await confirmed(someone, ids.slice(0, 5))
  expect(form.getAll('later')).toEqual(ids.slice(3, 5))
  const done = await answered(someone, form)
  expect(textIn(done)).toContain('3 people were revealed: 30 credits were charged. 5 left.')
  expect(done).toContain(`data-left="${ids.slice(3, 5).join()}"`)
  expect(done).toContain(`href="${askFor(ids.slice(3, 5)).replaceAll('&', '&amp;')}"`)
  await grantCredits(service.database, someone.accountId, 20, 'topup')
  const rest = await confirmed(someone, ids.slice(3, 5))
  const whole = await answered(someone, rest.form)
  expect(textIn(whole)).toContain('2 people were revealed: 20 credits were charged. 5 left.')
  expect(whole).not.toContain('data-left')
  const before = await chargedTo(service, someone)
  for (const later of ['x', ...ids.map(() => randomUUID())]) rest.form.append('later', later)
  expect((await someone.post('/reveal', rest.form)).status).toBe(400)
  expect(await chargedTo(service, someone)).toBe(before)
})

test('whose session ended on the page of the price comes back to the same people', async () => {
  const someone = await town.customer(100, 'pro')
  const { form } = await confirmed(someone, ids.slice(0, 2))
  await service.sql`delete from sessions where user_id = ${someone.userId}`
  const back = new URLSearchParams({ returnUrl: askFor(ids.slice(0, 2)) })
  expect((await someone.post('/reveal', form)).headers.get('location')).toBe(`/sign-in?${back}`)
  expect(await chargedTo(service, someone)).toBe(0)
})

test('sent again it asks for nobody who is unlocked, so that it comes past them however low the rate is', async () => {
  const someone = await town.customer(100, 'pro')
  const { form } = await confirmed(someone, ids.slice(0, 3))
  await sent(someone, form)
  const counted = () => service.sql`select rate_count from accounts where id = ${someone.accountId}`
  const before = await counted()
  expect(await sent(someone, form)).toContain('30 credits were charged. 70 left.')
  expect(await counted()).toEqual(before)
})

test('who was revealed by somebody else meanwhile is shown, and who lost their channels is not said to be charged', async () => {
  const someone = await town.customer(100, 'team')
  const { form } = await confirmed(someone, ids.slice(5))
  meanwhile = async () => {
    const other = { requestId: randomUUID() }
    await webReveal(
      createMeter(service.database, { maxWaitMs: PATIENCE_MS }),
      someone.accountId,
      { person: ids[5]! },
      other,
    )
    await service.sql`delete from private_channels where person_id = ${ids[7]!}`
  }
  const done = await sent(someone, form)
  expect(done).toContain(
    '1 person was revealed: 10 credits were charged. 1 had been unlocked before and cost nothing. 1 of them, without a channel on file any more, cost nothing.',
  )
  expect(addressesIn(done)).toBe(2)
  expect(await chargedTo(service, someone)).toBe(20)
  const bare = await sent(someone, new URLSearchParams([...form, ['ids', CLEO.id]]))
  expect(bare).toContain('2 of them, without a channel on file any more, cost nothing.')
})

test('lists and search have a box for whoever has a channel, and one form for the boxes', async () => {
  const visitor = town.visitor()
  for (const path of ['/people?limit=50', '/search?q=ada']) {
    const page = await visitor.text(path)
    const boxes = [...page.matchAll(/<input[^>]*form="selection"[^>]*value="([^"]+)"/g)]
    expect([path, boxes.length > 0, boxes.some(([, id]) => id === CLEO.id)]).toEqual([
      path,
      true,
      false,
    ])
    expect(page.match(/<form id="selection"[^>]*action="\/reveal"/g)).toHaveLength(1)
  }
  expect(await visitor.text(`/search?q=${CLEO.slug}`)).not.toContain('form="selection"')
})

test('the answer has an address of its own: loaded again it shows the same, charges nothing, and leaves a later selection alone', async () => {
  const someone = await town.customer(100, 'pro')
  const { form } = await confirmed(someone, ids.slice(0, 3))
  const answer = await someone.post('/reveal', form)
  const at = answer.headers.get('location') ?? ''
  expect([answer.status, at.startsWith('/reveal/done?batch=')]).toEqual([303, true])
  const [first, again] = [await someone.text(at), await someone.text(at.replace('&said=done', ''))]
  for (const page of [first, again]) {
    expect(textIn(page)).toContain('3 people were revealed: 30 credits were charged. 70 left.')
    expect(addressesIn(textIn(page))).toBe(3)
  }
  expect([first, again].map((page) => page.includes('data-selection-done'))).toEqual([true, false])
  expect(await chargedTo(service, someone)).toBe(30)
  // Somebody else's account has neither the charges nor the channels.
  const stranger = await town.customer(100, 'pro')
  const theirs = await stranger.text(at)
  expect([addressesIn(textIn(theirs)), textIn(theirs)]).toEqual([
    0,
    expect.stringContaining('0 people were revealed'),
  ])
  expect((await town.visitor().get(at)).headers.get('location')).toStartWith('/sign-in?returnUrl=')
})

test('an address of an answer that says what no batch has is refused or shows no channel', async () => {
  const someone = await town.customer(100, 'pro')
  const of = (fields: Record<string, string>) => `/reveal/done?${new URLSearchParams(fields)}`
  expect((await someone.get(of({ batch: 'x' }))).status).toBe(400)
  expect((await someone.get(of({ batch: randomUUID(), ids: 'x' }))).status).toBe(400)
  const page = await someone.text(of({ batch: randomUUID(), ids: ids[0]!, stopped: '__proto__' }))
  expect([addressesIn(textIn(page)), page.includes('It stopped there')]).toEqual([0, false])
})
