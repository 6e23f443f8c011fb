/** What importing a row changes, and what it leaves alone. */
import { describe, expect, test } from 'bun:test'
import { importFiles } from '../../../src/intake/import/import.ts'
import { company, counts, csv, emptyDatabase, jsonl, load } from './sources.ts'

const t = emptyDatabase()

describe('what a row changes', () => {
  test('a field that is absent stays, null clears', async () => {
    const full = company({
      externalId: 'a',
      ticker: 'ACM',
      sectors: ['DeFi'],
      tokenLaunched: false,
    })
    await load(t.database, 'companies', [full])
    await load(t.database, 'companies', [{ externalId: 'a', ticker: null, tokenLaunched: null }])
    const [row] = await t.sql`select name, ticker, sectors, token_launched from companies`
    expect({ ...row }).toEqual({
      name: 'Acme',
      ticker: null,
      sectors: ['DeFi'],
      token_launched: null,
    })
  })

  test('an unchanged row is not written: no new version, no entry in the change log', async () => {
    const rows = [
      company({ externalId: 'a', handleHistory: [{ handle: 'x', seenAt: '2021-01-01' }] }),
    ]
    await load(t.database, 'companies', rows)
    const state = () =>
      t.sql`select c.xmin, c.updated_at, (select max(sequence) from change_log) from companies c`
    const before = JSON.stringify(await state())
    expect(counts(await load(t.database, 'companies', rows))).toBe(
      '0 created, 0 updated, 1 unchanged, 0 refused',
    )
    expect(JSON.stringify(await state())).toBe(before)
  })

  test('roles follow the job title until a row gives roles', async () => {
    const roles = async () => (await t.sql`select roles from people`)[0]?.roles
    const ann = { externalId: 'a', firstName: 'Ann' }
    await load(t.database, 'people', [{ ...ann, jobTitle: 'CTO' }])
    expect(await roles()).toEqual(['executive', 'engineering'])
    await load(t.database, 'people', [{ ...ann, jobTitle: 'Head of Product' }])
    expect(await roles()).toEqual(['product'])
    await load(t.database, 'people', [{ ...ann, roles: ['founder'] }])
    await load(t.database, 'people', [{ ...ann, jobTitle: 'Head of Product' }])
    expect(await roles()).toEqual(['founder'])
    await load(t.database, 'people', [{ ...ann, jobTitle: null }])
    expect(await roles()).toEqual([])
  })

  test('channels go to private_channels, and the has_* flags follow', async () => {
    const ann = { externalId: 'a', firstName: 'Ann' }
    const channels = { email: 'ann@example.com', phone: '+1-555-0100' }
    await load(t.database, 'people', [
      { ...ann, ...channels },
      { externalId: 'b', firstName: 'Ben' },
    ])
    expect(counts(await load(t.database, 'people', [{ ...ann, ...channels }]))).toStartWith(
      '0 created, 0 updated',
    )
    expect(
      counts(await load(t.database, 'people', [{ ...ann, email: null, telegram: '@ann_example' }])),
    ).toStartWith('0 created, 1 updated')
    const [stored] = await t.sql`select email, phone, telegram, linkedin_url from private_channels`
    expect({ ...stored }).toEqual({
      email: null,
      phone: '+1-555-0100',
      telegram: 'ann_example',
      linkedin_url: null,
    })
    const flags =
      await t.sql`select has_email, has_phone, has_telegram, has_linkedin from people order by slug`
    expect(flags.map((row) => Object.values(row))).toEqual([
      [false, true, true, false],
      [false, false, false, false],
    ])
  })

  test('importing again keeps unlocks, ledger and ids', async () => {
    const people = [{ externalId: 'a', firstName: 'Ann', email: 'ann@example.com' }]
    await load(t.database, 'people', people)
    await t.sql`insert into accounts (name, email) values ('A', 'a@example.com')`
    await t.sql`insert into unlocks select a.id, p.id, now() from accounts a, people p`
    await t.sql`insert into ledger (account_id, at, kind, credits, balance_after, person_id)
                select a.id, now(), 'charge', -10, 0, p.id from accounts a, people p`
    const money = async () =>
      JSON.stringify([await t.sql`select * from unlocks`, await t.sql`select * from ledger`])
    const before = await money()
    await load(t.database, 'people', [
      { ...people[0], jobTitle: 'CEO', email: 'other@example.com' },
    ])
    expect(await money()).toBe(before)
    expect((await t.sql`select from unlocks u join people p on p.id = u.person_id`).length).toBe(1)
  })
})

test('CSV stores what JSON Lines stores', async () => {
  const companies = [
    company({
      externalId: 'a',
      sectors: ['DeFi', 'NFT'],
      followers: 12,
      tokenLaunched: true,
      handleHistory: [{ handle: 'old', seenAt: '2021-01-01' }],
      twitterRisk: { level: 'low', reasons: ['x'] },
      aiSummary: 'Says "hello",\nand more',
    }),
    company({ externalId: 'b', name: 'Fund', companyType: 'investor', fundAllTimeRoiPct: -1.5 }),
  ]
  const rounds = [
    { externalId: 'r', company: 'a', amountUsd: 5, investors: [{ investor: 'b', isLead: true }] },
  ]
  await importFiles(t.database, { companies: csv(companies), rounds: csv(rounds) })
  const again = await importFiles(t.database, {
    companies: jsonl(companies),
    rounds: jsonl(rounds),
  })
  expect(again.companies?.unchanged).toBe(2)
  expect(again.rounds?.unchanged).toBe(1)
  const [row] =
    await t.sql`select sectors, token_launched, ai_summary from companies where external_id = 'a'`
  expect({ ...row }).toEqual({
    sectors: ['DeFi', 'NFT'],
    token_launched: true,
    ai_summary: 'Says "hello", and more',
  })
})
