/** Bulk search: the price before, each line charged before it is shown, and what was charged said where it ends. */
import { describe, expect, test } from 'bun:test'
import { parse } from 'csv-parse/sync'
import type { Tier } from '../../src/contract/tiers.ts'
import { importRows } from '../../src/intake/import/import.ts'
import { grantCredits } from '../../src/money/accounts/credits.ts'
import { ADA, AURORA, fixtures, PRIVATE_VALUES, uuid } from '../helpers/fixtures.ts'
import { buttonIn, factIn, formIn, tableIn, textIn } from './reading.ts'
import { chargedTo, csrfIn, type Person, sharedPostgresTown } from './visitor.ts'

const PATH = '/bulk-search'
const MATCHES = 'matches by line'
const HOSTILE = [
  `"><script>alert(1)</script>`,
  '=HYPERLINK("https://evil.example")',
  '%00%ff',
  "'; drop table ledger; --",
  '\u202Egnp.exe',
  '@@@',
  '$',
  'e'.repeat(200),
]

const { service, town } = sharedPostgresTown(
  async (database) => {
    await fixtures(database)
    const hostile = { id: uuid(20_001), name: '=cmd|calc <b>x</b>', companyType: 'project' }
    const lines = Array.from({ length: 200 }, (_, i) => ({
      id: uuid(21_001 + i),
      name: `Line ${i + 1}`,
      companyType: 'service',
    }))
    await importRows(database, 'companies', [hostile, ...lines])
  },
  () => ({ trialCredits: 0 }),
)

const customer = (credits: number, tier: Tier = 'pro') => town.customer(credits, tier)

const charged = (person: Person) => chargedTo(service, person)
const upTo = (count: number) => Array.from({ length: count }, (_, i) => `line ${i + 1}`)

/** A search whose price is said: its address, and the page there. */
interface Priced {
  at: string
  page: string
  form: URLSearchParams
}

/** The page to which the form of these lines leads. */
async function follow(someone: Person, answer: Response): Promise<Priced> {
  expect(answer.status).toBe(303)
  const at = answer.headers.get('location') ?? ''
  expect(at).toMatch(/^\/bulk-search\/[0-9a-f-]{36}$/)
  const page = await someone.text(at)
  return { at, page, form: formIn(page, at) ?? new URLSearchParams() }
}
const priced = async (someone: Person, lines: readonly string[]) =>
  follow(someone, await someone.submit(PATH, { lines: lines.join('\n') }))
/** Confirms the price, and asks for the page of the answers. */
async function confirm(someone: Person, { at, form }: Priced): Promise<Response> {
  const answer = await someone.post(at, form)
  expect([answer.status, answer.headers.get('location')]).toEqual([303, at])
  return someone.get(at)
}
/** Presses the button that goes on with what the credits did not cover. */
async function goOn(someone: Person, at: string): Promise<Response> {
  const page = await someone.text(at)
  return confirm(someone, { at, page, form: formIn(page, at) ?? new URLSearchParams() })
}
const searched = async (someone: Person, lines: readonly string[]) =>
  (await confirm(someone, await priced(someone, lines))).text()
/** The CSV that the page's link holds. */
function csvIn(html: string): Record<string, string>[] {
  const [, data = ''] = /href="data:text\/csv;charset=utf-8;base64,([^"]*)"/.exec(html) ?? []
  return parse(Buffer.from(data, 'base64').toString(), {
    columns: true,
    relax_column_count: true,
    bom: true,
  })
}

describe('the way', () => {
  test('lines are counted and their price is said; nothing is charged before the second press', async () => {
    const someone = await customer(1_000)
    const { at, page } = await priced(someone, ['  Ada Ashford ', '', 'aurora', ' '])
    expect(textIn(page)).toContain('2 lines')
    expect([factIn(page, 'First line'), factIn(page, 'Last line')]).toEqual([
      'Ada Ashford',
      'aurora',
    ])
    expect([factIn(page, 'Price'), factIn(page, 'Your balance')]).toEqual([
      '10 credits',
      '1,000 credits',
    ])
    expect(buttonIn(page, at)).toBe('Search 10 credits')
    const typed = await someone.text(at.replace(/[^/]+$/, (id) => id.toUpperCase()))
    expect(factIn(typed, 'Price')).toBe('10 credits')
    expect(await charged(someone)).toBe(0)
  })

  test('each line has its best matches, as a table and as CSV, at a search’s price', async () => {
    const someone = await customer(1_000)
    const page = await searched(someone, ['Ada Ashford', 'aurora', 'qwrtz xyzzy'])
    const rows = tableIn(page, MATCHES)
    expect(rows.map(([line]) => line)).toEqual(['1/3 Ada Ashford', '2/3 aurora', '3/3 qwrtz xyzzy'])
    expect(rows[0]?.[1]).toStartWith('Ada Ashford People: Co-Founder & CEO')
    expect(rows[1]?.[1]).toStartWith(AURORA.name)
    expect(rows[2]?.[1]).toBe('No matches')
    expect(page).toContain(`href="/people/${ADA.slug}"`)
    const csv = csvIn(page)
    expect(csv[0]).toMatchObject({
      line: '1',
      search: 'Ada Ashford',
      match: '1',
      list: 'people',
      id: ADA.id,
      url: `https://chainkin.example/people/${ADA.slug}`,
    })
    expect(csv.at(-1)).toEqual({ line: '3', search: 'qwrtz xyzzy' } as Record<string, string>)
    expect(textIn(page)).toContain('All lines answered 10 credits were charged.')
    expect(await charged(someone)).toBe(10)
    expect(PRIVATE_VALUES.filter((value) => page.includes(value))).toEqual([])
  })

  test('a file does as well, with any line breaks', async () => {
    const someone = await customer(1_000)
    const form = new FormData()
    form.set('csrf', csrfIn(await someone.text(PATH)))
    form.set('lines', '')
    form.set('file', new File(['Ada Ashford\r\naurora\rBen Birch\n'], 'names.txt'))
    const { page } = await follow(someone, await someone.post(PATH, form))
    expect([factIn(page, 'First line'), factIn(page, 'Last line'), factIn(page, 'Price')]).toEqual([
      'Ada Ashford',
      'Ben Birch',
      '15 credits',
    ])
  })
})

describe('what is no list of lines', () => {
  test.each([
    ['nothing', '', 'at least one line'],
    ['blanks', ' \n\t\n', 'at least one line'],
    ['201 lines', upTo(201).join('\n'), 'There are 201 lines: at most 200 at once.'],
    ['a long line', `a\n${'x'.repeat(201)}`, 'Line 2 has 201 characters: at most 200.'],
  ])(
    '%s is refused beside the field, kept to be mended, and charges nothing',
    async (_, lines, problem) => {
      const someone = await customer(1_000)
      const answer = await someone.submit(PATH, { lines })
      const page = await answer.text()
      expect(answer.status).toBe(422)
      expect(page).toContain('id="lines-problem"')
      expect(textIn(page)).toContain(problem)
      expect(await charged(someone)).toBe(0)
    },
  )

  test('a file beside pasted lines, bytes that are no text, and too many of them are refused', async () => {
    const someone = await customer(1_000)
    const csrf = csrfIn(await someone.text(PATH))
    const send = async (lines: string, file: BlobPart) => {
      const form = new FormData()
      form.set('csrf', csrf)
      form.set('lines', lines)
      form.set('file', new File([file], 'names.csv'))
      return (await someone.post(PATH, form)).status
    }
    expect(await send('ada', 'ben')).toBe(422)
    expect(await send('', new Uint8Array([0xff, 0xfe, 0x61]))).toBe(400)
    expect(await send('', 'x'.repeat(1024 * 1024))).toBe(413)
    expect(await charged(someone)).toBe(0)
  })

  test('a form without its hidden value, an address that names no search of the account, and one of yesterday charge nothing', async () => {
    const [someone, other] = [await customer(1_000), await customer(1_000)]
    expect((await someone.post(PATH, [['lines', 'ada']])).status).toBe(403)
    const search = await priced(someone, ['ada'])
    expect((await someone.post(search.at, [])).status).toBe(403)
    for (const at of [`${PATH}/x`, `${PATH}/${crypto.randomUUID()}`]) {
      expect([
        (await someone.get(at)).status,
        (await someone.post(at, search.form)).status,
      ]).toEqual([404, 404])
    }
    const csrf = csrfIn(await other.text(PATH))
    expect((await other.get(search.at)).status).toBe(404)
    expect((await other.post(search.at, [['csrf', csrf]])).status).toBe(404)
    await service.sql`
      update idempotency_keys set charged_at = charged_at - interval '1 day' where account_id = ${someone.accountId}`
    expect((await someone.get(search.at)).status).toBe(404)
    expect((await someone.post(search.at, search.form)).status).toBe(404)
    expect([await charged(someone), await charged(other)]).toEqual([0, 0])
  })
})

test('hostile lines and records stay text: no element of theirs, no formula, and the page stays whole', async () => {
  const someone = await customer(1_000)
  const page = await searched(someone, [...HOSTILE, '=cmd|calc'])
  expect(tableIn(page, MATCHES)).toHaveLength(HOSTILE.length + 1)
  expect(page).not.toContain('<script>alert')
  expect(page).not.toContain('<slot')
  expect(page).not.toContain('<b>x</b>')
  expect(page).toEndWith('</html>\n')
  const csv = csvIn(page)
  expect(csv.map(({ name }) => name)).toContain(`'=cmd|calc <b>x</b>`)
  for (const row of csv) {
    for (const cell of Object.values(row)) expect(cell).not.toMatch(/^[=+@-]/)
  }
  const answered = tableIn(page, MATCHES).filter(([, matches]) => matches !== 'No matches')
  expect(textIn(page)).toContain(`${answered.length * 5} credits were charged.`)
  expect(await charged(someone)).toBe(answered.length * 5)
})

describe('where credits end', () => {
  test('the page says how far they go, stops there, and says what was charged', async () => {
    const someone = await customer(133)
    const search = await priced(someone, upTo(60))
    const { at, page } = search
    expect(textIn(page)).toContain(
      'Your credits cover 26 of 60 lines: the search would stop there.',
    )
    expect(buttonIn(page, at)).toBe('Search 130 credits')
    const result = await (await confirm(someone, search)).text()
    expect(tableIn(result, MATCHES)).toHaveLength(26)
    expect(new Set(csvIn(result).map(({ line }) => line)).size).toBe(26)
    expect(textIn(result)).toContain(
      '26 of 60 lines answered Your credits ran out. 130 credits were charged.',
    )
    expect([await charged(someone), await service.balance(someone.accountId)]).toEqual([130, 3])
    const [, link = ''] = /href="(\/balance\?request=[^"#]+)/.exec(result) ?? []
    const lines = tableIn(await someone.text(link), 'Transactions, newest first')
    expect(lines.map(([, what, credits]) => [what, credits])).toEqual([
      ['web/bulk-search', '−30'],
      ['web/bulk-search', '−100'],
    ])
  })
})

test('credits that come later are charged after another press alone, at most what its button said', async () => {
  const someone = await customer(30)
  const search = await priced(someone, upTo(40))
  expect(buttonIn(search.page, search.at)).toBe('Search 30 credits')
  await grantCredits(service.database, someone.accountId, 20, 'topup')
  const page = await (await confirm(someone, search)).text()
  expect([tableIn(page, MATCHES).length, await charged(someone)]).toEqual([6, 30])
  expect(buttonIn(page, search.at)).toBe('Search on 20 credits')
  await grantCredits(service.database, someone.accountId, 1_000, 'topup')
  for (let time = 0; time < 2; time++) await someone.text(search.at)
  const cookie = `__Host-ck_session=${someone.cookies.get('__Host-ck_session')}`
  const head = await town.site.get(search.at, { method: 'HEAD', headers: { cookie } })
  expect([head.status, await head.text(), await charged(someone)]).toEqual([200, '', 30])
  // The button of before.
  await confirm(someone, { ...search, form: formIn(page, search.at) ?? new URLSearchParams() })
  const again = await someone.text(search.at)
  expect([tableIn(again, MATCHES).length, await charged(someone)]).toEqual([10, 50])
  const all = await (await goOn(someone, search.at)).text()
  expect([tableIn(all, MATCHES).length, await charged(someone)]).toEqual([40, 200])
  expect(buttonIn(all, search.at)).toBeUndefined()
  // A button of before takes nothing away.
  const last = await (await confirm(someone, search)).text()
  expect([tableIn(last, MATCHES).length, await charged(someone)]).toEqual([40, 200])
})

test('the answers stay for a day after the price was confirmed, and are never charged anew after it', async () => {
  const someone = await customer(1_000)
  const search = await priced(someone, ['Ada Ashford'])
  const later = (hours: number) => service.sql`
    update idempotency_keys set charged_at = charged_at - make_interval(hours => ${hours}::integer)
     where account_id = ${someone.accountId}`
  await later(23)
  await (await confirm(someone, search)).text()
  await later(23)
  expect((await someone.get(search.at)).status).toBe(200)
  await later(1)
  expect((await someone.get(search.at)).status).toBe(404)
  expect(await charged(someone)).toBe(5)
})

describe('what is not paid for', () => {
  test('a repeated line is searched and charged once, one that finds nothing is free, and the page says so before', async () => {
    const someone = await customer(1_000)
    expect(textIn(await someone.text(PATH))).toContain(
      'a repeated line counts once, and one that finds nothing is free',
    )
    const lines = ['qwrtz xyzzy', 'Ada Ashford', 'aurora', 'ada  ashford', 'zzqx vbnm', 'AURORA']
    const search = await priced(someone, lines)
    expect(factIn(search.page, 'Repeated')).toBe('2 lines, searched and paid once')
    expect(factIn(search.page, 'Price')).toBe('20 credits')
    expect(textIn(search.page)).toContain('Lines that find nothing are free.')
    const page = await (await confirm(someone, search)).text()
    expect(
      tableIn(page, MATCHES).map(([line, matches]) => [line, matches === 'No matches']),
    ).toEqual([
      ['1/4 qwrtz xyzzy', true],
      ['2/4 Ada Ashford', false],
      ['3/4 aurora', false],
      ['4/4 zzqx vbnm', true],
    ])
    expect(new Set(csvIn(page).map(({ line }) => line))).toEqual(new Set(['1', '2', '3', '4']))
    expect(textIn(page)).toContain('All lines answered 10 credits were charged.')
    expect(await charged(someone)).toBe(10)
  })

  test('a search that finds nothing at all costs nothing', async () => {
    const someone = await customer(1_000)
    const page = await searched(someone, ['qwrtz xyzzy', 'zzqx vbnm'])
    expect(tableIn(page, MATCHES)).toHaveLength(2)
    expect(textIn(page)).toContain('Nothing was charged: no line found anything.')
    expect(await charged(someone)).toBe(0)
  })

  test('which lines are paid for is decided when the price is confirmed: records that come and go later move nothing', async () => {
    const someone = await customer(10)
    const company = (id: number, name: string) => ({ id: uuid(id), name, companyType: 'service' })
    await importRows(service.database, 'companies', [
      company(22_001, 'Wuxfjord'),
      company(22_002, 'Kvyzmar'),
    ])
    await service.directory.refresh()
    const search = await priced(someone, [
      'Zephqlrine',
      'Ada Ashford',
      'Wuxfjord',
      'Kvyzmar',
      'aurora',
    ])
    const first = await (await confirm(someone, search)).text()
    expect(tableIn(first, MATCHES).map(([line]) => line)).toEqual([
      '1/5 Zephqlrine',
      '2/5 Ada Ashford',
      '3/5 Wuxfjord',
    ])
    await importRows(service.database, 'companies', [company(22_003, 'Zephqlrine')])
    await service.sql`delete from companies where id = ${uuid(22_002)}`
    await service.directory.refresh()
    await grantCredits(service.database, someone.accountId, 1_000, 'topup')
    const second = await (await goOn(someone, search.at)).text()
    expect(tableIn(second, MATCHES)).toEqual(tableIn(first, MATCHES))
    expect(textIn(second)).toContain('the next line finds nothing any more')
    expect(await charged(someone)).toBe(10)
  })
})

test('loaded again, and come back to with Back, the answers are shown at no cost: a search’s page is a GET', async () => {
  const someone = await customer(1_000)
  const search = await priced(someone, ['Ada Ashford', 'aurora'])
  const first = await (await confirm(someone, search)).text()
  for (let time = 0; time < 6; time++) {
    const again = await someone.get(search.at)
    expect(again.status).toBe(200)
    expect(tableIn(await again.text(), MATCHES)).toEqual(tableIn(first, MATCHES))
  }
  expect(await charged(someone)).toBe(10)
})

describe('who may', () => {
  test.each(['free', 'starter'] as const)(
    'on %s the page says what it is and which plans have it, and the form is refused',
    async (tier) => {
      const someone = await customer(1_000, tier)
      const page = await someone.text(PATH)
      expect(textIn(page)).toContain('It comes with Pro, Team or Enterprise.')
      expect(textIn(page)).toContain('5 credits a line that finds something')
      expect(page).not.toContain('<textarea')
      const tried = await someone.submit('/keys', { lines: 'ada' }, PATH)
      expect(tried.status).toBe(403)
      expect(await charged(someone)).toBe(0)
    },
  )
})
