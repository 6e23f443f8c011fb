/** The home page, of a directory that grows: nothing, companies alone, then people and rounds. */
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { importAll } from '../../src/intake/import/import.ts'
import { type TestService, testService } from '../helpers/service.ts'
import { textIn } from './reading.ts'
import { type TestSite, testSite } from './site.ts'

let service: TestService
let site: TestSite

beforeAll(async () => {
  service = await testService(async () => {})
  site = await testSite(service)
})
afterAll(() => service.stop())

const daysAgo = (days: number) => new Date(Date.now() - days * 86_400_000).toISOString()
const followersOf = (n: number) => (n % 3 === 0 ? null : 1_000 * n)

const COMPANIES = [
  ...Array.from({ length: 12 }, (_, n) => ({
    externalId: `project-${n}`,
    slug: `project-${n}`,
    name: `Project ${n}`,
    companyType: 'project',
    chains: ['base'],
    createdAt: daysAgo(100 + n),
  })),
  ...Array.from({ length: 8 }, (_, n) => ({
    externalId: `fund-${n}`,
    slug: `fund-${n}`,
    name: `Fund ${n}`,
    companyType: 'investor',
    followers: followersOf(n),
  })),
]
const PEOPLE = Array.from({ length: 9 }, (_, n) => ({
  externalId: `person-${n}`,
  slug: `person-${n}`,
  firstName: 'Person',
  lastName: `${n}`,
  company: `project-${n}`,
  jobTitle: 'Builder',
  creatorFollowerCount: followersOf(n),
  email: `person-${n}@private.example`,
}))
/** Fund 7 was in all rounds, fund 6 in all but the newest, and so on; the oldest half is more than a year ago. */
const ROUNDS = Array.from({ length: 10 }, (_, n) => ({
  externalId: `round-${n}`,
  company: `project-${n}`,
  roundType: 'Seed',
  amountUsd: n === 1 ? null : 2_500_000,
  announceDate: daysAgo(20 + 75 * n).slice(0, 10),
  investors: Array.from({ length: Math.min(n + 1, 8) }, (_, k) => ({
    investor: `fund-${7 - k}`,
    isLead: n === 0 || k === 1 || k === 2 || k === 3,
  })),
}))

async function given(rows: Parameters<typeof importAll>[1]) {
  await importAll(service.database, rows)
  await service.directory.refresh()
}

/** The section under this heading: its text, and the records that its rows lead to. */
async function block(title: string) {
  const home = await site.text('/')
  const sections = home.split('<section aria-labelledby').map((text) => `<section ${text}`)
  const html = sections.find((text) => textIn(text).startsWith(title)) ?? ''
  const [, list] = /<p class="more"><a href="([^"]*)"/.exec(html) ?? []
  return { html, text: textIn(html), slugs: namesIn(html), list: list?.replaceAll('&amp;', '&') }
}

/** The addresses of the records whose rows these are. */
const namesIn = (html: string) =>
  [...html.matchAll(/<a class="name" href="([^"]*)"/g)].map(([, address]) => address)

test('an empty directory says so, and how it is filled', async () => {
  const home = textIn(await site.text('/'))
  expect(home).toContain('Nothing is in the directory yet.')
  expect(home).toContain('0 people, 0 companies and 0 funding rounds on record')
  expect(home).not.toContain('Try ')
})

test('companies alone are shown, and what is missing is named', async () => {
  await given({ companies: COMPANIES, people: [], rounds: [] })
  const { slugs, list } = await block('Projects')
  expect([slugs.length, list]).toEqual([8, '/projects'])
  const funds = await block('Funds')
  expect([funds.slugs.length, funds.list]).toEqual([5, '/investors'])
  expect((await block('Newest projects')).slugs[0]).toBe('/projects/project-0')
  const chains = await block('Chains')
  expect(chains.text).toContain('Base 12')
  expect(chains.html).toContain('href="/projects?chain=Base"')
  expect(await site.text('/projects?chain=Base')).toContain('Project 11')
  expect(textIn(await site.text('/'))).toContain(
    'Not in this directory yet: people, funding rounds and sectors.',
  )
})

test('funds that did nothing in twelve months are those of the largest portfolios', async () => {
  const old = { ...ROUNDS[0]!, externalId: 'old', announceDate: '2020-01-01' }
  await given({ companies: [], people: [], rounds: [old] })
  const { text, list } = await block('Largest portfolios')
  expect([text.includes('Fund 7 1 investment '), list]).toEqual([true, '/investors?sort=portfolio'])
  await service.sql`delete from funding_rounds`
  await service.directory.refresh()
})

test('a raise has its round, amount, leads and date; what is not on record is not guessed', async () => {
  await given({ companies: [], people: PEOPLE, rounds: ROUNDS })
  const { html } = await block('Latest raises')
  const rows = html.split('<tr>').slice(2).map(textIn)
  const day = (n: number) =>
    new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium', timeZone: 'UTC' }).format(
      new Date(ROUNDS[n]!.announceDate),
    )
  expect(rows[0]).toMatch(new RegExp(`Project 0 .*Seed \\$2.5M Fund 7 ${day(0)}$`))
  expect(rows[1]).toMatch(new RegExp(`Project 1 .*Seed Undisclosed Fund 6 ${day(1)}$`))
  expect(rows[3]).toMatch(
    new RegExp(`Project 3 .*Seed \\$2.5M Fund 4 ?, Fund 5 and 1 more ${day(3)}$`),
  )
})

test('each block is the head of the list that it leads to', async () => {
  for (const [title, rows] of [
    ['Latest raises', 8],
    ['Most followed people', 5],
    ['Most active funds', 5],
    ['Newest projects', 5],
  ] as const) {
    const { slugs, list = '' } = await block(title)
    expect([title, slugs.length]).toEqual([title, rows])
    const page = await site.text(list)
    expect([title, namesIn(page).slice(0, rows)]).toEqual([title, slugs])
  }
})

test('active funds are those of the last twelve months, and say how often', async () => {
  const { text, slugs } = await block('Most active funds')
  const recent = ROUNDS.filter(({ announceDate }) => announceDate >= daysAgo(365).slice(0, 10))
  expect(recent.length).toBe(5)
  expect(slugs).toEqual([7, 6, 5, 4, 3].map((n) => `/investors/fund-${n}`))
  expect(text).toContain('Fund 7 5 deals in 12 months')
  expect(text).toContain('Fund 3 1 deal in 12 months')
  expect(textIn(await site.text('/investors?sort=active'))).toContain('10 5 in 12 months')
})

test('a round of a later day is no raise yet: its company stands by what it raised before', async () => {
  const before = (await block('Latest raises')).slugs
  // More companies than the block has rows; one of them has raised before, and one has a round without a date.
  const companies = Array.from({ length: 10 }, (_, n) => ({
    externalId: `planner-${n}`,
    slug: `planner-${n}`,
    name: `Planner ${n}`,
    companyType: 'project',
    createdAt: daysAgo(900),
  }))
  const rounds = companies.map(({ externalId }, n) => ({
    externalId: `planned-${n}`,
    company: externalId,
    roundType: 'Series A',
    investors: [],
    announceDate: daysAgo(-3 - n).slice(0, 10) as string | undefined,
  }))
  const past = {
    ...rounds[4]!,
    externalId: 'planned-before',
    roundType: 'Seed',
    announceDate: daysAgo(30).slice(0, 10),
  }
  const undated = { ...rounds[5]!, externalId: 'planned-undated', announceDate: undefined }
  await given({ companies, people: [], rounds: [...rounds, past, undated] })
  const { slugs, html } = await block('Latest raises')
  expect(slugs).toEqual([before[0]!, '/projects/planner-4', ...before.slice(1, 7)])
  expect(textIn(html)).toContain('Planner 4 Seed')
  expect(html).not.toContain('Series A')
  expect(namesIn(await site.text('/projects?sort=last-round'))[0]).toBe('/projects/planner-9')
  await service.sql`delete from funding_rounds where external_id like 'planned-%'`
  await service.sql`delete from companies where external_id like 'planner-%'`
  await service.directory.refresh()
})

test('its examples find what they name, and its call asks for a project', async () => {
  const home = await site.text('/')
  const examples = [...home.matchAll(/<a href="(\/search\?q=[^"]*)">([^<]*)</g)]
  expect(examples.map(([, , name]) => name)).toEqual(['Project 0', 'Fund 7', 'Person 8'])
  for (const [, address = '', name = ''] of examples) {
    const [, first] =
      /<a class="name" href="[^"]*"><bdi>([^<]*)</.exec(await site.text(address)) ?? []
    expect(first).toBe(name)
  }
  expect(home).toMatch(/\/v1\/search\?q=Project\+\d+&amp;limit=3&quot;/)
  expect(home).not.toContain('@private.example')
})

test('with the longest names it stays below 60 KB', async () => {
  const long = 'Very long names of protocols '.repeat(7).slice(0, 200).trim()
  const named = <R extends { externalId: string }>(rows: readonly R[], more: object) =>
    rows.map((row) => ({ ...row, ...more }))
  const texts = { name: long, domain: `${'x'.repeat(60)}.example`, aiSummary: long.repeat(8) }
  const sectors = Array.from({ length: 30 }, (_, n) => `${long.slice(0, 50)} ${n}`)
  await given({
    companies: named(COMPANIES, { ...texts, sectors }),
    people: named(PEOPLE, {
      firstName: 'x'.repeat(100),
      lastName: 'y'.repeat(100),
      jobTitle: long,
    }),
    rounds: [],
  })
  const home = await site.text('/')
  expect(home).toContain(long)
  expect(Buffer.byteLength(home)).toBeLessThan(60_000)
  // A search takes 200 characters, and nobody reads so long an example.
  expect(textIn(home)).not.toContain('Try ')
  expect(home).toContain('/v1/search?q=Very+long+names+of+protocols+Very+long+n&amp;limit=3')
})

test('names without a letter, and people without a name, are no examples', async () => {
  await service.sql`update companies set name = '-.'`
  await service.sql`update people set first_name = null, last_name = null`
  await service.directory.refresh()
  const home = await site.text('/')
  expect(home).toContain('Name not on record')
  expect(textIn(home)).not.toContain('Try ')
})
