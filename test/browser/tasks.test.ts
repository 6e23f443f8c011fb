/** Tasks of first visitors, by clicks in Chromium: who led a round, who co-invests, which founders can be reached. */
import { beforeAll, describe, expect, test } from 'bun:test'
import { importAll } from '../../src/intake/import/import.ts'
import { CHROMIUM, sharedSite } from './chromium.ts'
import { signUp, startTravel, type Traveller } from './traveller.ts'

const LAST_YEAR = new Date().getUTCFullYear() - 1
const FUNDS = 14
const FOUNDERS = 5

const site = sharedSite()

/** A fund that invests beside fourteen others, in `FUNDS` rounds: fund 0 was in all of them, fund 1 in all but one, and so on. */
const ROWS = {
  companies: [
    { externalId: 'swap', slug: 'mistral-swap', name: 'Mistral Swap', companyType: 'project' },
    { externalId: 'far', slug: 'far-swap', name: 'Far Swap', companyType: 'project' },
    { externalId: 'b32z', slug: 'b32z', name: 'b32z', companyType: 'investor' },
    ...Array.from({ length: FUNDS }, (_, i) => ({
      externalId: `fund-${i}`,
      slug: `beside-${i}`,
      name: `Beside ${i}`,
      companyType: 'investor',
    })),
  ],
  rounds: [
    ...Array.from({ length: FUNDS }, (_, i) => ({
      externalId: `round-${i}`,
      company: 'swap',
      roundType: i === 0 ? 'Series C' : 'Seed',
      amountUsd: 1_000_000 * (i + 1),
      announceDate: `${LAST_YEAR}-${String(12 - (i % 12)).padStart(2, '0')}-0${i < 12 ? 9 : 1}`,
      investors: [
        { investor: 'b32z', isLead: i === 0 },
        ...Array.from({ length: FUNDS - i }, (_, k) => ({ investor: `fund-${k}`, isLead: false })),
      ],
    })),
    {
      externalId: 'old',
      company: 'far',
      roundType: 'Seed',
      announceDate: `${LAST_YEAR - 3}-01-01`,
    },
  ],
  people: Array.from({ length: FOUNDERS * 2 }, (_, i) => ({
    ...{
      externalId: `founder-${i}`,
      slug: `founder-${i}`,
      firstName: 'Founder',
      lastName: `No ${i}`,
    },
    roles: ['founder'],
    company: i < FOUNDERS ? 'swap' : 'far',
    telegram: `founder_${i}`,
  })),
}

beforeAll(async () => {
  if (!CHROMIUM) return
  await importAll(site.test.database, ROWS)
  const isThere = async () => (await fetch(`${site.server.appUrl}/people/founder-9`)).ok
  while (!(await isThere())) await Bun.sleep(50)
})

/** From the first page: types a query, presses Enter and opens what is found by that name. */
async function find({ page, press, done }: Traveller, query: string, name: string) {
  done.fields++
  await page.locator('main input[type=search]').fill(query)
  await page.keyboard.press('Enter')
  await page.waitForURL('**/search?q=*')
  await press(name, 'link')
}

describe.skipIf(!CHROMIUM)('in Chromium', () => {
  test('who led a company’s last round: one search, one click', async () => {
    const visitor = await startTravel(site)
    await find(visitor, 'mistral', 'Mistral Swap')
    const figures = await visitor.page.locator('.stats').first().textContent()
    expect(figures).toMatch(/Last round\s*Series C\s*\$1M/)
    expect(figures).toMatch(/Led by\s*b32z\s*with 14 other investors/)
    expect(visitor.done).toEqual({ clicks: 1, fields: 1 })
    await visitor.look('a company with a lead')
    await visitor.close()
  })

  test('the ten funds most often beside another: one search, one click', async () => {
    const visitor = await startTravel(site)
    await find(visitor, 'b32z', 'b32z')
    const beside = visitor.page.locator('section[aria-labelledby=co-investors] tbody tr')
    const rows = await beside.locator('th, td:nth-of-type(1)').allTextContents()
    expect(rows.map((text) => text.trim())).toEqual(
      Array.from({ length: 10 }, (_, i) => [`Beside ${i}`, String(FUNDS - i)]).flat(),
    )
    // The list is below the portfolio: the head names the first, and leads there.
    const figures = await visitor.page.locator('.stats').first().textContent()
    // All of them, though the table has ten.
    expect(figures).toMatch(/Most often with\s*Beside 0\s*14 rounds · 14 co-investors/)
    expect(await visitor.page.locator('.stats a[href="#co-investors"]').count()).toBe(1)
    expect(visitor.done).toEqual({ clicks: 1, fields: 1 })
    await visitor.close()
  })

  test('three founders with Telegram at companies that raised last year, revealed and exported: 10 clicks', async () => {
    const visitor = await startTravel(site)
    const { page, press, download, done } = visitor
    await signUp(visitor, { name: 'Tess Tasker', email: 'tess@example.com' })
    Object.assign(done, { clicks: 0, fields: 0 })
    await press('People', 'link')
    for (const [name, value] of [
      ['roles', 'founder'],
      ['channels', 'telegram'],
      ['raised', String(LAST_YEAR)],
    ] as const) {
      done.clicks++
      await page.check(`input[name="${name}"][value="${value}"]`)
      await page.waitForURL((url) => url.searchParams.get(name) === value)
    }
    // The company that raised earlier is filtered out.
    const theirs = page.getByRole('checkbox', { name: /^Select Founder No/ })
    while ((await theirs.count()) !== FOUNDERS) await Bun.sleep(50)
    for (const box of (await theirs.all()).slice(0, 3)) {
      done.clicks++
      await box.check()
    }
    await press('Reveal selected')
    await visitor.look('the price of three')
    await press(/^Reveal 3/)
    expect(await page.textContent('.notice')).toContain('3 people were revealed')
    const file = await download('Download all contacts as CSV', 'link')
    expect(file.match(/founder_[0-4]/g)).toHaveLength(3)
    expect(done).toEqual({ clicks: 10, fields: 0 })
    await visitor.close()
  })
})
