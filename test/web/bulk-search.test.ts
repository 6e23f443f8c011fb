/** Bulk search: the price before, each line charged before it is shown, and what was charged said where it ends. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { parse } from 'csv-parse/sync'
import { grantCredits } from '../../src/accounts/credits.ts'
import type { Tier } from '../../src/contract/tiers.ts'
import { importRows } from '../../src/import/import.ts'
import { ADA, AURORA, fixtures, PRIVATE_VALUES, uuid } from '../helpers/fixtures.ts'
import { postgresService, type TestService } from '../helpers/service.ts'
import { expectBooksToBalance } from '../metering/fixtures.ts'
import { buttonIn, factIn, formIn, tableIn, textIn } from './reading.ts'
import { chargedTo, csrfIn, type Person, startTown, type Town } from './visitor.ts'

const PATH = '/bulk-search'
const MATCHES = 'matches by line'
const HOSTILE = [
  `"><script>alert(1)</script>`,
  '<slot name="streamed"></slot>',
  '=HYPERLINK("https://evil.example")',
  '%00%ff',
  "'; drop table ledger; --",
  '\u202Egnp.exe',
  '@@@',
  '$',
  'e'.repeat(200),
]

let service: TestService
let town: Town

beforeAll(async () => {
  service = await postgresService(async (database) => {
    await fixtures(database)
    const hostile = { id: uuid(20_001), name: '=cmd|calc <b>x</b>', companyType: 'project' }
    await importRows(database, 'companies', [hostile])
  })
  town = await startTown(service, { trialCredits: 0 })
})
afterAll(async () => {
  await expectBooksToBalance(service.sql)
  await service.stop()
})

const customer = (credits: number, tier: Tier = 'pro') => town.customer(credits, tier)

const charged = (person: Person) => chargedTo(service, person)
const upTo = (count: number) => Array.from({ length: count }, (_, i) => `line ${i + 1}`)

/** The page that says the price of these lines. */
async function priced(someone: Person, lines: readonly string[]): Promise<string> {
  const answer = await someone.submit(PATH, { lines: lines.join('\n') })
  expect(answer.status).toBe(200)
  return answer.text()
}
async function searched(someone: Person, lines: readonly string[]): Promise<string> {
  const form = formIn(await priced(someone, lines), PATH)
  return (await someone.post(PATH, form ?? [])).text()
}
/** The CSV that the page's link holds. */
function csvIn(html: string): Record<string, string>[] {
  const [, data = ''] = /href="data:text\/csv;charset=utf-8;base64,([^"]*)"/.exec(html) ?? []
  return parse(Buffer.from(data, 'base64').toString(), { columns: true, relax_column_count: true })
}

describe('the way', () => {
  test('lines are counted and their price is said; nothing is charged before the second press', async () => {
    const someone = await customer(1_000)
    const page = await priced(someone, ['  Ada Ashford ', '', 'aurora', ' '])
    expect(textIn(page)).toContain('2 lines')
    expect([factIn(page, 'First line'), factIn(page, 'Last line')]).toEqual([
      'Ada Ashford',
      'aurora',
    ])
    expect([factIn(page, 'Price'), factIn(page, 'Your balance')]).toEqual([
      '10 credits',
      '1,000 credits',
    ])
    expect(buttonIn(page, PATH)).toBe('Search 10 credits')
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
    expect(textIn(page)).toContain('All lines answered 15 credits were charged.')
    expect(await charged(someone)).toBe(15)
    expect(PRIVATE_VALUES.filter((value) => page.includes(value))).toEqual([])
  })

  test('200 lines are answered in their order, each once', async () => {
    const someone = await customer(1_000)
    const page = await searched(someone, upTo(200))
    expect(tableIn(page, MATCHES).map(([line]) => line)).toEqual(
      upTo(200).map((line, i) => `${i + 1}/200 ${line}`),
    )
    expect(await service.balance(someone.accountId)).toBe(0)
  })

  test('a file does as well, with any line breaks', async () => {
    const someone = await customer(1_000)
    const form = new FormData()
    form.set('csrf', csrfIn(await someone.text(PATH)))
    form.set('lines', '')
    form.set('file', new File(['Ada Ashford\r\naurora\rBen Birch\n'], 'names.txt'))
    const page = await (await someone.post(PATH, form)).text()
    expect(formIn(page, PATH)?.get('lines')).toBe('Ada Ashford\naurora\nBen Birch')
    expect(factIn(page, 'Price')).toBe('15 credits')
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
      const straight = await someone.submit(PATH, { lines, idempotencyKey: crypto.randomUUID() })
      expect(straight.status).toBe(422)
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

  test('a form without its hidden value, or with one that is none, charges nothing', async () => {
    const someone = await customer(1_000)
    const refused = await someone.post(PATH, [
      ['lines', 'ada'],
      ['idempotencyKey', crypto.randomUUID()],
    ])
    expect(refused.status).toBe(403)
    expect((await someone.submit(PATH, { lines: 'ada', idempotencyKey: 'x' })).status).toBe(400)
    expect(await charged(someone)).toBe(0)
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
  expect(textIn(page)).toContain(`${(HOSTILE.length + 1) * 5} credits were charged.`)
})

describe('where credits end', () => {
  test('the page says how far they go, stops there, and says what was charged', async () => {
    const someone = await customer(133)
    const page = await priced(someone, upTo(60))
    expect(textIn(page)).toContain(
      'Your credits cover 26 of 60 lines: the search would stop there.',
    )
    expect(buttonIn(page, PATH)).toBe('Search 130 credits')
    const result = await (await someone.post(PATH, formIn(page, PATH) ?? [])).text()
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

  test('two at once on credits for one and a half answer what was paid for, and nothing is owed', async () => {
    const someone = await customer(300)
    const forms = [
      formIn(await priced(someone, upTo(40)), PATH),
      formIn(await priced(someone, upTo(40)), PATH),
    ]
    const pages = await Promise.all(
      forms.map(async (form) => (await someone.post(PATH, form ?? [])).text()),
    )
    const answered = pages.map((page) => tableIn(page, MATCHES).length)
    expect(answered.reduce((sum, it) => sum + it, 0)).toBe(60)
    for (const [i, page] of pages.entries()) {
      expect(textIn(page)).toContain(`${answered[i]! * 5} credits were charged.`)
    }
    expect(await service.balance(someone.accountId)).toBe(0)
  })

  test('without any, there is no button', async () => {
    const page = await priced(await customer(4), upTo(3))
    expect(textIn(page)).toContain('Your credits cover none of 3 lines')
    expect(buttonIn(page, PATH)).toBeUndefined()
  })
})

test('sent again, also five times at once, it is charged once and answers the same', async () => {
  const someone = await customer(1_000)
  const form = formIn(await priced(someone, ['Ada Ashford', 'aurora']), PATH) ?? []
  const send = async () => (await someone.post(PATH, form)).text()
  const pages = await Promise.all([send(), send(), send(), send(), send()])
  const last = await send()
  for (const page of pages) expect(tableIn(page, MATCHES)).toEqual(tableIn(last, MATCHES))
  expect(textIn(last)).toContain('Nothing more was charged: these lines were paid for before.')
  expect(await charged(someone)).toBe(10)
})

test('sent twice at once, with credits that end within a batch and a top-up, each line is paid once', async () => {
  // One batch of twenty lines and six more.
  const someone = await customer(130)
  const form = formIn(await priced(someone, upTo(40)), PATH) ?? []
  const reader = (await someone.post(PATH, form)).body?.getReader()
  let page = ''
  const read = async () => {
    const { value, done } = (await reader?.read()) ?? { done: true }
    if (value) page += new TextDecoder().decode(value)
    return !done
  }
  await read()
  await read()
  expect(await charged(someone)).toBe(100)
  const second = await (await someone.post(PATH, form)).text()
  expect([tableIn(second, MATCHES).length, await charged(someone)]).toEqual([26, 130])
  await grantCredits(service.database, someone.accountId, 1_000, 'topup')
  while (await read());
  expect(tableIn(page, MATCHES)).toHaveLength(40)
  expect(textIn(page)).toContain('All lines answered 170 credits were charged.')
  expect(await charged(someone)).toBe(200)
})

test('a reader who leaves is charged for no batch after', async () => {
  const someone = await customer(1_000)
  const form = formIn(await priced(someone, upTo(200)), PATH) ?? []
  const reader = (await someone.post(PATH, form)).body?.getReader()
  await reader?.read()
  await reader?.read()
  await reader?.cancel()
  expect(await charged(someone)).toBe(100)
})

describe('who may', () => {
  test.each(['free', 'starter'] as const)(
    'on %s the page says what it is and which plans have it, and the form is refused',
    async (tier) => {
      const someone = await customer(1_000, tier)
      const page = await someone.text(PATH)
      expect(textIn(page)).toContain('It comes with Pro, Team or Enterprise.')
      expect(textIn(page)).toContain('5 credits a line')
      expect(page).not.toContain('<textarea')
      const tried = await someone.submit(
        '/keys',
        { lines: 'ada', idempotencyKey: crypto.randomUUID() },
        PATH,
      )
      expect(tried.status).toBe(403)
      expect(await charged(someone)).toBe(0)
    },
  )

  test('whoever is not signed in is led to sign in', async () => {
    const answer = await town.visitor().get(PATH)
    expect(answer.headers.get('location')).toBe(`/sign-in?returnUrl=${encodeURIComponent(PATH)}`)
  })
})
