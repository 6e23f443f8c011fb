/** Messages about charges whose answer was lost, or that never reached the database. */
import { describe, expect, test } from 'bun:test'
import { DatabaseUnavailable } from '../../src/database/client.ts'
import { createMeter, type Meter } from '../../src/money/charge/meter.ts'
import { crowd, crowdId, fixtures, PEOPLE } from '../helpers/fixtures.ts'
import { PATIENCE_MS } from '../helpers/limit.ts'
import { formIn, tableIn, textIn } from './reading.ts'
import { chargedTo, loadForm, type Person, sharedPostgresTown } from './visitor.ts'

const EXPORT = '/export/people'
const BULK = '/bulk-search'
/** Two charges' worth of an export: one pays for ten units of a hundred rows. */
const CROWD = 1_050
const ROWS = CROWD + PEOPLE.length
const EXPORT_PRICE = Math.ceil(ROWS / 100) * 5
/** Three charges' worth of a bulk search: one pays for twenty lines. */
const LINES = Array.from({ length: 45 }, (_, i) => `Member ${String(i + 1).padStart(4, '0')}`)

/** Charges that go well before one fails; undefined where none does. */
let good: number | undefined
/** Happens once, after the page was read and before it is charged. */
let beforeCharge: (() => Promise<void>) | undefined
let failure: 'answer lost' | 'call lost' | 'not sent' = 'not sent'

const { service, town } = sharedPostgresTown(
  async (database) => {
    await fixtures(database)
    await crowd(database, CROWD)
  },
  ({ database }) => {
    const meter = createMeter(database, { maxWaitMs: PATIENCE_MS })
    const charge: Meter['charge'] = async (call) => {
      await beforeCharge?.()
      beforeCharge = undefined
      if (good === undefined || good-- > 0) return meter.charge(call)
      good = undefined
      if (failure === 'answer lost') await meter.charge(call)
      throw new DatabaseUnavailable('test', { isUnknown: failure !== 'not sent' })
    }
    return { trialCredits: 0, application: { meter: { ...meter, charge } } }
  },
)

/** Makes the charge after `charges` good ones fail. */
function failAfter(charges: number, how: typeof failure) {
  good = charges
  failure = how
}
const charged = (person: Person) => chargedTo(service, person)

/** The address of a bulk search whose price was confirmed. */
async function confirmed(someone: Person): Promise<string> {
  const kept = await someone.submit(BULK, { lines: LINES.join('\n') })
  const search = kept.headers.get('location') ?? ''
  await someone.post(search, formIn(await someone.text(search), search) ?? [])
  return search
}

describe.each(['answer lost', 'call lost'] as const)('with the %s', (how) => {
  test('an export ends with what is known, and the same form sends all of it at the price shown', async () => {
    const someone = await town.customer(1_000, 'starter')
    const form = await loadForm(someone, EXPORT)
    failAfter(1, how)
    const lines = (await (await someone.post(EXPORT, form)).text()).trimEnd().split('\r\n')
    expect(lines).toHaveLength(1 + 1_000 + 1)
    expect(lines.at(-1)).toContain(
      `Stopped after 1000 of ${ROWS} rows: the service did not answer. 50 credits were charged for these rows and perhaps for the next ones: Usage shows it.`,
    )
    const whole = (await (await someone.post(EXPORT, form)).text()).trimEnd().split('\r\n')
    expect(whole).toHaveLength(1 + ROWS)
    expect(await charged(someone)).toBe(EXPORT_PRICE)
  })

  test('a bulk search ends with what is known, and the page loaded again answers all lines once', async () => {
    const someone = await town.customer(1_000, 'pro')
    const search = await confirmed(someone)
    failAfter(1, how)
    const page = await someone.text(search)
    expect(tableIn(page, 'matches by line')).toHaveLength(20)
    expect(textIn(page)).toContain(
      "100 credits were charged. We don't know whether the next lines were charged. Usage shows it.",
    )
    const again = await someone.text(search)
    expect(tableIn(again, 'matches by line')).toHaveLength(LINES.length)
    expect(await charged(someone)).toBe(LINES.length * 5)
  })
})

describe('a charge that was not sent', () => {
  test('is said to be none, by an export and a bulk search', async () => {
    const someone = await town.customer(1_000, 'pro')
    const file = await loadForm(someone, EXPORT)
    const search = await confirmed(someone)
    failAfter(0, 'not sent')
    expect((await (await someone.post(EXPORT, file)).text()).trimEnd()).toContain(
      `Stopped after 0 of ${ROWS} rows: the service did not answer. 0 credits were charged for these rows and nothing more.`,
    )
    failAfter(0, 'not sent')
    const page = await someone.text(search)
    expect(textIn(page)).toContain("The service can't continue right now. 0 credits were charged.")
    expect(await charged(someone)).toBe(0)
  })
})

test('a person who is deleted before the charge is not there, and revealing them costs nothing', async () => {
  const someone = await town.customer(100, 'starter')
  const [row] = await service.sql`select slug from people where id = ${crowdId(1)}`
  const path = `/people/${row?.slug}`
  const form = await loadForm(someone, path)
  expect(form.get('price')).toBe('10')
  beforeCharge = async () => {
    await service.sql`delete from people where id = ${crowdId(1)}`
  }
  const answer = await someone.post(path, form)
  expect([answer.status, textIn(await answer.text())]).toEqual([
    404,
    expect.stringContaining('Nothing was charged.'),
  ])
  expect(await charged(someone)).toBe(0)
})
