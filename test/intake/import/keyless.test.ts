/** Records that rows without id, externalId and slug mean; the rules stand in `src/intake/import/keyless.ts`. */
import { beforeEach, describe, expect, test } from 'bun:test'
import { importFiles } from '../../../src/intake/import/import.ts'
import { COMPANIES, PEOPLE, ROUNDS } from '../../../src/intake/import/kinds.ts'
import type { KindName } from '../../../src/intake/import/summary.ts'
import { company, counts, csv, emptyDatabase, load, type Row, reasons } from './sources.ts'

const t = emptyDatabase()

const jane = (fields: Row = {}): Row => ({ firstName: 'Jane', lastName: 'Doe', ...fields })
const people = (...rows: Row[]) => load(t.database, 'people', rows)
/** Rows that were created, updated, unchanged and refused. */
const told = async (kind: KindName, ...rows: Row[]) => counts(await load(t.database, kind, rows))

const NEW = '1 created, 0 updated, 0 unchanged, 0 refused'
const UPDATED = '0 created, 1 updated, 0 unchanged, 0 refused'
const SAME = '0 created, 0 updated, 1 unchanged, 0 refused'
const REFUSED = '0 created, 0 updated, 0 unchanged, 1 refused'

/** Everybody's slug and channels. */
async function stored() {
  const rows = await t.sql`
    select p.slug, c.email, c.telegram, c.linkedin_url, p.twitter_handle
      from people p left join private_channels c on c.person_id = p.id order by p.slug`
  return rows.map((row) =>
    Object.values(row)
      .filter((value) => value !== null)
      .join(' '),
  )
}

describe('a row finds its record', () => {
  for (const [channel, value, spelled] of [
    ['email', 'jane@x.example', 'Mailto:JANE@X.example'],
    ['linkedinUrl', 'https://www.linkedin.com/in/jane', 'de.linkedin.com/in/Jane/?locale=de'],
    ['telegram', 'jane_doe', 'https://t.me/Jane_Doe'],
    ['twitterHandle', 'janedoe', '@JaneDoe'],
  ] as const) {
    test(`by ${channel}, where the names agree but for case, accents and blanks`, async () => {
      await people(jane({ [channel]: value }), jane({ telegram: 'another', email: 'b@x.example' }))
      const row = { firstName: 'JANÉ  doe', [channel]: spelled, jobTitle: 'CEO' }
      expect(await told('people', row)).toBe(UPDATED)
      const [found] = await t.sql`select slug from people where job_title = 'CEO'`
      expect(found?.slug).toBe('jane-doe')
    })
  }

  test('not by a channel of somebody with another name', async () => {
    await people({ firstName: 'Ben', email: 'info@x.example' })
    expect(await told('people', jane({ email: 'info@x.example' }))).toBe(NEW)
  })

  test('by name alone, where nobody else has the name and no channel changes', async () => {
    await people(jane({ email: 'a@x.example' }))
    expect(await told('people', jane({ jobTitle: 'CEO' }))).toBe(UPDATED)
    expect(await stored()).toEqual(['jane-doe a@x.example'])
  })

  test('the same file again changes nothing, whatever it knows of a person', async () => {
    const file = [
      jane({ jobTitle: 'CEO' }),
      { firstName: 'Ben', phone: '+1-555-0100' },
      { firstName: 'Cem', email: 'cem@x.example', telegram: 'cem_example' },
      { firstName: 'Ди', lastName: 'Ёжик' },
    ]
    expect(counts(await people(...file))).toStartWith('4 created')
    const again = '0 created, 0 updated, 4 unchanged, 0 refused'
    expect(counts(await people(...file.toReversed()))).toBe(again)
    const done = await importFiles(t.database, { people: csv(file) })
    // In the CSV, a blank cell says that there is no e-mail, which changes nothing either.
    expect(done.people && counts(done.people)).toBe(again)
  })
})

describe('a row that could be another’s is refused, with both named', () => {
  test('it fits two records', async () => {
    await people(jane({ email: 'a@x.example' }), jane({ telegram: 'jane_b' }))
    expect(reasons(await people(jane({ email: 'a@x.example', telegram: 'jane_b' })))).toEqual([
      '1 null: fits several records: Jane Doe (slug jane-doe) and Jane Doe (slug jane-doe-2); give the row the slug or id of the one that it means',
    ])
  })

  test('two records have its e-mail, and nothing else tells', async () => {
    const shared = { email: 'info@x.example' }
    await people(jane({ externalId: 'a', ...shared }), jane({ externalId: 'b', ...shared }))
    expect(await told('people', jane(shared))).toBe(REFUSED)
    await people(jane({ externalId: 'b', telegram: 'jane_b' }))
    expect(await told('people', jane({ ...shared, telegram: 'jane_b' }))).toBe(SAME)
  })

  test('a namesake has another e-mail: it may be the same person, or not', async () => {
    await people(jane({ email: 'a@x.example' }))
    expect(reasons(await people(jane({ email: 'b@x.example' })))).toEqual([
      "1 null: can't be told from Jane Doe (slug jane-doe): the name is the same, and no e-mail, LinkedIn, Telegram or X handle; give the row that record's slug or id, or, if it is another, an externalId",
    ])
    expect(await stored()).toEqual(['jane-doe a@x.example'])
  })

  test('a namesake has no channel, and the row would give it one', async () => {
    await people(jane())
    expect(await told('people', jane({ email: 'b@x.example' }))).toBe(REFUSED)
    expect(await told('people', jane({ phone: '+1-555-0100' }))).toBe(REFUSED)
  })

  test('there are two of that name at its company, whoever else has the name', async () => {
    await load(t.database, 'companies', [company(), company({ name: 'Beta' })])
    await people(
      ...['a', 'b'].map((externalId) => jane({ externalId, company: 'beta' })),
      ...['c', 'd'].map((externalId) => jane({ externalId, company: 'acme' })),
    )
    const [reason] = reasons(await people(jane({ company: 'acme', jobTitle: 'CEO' })))
    expect(reason).toContain("can't be told from")
  })

  test('there are two of that name, and the row has only the name', async () => {
    await people(jane({ email: 'a@x.example' }), jane({ email: 'b@x.example' }))
    const [reason] = reasons(await people(jane()))
    expect(reason).toContain('Jane Doe (slug jane-doe) and Jane Doe (slug jane-doe-2)')
  })

  test('two rows of a file have only the name and differ: the second one', async () => {
    const done = await people(jane({ jobTitle: 'CEO' }), { firstName: 'Ben' }, jane())
    expect(done.created).toBe(2)
    const [reason] = reasons(done)
    expect(reason).toStartWith(
      "3 null: can't be told from Jane Doe (slug jane-doe), which row 1 of this file means",
    )
  })

  test('no reason says a channel', async () => {
    const secret = { email: 'zzsecret@x.example', telegram: 'zzsecret', phone: '+1-555-0199' }
    await people(jane(secret), jane({ email: 'other@x.example' }))
    const done = await people(
      jane({ email: 'zzsecret@x.example', telegram: 'zzsecret' }),
      jane({ telegram: 'zzsecret_d', phone: '+1-555-0198' }),
      jane(),
    )
    expect(done.refused).toBe(2)
    expect(JSON.stringify(done)).not.toMatch(/zzsecret|x\.example|555/)
  })

  test('more than a thousand rows of one name', async () => {
    const rows = Array.from({ length: 1_001 }, () => jane({ email: 'a@x.example' }))
    const done = await people(...rows, { firstName: 'Ben' })
    expect(counts(done)).toBe('2 created, 0 updated, 999 unchanged, 1 refused')
    expect(reasons(done)[0]).toStartWith('1001 null: more than 1000 rows without a key')
  })
})

describe('rows of one name in a file', () => {
  test('of different channels are different people, also many batches apart', async () => {
    const others = Array.from({ length: 1_500 }, (_, i) => ({ firstName: `Ann ${i}` }))
    const file = [jane({ email: 'a@x.example' }), ...others, jane({ email: 'b@x.example' })]
    expect((await people(...file)).refused).toBe(0)
    expect(counts(await people(...file.toReversed()))).toBe(
      '0 created, 0 updated, 1502 unchanged, 0 refused',
    )
  })

  test('let a newcomer in behind those that mean all namesakes', async () => {
    await people(jane({ email: 'a@x.example' }))
    const rows = [jane({ email: 'a@x.example' }), jane({ email: 'b@x.example' })]
    expect(counts(await people(...rows.toReversed()))).toContain('1 unchanged, 1 refused')
    expect(counts(await people(...rows))).toBe('1 created, 0 updated, 1 unchanged, 0 refused')
  })

  test('that share a channel are one person also where another row replaced it, among many namesakes', async () => {
    const others = ['b', 'c', 'd', 'e'].map((letter) => jane({ email: `${letter}@x.example` }))
    const done = await people(
      ...others,
      jane({ email: 'a@x.example', telegram: 'jane_a' }),
      jane({ email: 'new@x.example', telegram: 'jane_a' }),
      jane({ email: 'a@x.example' }),
    )
    expect(counts(done)).toBe('5 created, 2 updated, 0 unchanged, 0 refused')
  })

  test('that have only the name come last, so that their place decides nothing', async () => {
    const rows = [jane({ jobTitle: 'CEO' }), jane({ email: 'a@x.example' })]
    expect(counts(await people(...rows))).toBe('1 created, 1 updated, 0 unchanged, 0 refused')
    expect(await stored()).toEqual(['jane-doe a@x.example'])
    const done = await people(...rows, jane({ email: 'b@x.example' }))
    expect(counts(done)).toBe('1 created, 0 updated, 1 unchanged, 1 refused')
    expect(reasons(done)[0]).toStartWith("1 null: can't be told from Jane Doe (slug jane-doe) and")
  })

  test('that are refused batches behind later rows are still the first of their reason', async () => {
    await people(jane({ email: 'a@x.example' }), jane({ email: 'b@x.example' }))
    const others = Array.from({ length: 1_000 }, (_, i) => ({
      lastName: `Ng ${i}`,
      email: `${i}@x.example`,
    }))
    const { reasons } = await people(jane(), jane({ email: 'c@x.example' }), ...others)
    expect(reasons).toMatchObject([{ firstRow: 1, firstLine: 1, count: 2 }])
  })

  test('of which one would take away what another is known by: the later one is refused', async () => {
    const done = await people(
      jane({ email: 'a@x.example' }),
      jane({ email: 'a@x.example', telegram: 'jane_a' }),
      jane({ telegram: 'jane_a', email: 'b@x.example' }),
    )
    expect(counts(done)).toBe('1 created, 1 updated, 0 unchanged, 1 refused')
    expect(reasons(done)[0]).toStartWith(
      "3 null: can't be told from Jane Doe (slug jane-doe), which row 1 of this file means",
    )
  })

  test('that share a channel are one person; the later one stands, and a blank clears nothing', async () => {
    const done = await people(
      jane({ email: 'a@x.example', twitterHandle: 'jane', telegram: 'jane_b' }),
      jane({ email: 'a@x.example', telegram: 'jane_a', twitterHandle: null }),
      jane({ telegram: 'jane_a', email: null }),
      jane({ twitterHandle: null }),
    )
    expect(counts(done)).toBe('1 created, 1 updated, 2 unchanged, 0 refused')
    expect(await stored()).toEqual(['jane-doe a@x.example jane_a jane'])
  })

  test('that say the same in every field are one row, also where the record is there', async () => {
    const row = jane({ jobTitle: 'CEO' })
    const done = await people(row, { firstName: 'Ben' }, row)
    expect(counts(done)).toBe('2 created, 0 updated, 1 unchanged, 0 refused')
    expect(counts(await people(row, row))).toBe('0 created, 0 updated, 2 unchanged, 0 refused')
  })

  test('with a telephone alone are those that have it', async () => {
    const [a, b] = ['+1 (555) 0100-1', '+1-555-0100-2'].map((phone) => jane({ phone }))
    expect(counts(await people(a ?? {}, b ?? {}))).toStartWith('2 created')
    const again = jane({ phone: '+1 555 01001', email: 'a@x.example' })
    // A telephone that namesakes share would give one the other's e-mail.
    expect((await people(again)).refused).toBe(1)
    const spelled = jane({ phone: '0015550100-2', jobTitle: 'CEO' })
    expect(await told('people', spelled)).toBe(UPDATED)
  })

  test('come behind those that have a key', async () => {
    const done = await people(
      jane({ email: 'a@x.example' }),
      jane({ externalId: '1', email: 'a@x.example' }),
    )
    expect(counts(done)).toBe('1 created, 0 updated, 1 unchanged, 0 refused')
  })

  test('companies are told apart by domain and X handle', async () => {
    const [a, b] = [company({ domain: 'acme.io' }), company({ twitterHandle: 'acme_dao' })]
    expect(counts(await load(t.database, 'companies', [a, b]))).toStartWith('2 created')
    const swapped = [
      { ...b, domain: 'acme.org' },
      { ...a, ticker: 'ACM' },
    ]
    expect(counts(await load(t.database, 'companies', swapped))).toStartWith('0 created, 2 updated')
    const rows = await t.sql`select slug, domain from companies order by slug`
    expect(rows.map(({ domain }) => domain)).toEqual(['acme.io', 'acme.org'])
    expect(await told('companies', company({ domain: 'acme.example' }))).toBe(REFUSED)
  })

  test('a round is known by company, type, event and date; two that agree in these are refused', async () => {
    await load(t.database, 'companies', [company({ externalId: 'x' })])
    const seed = { company: 'acme', roundType: 'Seed', announceDate: '2021-03-04', amountUsd: 1 }
    const other = { ...seed, roundType: 'Series A' }
    expect(await told('rounds', seed, other)).toStartWith('2 created')
    expect(await told('rounds', { ...seed, company: 'x', roundType: 'seed', amountUsd: 2 })).toBe(
      UPDATED,
    )
    const twice = await load(t.database, 'rounds', [seed, { ...seed, company: 'x', amountUsd: 3 }])
    expect(reasons(twice)[0]).toStartWith("2 null: can't be told from round (id ")
    expect(reasons(twice)[0]).toContain(
      'which row 1 of this file means: company, type, event and date',
    )
    expect(twice.refused).toBe(1)
  })
})

describe('by name alone a row means the one', () => {
  const acme = { company: 'acme' }
  beforeEach(() => load(t.database, 'companies', [company(), company({ name: 'Beta' })]))

  test('at its company, also where a namesake is elsewhere', async () => {
    await people(
      jane({ ...acme, email: 'a@x.example' }),
      jane({ company: 'beta', email: 'b@x.example' }),
    )
    expect(await told('people', jane({ ...acme, jobTitle: 'CEO' }))).toBe(UPDATED)
    const [found] = await t.sql`select slug from people where job_title = 'CEO'`
    expect(found?.slug).toBe('jane-doe')
    expect(await told('people', jane({ jobTitle: 'CTO' }))).toBe(REFUSED)
  })

  test('whose company isn’t known', async () => {
    await people(jane({ email: 'a@x.example' }))
    expect(await told('people', jane(acme))).toBe(UPDATED)
    expect(await told('people', jane())).toBe(SAME)
  })

  test('and nobody at another company: it may be somebody else, or have moved', async () => {
    await people(jane({ ...acme, email: 'a@x.example' }))
    expect(await told('people', jane({ company: 'beta' }))).toBe(REFUSED)
    expect(await told('people', jane(acme), jane({ company: 'beta' }))).toBe(
      '1 created, 0 updated, 1 unchanged, 0 refused',
    )
  })

  test('also where a row that differs was refused', async () => {
    await people(jane({ ...acme, jobTitle: 'CEO' }))
    const [row, other] = [jane({ jobTitle: 'CEO' }), jane({ jobTitle: 'CTO' })]
    expect(await told('people', row, other, row)).toBe(
      '0 created, 0 updated, 2 unchanged, 1 refused',
    )
  })

  test('and nobody where two are at its company', async () => {
    await people(jane({ ...acme, email: 'a@x.example' }), jane({ ...acme, email: 'b@x.example' }))
    expect(await told('people', jane(acme))).toBe(REFUSED)
  })

  test('found among many namesakes', async () => {
    const namesakes = Array.from({ length: 9 }, (_, i) =>
      jane({ email: `${i}@x.example`, company: i === 6 ? 'acme' : 'beta' }),
    )
    await people(...namesakes)
    expect(await told('people', jane({ ...acme, jobTitle: 'CEO' }))).toBe(UPDATED)
  })
})

describe('a key of the row’s own says whose it is', () => {
  test('with a key, name and channels may all be replaced', async () => {
    await people(jane({ email: 'a@x.example' }))
    const married = { slug: 'jane-doe', firstName: 'Jane', lastName: 'Roe', email: 'roe@y.example' }
    expect(await told('people', married)).toBe(UPDATED)
    expect(await stored()).toEqual(['jane-doe roe@y.example'])
  })
})

test('names are compared as people read them, in every locale', async () => {
  const pairs = [
    ['JOSÉ ÁLVAREZ', 'jose alvarez'],
    ['Ørsted Łukasz', 'orsted lukasz'],
    ['Straße', 'STRASSE'],
    ['ЖАН ЁЖИК', 'жан ежик'],
    ['ΣΟΦΊΑ', 'Σοφια'],
    ['ﬁnance', 'Finance'],
    ['量 子', '量子'],
  ]
  for (const [one, other] of pairs) {
    const [row] = await t.sql`
      select folded_name(${one ?? ''}) = folded_name(${other ?? ''}, '') as agree`
    expect(`${one}: ${row?.agree}`).toBe(`${one}: true`)
  }
})

describe('a row that names nobody is refused for that', () => {
  test('companies without a name, and rounds of a company that is not known', async () => {
    expect(reasons(await load(t.database, 'companies', [{ chains: [] }, { chains: [] }]))).toEqual([
      '1 name: missing',
      '2 name: missing',
    ])
    const rounds = [{ company: 'no-a' }, { company: 'no-b' }, {}]
    expect(reasons(await load(t.database, 'rounds', rounds))).toEqual([
      '1 company: no such company: none has this id, externalId, slug, domain or name',
      '2 company: no such company: none has this id, externalId, slug, domain or name',
      '3 company: missing',
    ])
  })
})

test.each([
  ['people', PEOPLE, 'janedoe'],
  ['companies', COMPANIES, 'acme'],
  ['rounds', ROUNDS, JSON.stringify([crypto.randomUUID(), 'seed', null, 1.5])],
] as const)(
  'namesakes among %s are found by an index, not by reading all of them',
  async (_, { matching }, name) => {
    const given = JSON.stringify([
      { name, company: crypto.randomUUID() },
      { name, tell: 'email:a' },
    ])
    const plan = await t.sql.begin(async (sql) => {
      await sql`set local enable_seqscan = off`
      return sql.unsafe(`explain ${matching.namesakes}`, [given])
    })
    const steps = plan.map((row) => String(row['QUERY PLAN']))
    expect(steps.filter((step) => step.includes('Seq Scan'))).toEqual([])
  },
)

test('rows of one person are written in the file’s order: of two job titles the later one stands', async () => {
  const rows = ['CEO', 'CTO', 'CFO'].map((jobTitle) => jane({ email: 'a@x.example', jobTitle }))
  for (const file of [rows, rows.toReversed()]) {
    await people(...file)
    const [row] = await t.sql`select job_title as title from people`
    expect(row?.title).toBe(file[2]?.jobTitle)
  }
})
