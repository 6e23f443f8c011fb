/** Exports: the price that is shown is the one that is charged, and what is charged for is in the file. */
import { describe, expect, test } from 'bun:test'
import { parse } from 'csv-parse/sync'
import type { Tier } from '../../src/contract/tiers.ts'
import { importRows } from '../../src/intake/import/import.ts'
import { crowd, fixtures, PEOPLE, PRIVATE_VALUES, uuid } from '../helpers/fixtures.ts'
import { buttonIn, factIn, formIn, numberIn, tableIn, textIn } from './reading.ts'
import { chargedTo, loadForm, type Person, sharedPostgresTown } from './visitor.ts'

/** More than two charges' worth: one charge pays for ten units of a hundred rows. */
const CROWD = 2_150
const TOTAL = CROWD + PEOPLE.length
const FORMULAS = [
  '=HYPERLINK("https://evil.example")',
  '+1+cmd',
  '-2+3',
  '@SUM(A1)',
  '\t=1',
  'Boss;=1+1;y',
]

const { service, town } = sharedPostgresTown(
  async (database) => {
    await fixtures(database)
    await crowd(database, CROWD)
    const hostile = FORMULAS.map((text, i) => ({
      id: uuid(20_001 + i),
      name: `Formula ${i}`,
      companyType: 'service',
      aiSummary: text,
      sectors: [text, `a"b,c`],
    }))
    await importRows(database, 'companies', hostile)
  },
  () => ({ trialCredits: 0 }),
)

const customer = (credits: number, tier: Tier = 'starter') => town.customer(credits, tier)

/** The file as text, and its rows. A last line that says that it stopped is no row. */
async function fileOf(answer: Response | Promise<Response>) {
  const response = await answer
  expect(response.status).toBe(200)
  expect(response.headers.get('content-type')).toStartWith('text/csv; charset=utf-8')
  const text = await response.text()
  const lines = parse(text, { relax_column_count: true, bom: true }) as string[][]
  const [header = [], ...rest] = lines
  const stopped = rest.at(-1)?.length === 1 ? rest.pop()?.[0] : undefined
  const rows = rest.map((cells) =>
    Object.fromEntries(header.map((name, i) => [name, cells[i] ?? ''])),
  )
  return { text, rows, stopped }
}

const exported = async (someone: Person, path: string) =>
  fileOf(someone.post(path, await loadForm(someone, path)))
const charged = (person: Person) => chargedTo(service, person)

describe('the price', () => {
  test.each([
    ['/export/people', TOTAL],
    ['/export/people?q=xu', CROWD],
    ['/export/people?roles=founder', 1],
    ['/export/projects', undefined],
    ['/export/investors?sort=name', undefined],
    ['/export/services', undefined],
  ])('of %s is shown before, with the rows, and charged', async (path, expected) => {
    const someone = await customer(1_000)
    const page = await someone.text(path)
    const rows = numberIn(factIn(page, 'Rows') ?? '')
    if (expected !== undefined) expect(rows).toBe(expected)
    const price = Math.ceil(rows / 100) * 5
    expect(factIn(page, 'Price')).toBe(`${price} credits`)
    expect(buttonIn(page, path)).toBe(`Download ${price} credits`)
    expect(await charged(someone)).toBe(0)
    const file = await fileOf(someone.post(path, formIn(page, path) ?? []))
    expect([file.rows.length, file.stopped]).toEqual([rows, undefined])
    expect(await charged(someone)).toBe(price)
  })

  test('is what was shown, also where the list has grown since', async () => {
    const someone = await customer(1_000)
    const path = '/export/services'
    const form = await loadForm(someone, path)
    const before = Number(form.get('rows'))
    const more = Array.from({ length: 100 }, (_, i) => ({
      id: uuid(30_001 + i),
      name: `Late ${i}`,
      companyType: 'service',
    }))
    await importRows(service.database, 'companies', more)
    await service.directory.refresh()
    expect(await someone.text(path)).toContain(`value="${before + 100}"`)
    expect((await fileOf(someone.post(path, form))).rows).toHaveLength(before)
    expect(await charged(someone)).toBe(5)
  })

  test('is nothing where nothing matches: there is no button', async () => {
    const path = '/export/people?q=nobody-is-called-this'
    const page = await (await customer(100)).text(path)
    expect([factIn(page, 'Rows'), formIn(page, path)]).toEqual(['0', undefined])
  })
})

describe('the file', () => {
  test('has the rows of the API’s list in its order, each public field by its name', async () => {
    const query = 'q=a&channels=email&sort=name'
    const caller = await service.account({ tier: 'pro', credits: 1_000 })
    const { body } = await caller.get(`/v1/people?${query}&limit=100`)
    const { rows } = await exported(await customer(1_000), `/export/people?${query}`)
    expect(rows.map(({ id }) => id)).toEqual(body.data.map(({ id }: { id: string }) => id))
    for (const [i, person] of body.data.entries()) {
      expect(rows[i]).toMatchObject({
        slug: person.slug ?? '',
        firstName: person.firstName ?? '',
        jobTitle: person.jobTitle ?? '',
        company: person.company?.slug ?? '',
        hasEmail: String(person.hasEmail),
      })
    }
  })

  test('has a column for every public field that the API shows of a record, and begins with the mark by which spreadsheets know UTF-8', async () => {
    const caller = await service.account({ tier: 'pro', credits: 1_000 })
    const notPublic = ['isLocked', 'email', 'phone', 'telegram']
    for (const list of ['people', 'projects', 'investors', 'services']) {
      const { body } = await caller.get(`/v1/${list}?limit=1`)
      const ofCompanies = list === 'investors' ? ['sectors', 'chains', 'size', 'ticker'] : []
      const someone = await customer(1_000)
      const response = await someone.post(
        `/export/${list}`,
        await loadForm(someone, `/export/${list}`),
      )
      const bytes = new Uint8Array(await response.arrayBuffer())
      expect([...bytes.slice(0, 3)]).toEqual([0xef, 0xbb, 0xbf])
      const text = new TextDecoder().decode(bytes)
      const [header = []] = parse(text, { to: 1 }) as string[][]
      const wanted = [...Object.keys(body.data[0]), ...ofCompanies].filter(
        (field) => !notPublic.includes(field) && !(list === 'people' && field === 'linkedinUrl'),
      )
      expect([list, wanted.filter((field) => !header.includes(field))]).toEqual([list, []])
    }
  })

  test('holds no private channel, also for an account that has unlocked it', async () => {
    const someone = await customer(1_000)
    const reveal = '/people/ada-ashford'
    await someone.post(reveal, await loadForm(someone, reveal))
    const { text } = await exported(someone, '/export/people')
    expect(PRIVATE_VALUES.filter((value) => text.includes(value))).toEqual([])
    expect(text).not.toContain('@private.example')
  })

  test('runs nothing in a spreadsheet: what looks like a formula is text', async () => {
    const { rows, text } = await exported(await customer(1_000), '/export/services?q=formula')
    expect(rows).toHaveLength(FORMULAS.length)
    for (const row of rows) {
      for (const cell of Object.values(row)) expect(cell).not.toMatch(/^[=+@\t]|^-\D|^-\d+\D/)
    }
    expect(rows.map(({ aiSummary }) => aiSummary)).toContain(`'${FORMULAS[0]}`)
    expect(text).toContain(`""b,c`)
    // Spreadsheets that split at semicolons ignore quotes in the middle of a line.
    for (const part of text.split(/[;\t\r\n]/)) expect(part).not.toMatch(/^"*[=+@]/)
    expect(text).toContain(`"Boss;'=1+1;y"`)
  })
})

describe('where credits end', () => {
  test('the page says how far they go, the file stops there, and says what was charged', async () => {
    const someone = await customer(64)
    const page = await someone.text('/export/people')
    expect(textIn(page)).toContain(
      `Your credits cover 1,200 of ${TOTAL.toLocaleString('en-US')} rows`,
    )
    expect(buttonIn(page, '/export/people')).toBe('Download 60 credits')
    const { rows, stopped } = await fileOf(
      someone.post('/export/people', formIn(page, '/export/people') ?? []),
    )
    expect(rows).toHaveLength(1_200)
    expect(stopped).toBe(
      `Stopped after 1200 of ${TOTAL} rows: your credits ran out. 60 credits were charged for these rows. Download again from the same page within a day: no row is charged twice.`,
    )
    expect([await charged(someone), await service.balance(someone.accountId)]).toEqual([60, 4])
    const [, link = ''] = /href="(\/balance\?request=[^"#]+)/.exec(page) ?? []
    const lines = tableIn(await someone.text(link), 'Transactions, newest first')
    expect(lines.map(([, what, credits, , via]) => [what, via, credits])).toEqual([
      ['web/csv-export', 'web', '−10'],
      ['web/csv-export', 'web', '−50'],
    ])
  })
})

describe('asked for again', () => {
  test('a download that was repeated too often is a page that says so, and nothing is charged', async () => {
    const someone = await customer(1_000)
    const path = '/export/projects'
    const form = await loadForm(someone, path)
    for (let count = 0; count < 6; count++) await fileOf(someone.post(path, form))
    const answer = await someone.post(path, form)
    expect(answer.status).toBe(400)
    expect(textIn(await answer.text())).toContain(
      'shown 5 times more, the most that a day allows. Nothing was charged.',
    )
    expect(await charged(someone)).toBe(5)
  })

  test('with other filters, on another list or by another account it is paid anew', async () => {
    const [someone, other] = [await customer(1_000), await customer(1_000)]
    const form = await loadForm(someone, '/export/projects')
    await fileOf(someone.post('/export/projects', form))
    const again = new URLSearchParams(form)
    await fileOf(someone.post('/export/projects?q=a', again))
    await fileOf(someone.post('/export/investors', again))
    expect(await charged(someone)).toBe(15)
    const theirs = await loadForm(other, '/export/projects')
    theirs.set('idempotencyKey', form.get('idempotencyKey') ?? '')
    await fileOf(other.post('/export/projects', theirs))
    expect(await charged(other)).toBe(5)
  })
})

describe('who may', () => {
  test('on the free tier the page says what it is and which plans have it, and the form is refused', async () => {
    const someone = await customer(1_000, 'free')
    const page = await someone.text('/export/people')
    expect(textIn(page)).toContain('It comes with Essential, Pro, Team or Enterprise.')
    expect(textIn(page)).toContain('5 credits for each started 100 rows')
    expect(formIn(page, '/export/people')).toBeUndefined()
    const fields = { idempotencyKey: crypto.randomUUID(), rows: '100' }
    const tried = await someone.submit('/keys', fields, '/export/people')
    expect(tried.status).toBe(403)
    expect(textIn(await tried.text())).toContain('It comes with Essential')
    expect(await charged(someone)).toBe(0)
  })

  test.each([
    ['/export/keys', 404],
    ['/export/__proto__', 404],
    ['/export/people?roels=founder', 400],
    ['/export/people?sort=size', 400],
    ['/export/people?q=%00', 400],
  ])('%s is a %i', async (path, status) => {
    expect((await (await customer(100)).get(path)).status).toBe(status)
  })

  test.each([
    ['idempotencyKey', ''],
    ['idempotencyKey', 'x'],
    ['rows', ''],
    ['rows', '-1'],
    ['rows', '1e3'],
    ['rows', '99999999999'],
  ])('a form with %s "%s" is refused and charges nothing', async (field, value) => {
    const someone = await customer(100)
    const form = await loadForm(someone, '/export/projects')
    form.set(field, value)
    expect((await someone.post('/export/projects', form)).status).toBe(400)
    expect(await charged(someone)).toBe(0)
  })
})
