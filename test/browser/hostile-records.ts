/** Records at the edge of what an import takes: the longest, the emptiest, other alphabets and directions, absurd figures. */

const LONG = 200
const word = (letters: string, length: number) => letters.repeat(length).slice(0, length)

/** Arabic and Hebrew, with a word of Latin inside, and the marks that turn text around: an import takes these out. */
const ARABIC = 'شركة السلسلة Acme للتشفير'
const HEBREW = '\u202eבלוקצ׳יין\u202c \u2067(קרן)\u2069'
const MARKUP = `"'><script>alert(1)</script><img src=x onerror=alert(1)>`
const COMBINED = `Z${'\u0301\u0302\u0303\u0308\u030c'.repeat(30)}algo`

const companies = [
  {
    ...{
      externalId: 'long',
      slug: 'long',
      companyType: 'project',
      name: word('Wörterkette', LONG),
    },
    aiSummary: word('Unbreakable', 2_000),
    sectors: Array.from({ length: 20 }, (_, i) => word(`Sector${i}`, 60)),
    chains: Array.from({ length: 40 }, (_, i) => word(`chain${i}x`, 60)),
    domain: `${word('abcdefgh', 60)}.${word('abcdefgh', 60)}.example`,
    ticker: word('TICK', 20),
    size: '10001+',
    followers: 2_147_483_647,
  },
  {
    externalId: 'arabic',
    slug: 'arabic',
    companyType: 'project',
    name: ARABIC,
    aiSummary: `${ARABIC}. `.repeat(20),
    sectors: [HEBREW, 'DeFi'],
    followers: 1,
  },
  { externalId: 'hebrew', slug: 'hebrew', companyType: 'investor', name: HEBREW },
  {
    externalId: 'markup',
    slug: 'markup',
    companyType: 'investor',
    name: MARKUP,
    sectors: [MARKUP],
  },
  { externalId: 'combined', slug: 'combined', companyType: 'service', name: COMBINED },
  { externalId: 'empty', slug: 'empty', companyType: 'project', name: '-.' },
]

const investors = ['hebrew', 'markup'].map((investor, i) => ({ investor, isLead: i === 0 }))
const rounds = [
  {
    externalId: 'dear',
    amountUsd: 9e14,
    announceDate: '2199-12-31',
    roundType: word('Series', 60),
  },
  {
    externalId: 'none',
    amountUsd: 0,
    announceDate: '1900-01-01',
    roundEventName: word('Name', 200),
  },
  { externalId: 'odd', amountUsd: 0.01, announceDate: '2024-02-29', roundType: HEBREW },
].flatMap((round) =>
  ['long', 'arabic'].map((company) => ({
    ...round,
    externalId: `${round.externalId}-${company}`,
    company,
    investors,
  })),
)

const people = [
  {
    externalId: 'p-long',
    slug: 'p-long',
    company: 'long',
    firstName: word('Ann', 100),
    lastName: word('Längstername', 100),
    jobTitle: word('Executive', 300),
    twitterHandle: word('handle', 15),
    roles: ['founder', 'legal'],
    email: `${word('long', 60)}@${word('host', 60)}.example`,
    telegram: word('tele', 32),
  },
  {
    externalId: 'p-arabic',
    slug: 'p-arabic',
    company: 'arabic',
    ...{
      firstName: 'محمد',
      lastName: `${HEBREW} O'Neil`,
      jobTitle: `${ARABIC} CTO`,
      phone: '+972 3 1234567',
    },
  },
  {
    externalId: 'p-markup',
    slug: 'p-markup',
    company: 'markup',
    ...{
      firstName: MARKUP,
      lastName: COMBINED.slice(0, 90),
      jobTitle: MARKUP,
      email: 'x@example.com',
    },
  },
  { externalId: 'p-empty', slug: 'p-empty', firstName: '.' },
]

/** An import takes all of it: what is longer or lower is refused. */
export const HOSTILE_ROWS = { companies, rounds, people }

export const HOSTILE_PAGES = [
  ...companies.map(
    ({ slug, companyType }) =>
      `/${companyType === 'investor' ? 'investors' : `${companyType}s`}/${slug}`,
  ),
  ...people.map(({ slug }) => `/people/${slug}`),
  ...['/', '/people', '/projects', '/investors', '/services', '/projects?more=sector'],
  ...['/search?q=acme', '/search?q=%D7%A7%D7%A8%D7%9F', '/people?q=cto', '/projects?sort=raised'],
]
