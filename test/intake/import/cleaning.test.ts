import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { COMPANY_FIELDS } from '../../../src/intake/import/fields/companies.ts'
import { PERSON_FIELDS } from '../../../src/intake/import/fields/people.ts'
import { ROUND_FIELDS } from '../../../src/intake/import/fields/rounds.ts'
import type { Fields } from '../../../src/intake/import/fields/types.ts'
import {
  type Cleaner,
  cleanText,
  InvalidValue,
  text,
} from '../../../src/intake/import/fields/values.ts'

const NUL = '\0'
const ROUNDED = 'refused: too long a number to keep all of its digits: write it in quotes'

/** What the field stores, or the reason why it is refused. */
function stored(cleaner: Cleaner | undefined, value: unknown): unknown {
  try {
    return cleaner?.(value)
  } catch (error) {
    if (error instanceof InvalidValue) return `refused: ${error.message}`
    throw error
  }
}

function cleans(fields: Fields, field: string, cases: [unknown, unknown][]) {
  describe(field, () => {
    for (const [given, wanted] of cases) {
      test(`${JSON.stringify(given)} → ${JSON.stringify(wanted)}`, () =>
        expect(stored(fields[field]?.clean, given)).toEqual(wanted))
    }
  })
}

describe('obvious dirt is cleaned', () => {
  cleans(COMPANY_FIELDS, 'twitterHandle', [
    ['uniswap', 'uniswap'],
    ['@uniswap', 'uniswap'],
    ['https://x.com/uniswap', 'uniswap'],
    ['https://twitter.com/@Uniswap/', 'Uniswap'],
    ['http://www.twitter.com/Uniswap?lang=en', 'Uniswap'],
    ['https://mobile.twitter.com/Uniswap#', 'Uniswap'],
    ['twitter.com/Uniswap', 'Uniswap'],
    ['https://https://x.com/uniswap', 'uniswap'],
    ['https://twitter.com/#!/uniswap', 'uniswap'],
    ['https://x.com/uniswap/status/1744445039831564784', 'uniswap'],
    ['-', null],
    ['', null],
    ['https://twitter.com/i/notifications', 'refused: not the address of an X profile'],
    ['hhttps://twitter.com/uniswap', 'uniswap'],
    ['https//x.com/uniswap', 'uniswap'],
    ['<https://x.com/uniswap>,', 'uniswap'],
    ['https://x.com/sixteen_letters_', 'refused: not the address of an X profile'],
    ['https://help.x.com/forms', 'refused: not the address of an X profile'],
    ['https://.twitter.com/uniswap', 'uniswap'],
    ['https://twitter.com/intent/follow?ref=a&screen_name=uniswap', 'uniswap'],
    ['https://x.com/intent/post?text=uniswap', 'refused: not the address of an X profile'],
    ['https://twitter.com/search?q=uniswap', 'refused: not the address of an X profile'],
    ['https://x.com/home', 'refused: not the address of an X profile'],
    ['https://x.com/compose/post', 'refused: not the address of an X profile'],
    ['x.com/account/access', 'refused: not the address of an X profile'],
    ['https://twitter.com/tos', 'refused: not the address of an X profile'],
    ['https://t.me/uniswap', 'refused: the address of another site than X'],
    ['https://twtter.com/uniswap', 'refused: the address of another site than X'],
    ['sixteen_letters_', 'refused: not an X handle'],
  ])
  cleans(COMPANY_FIELDS, 'companyType', [
    ['Project', 'project'],
    ['VC', 'investor'],
    ['venture_capital', 'investor'],
    ['Service Provider', 'service'],
    ['DEX', 'platform'],
    ['Shop', 'refused: not one of project, investor, platform, launchpad, service, institution'],
    ['#N/A', "refused: a spreadsheet's formula that failed: mend it, or empty the cell"],
  ])
  cleans(PERSON_FIELDS, 'jobTitle', [
    ['n.a.', null],
    ['#REF!', "refused: a spreadsheet's formula that failed: mend it, or empty the cell"],
    ['#1 fan', '#1 fan'],
  ])
  cleans(COMPANY_FIELDS, 'ticker', [
    ['$UNI', 'UNI'],
    ['UNI', 'UNI'],
    ['$', null],
    ['FI$H', 'FI$H'],
    [42, '42'],
  ])
  cleans(COMPANY_FIELDS, 'domain', [
    ['uniswap.org', 'uniswap.org'],
    ['https://www.Uniswap.org/blog?x=1', 'uniswap.org'],
    ['uniswap.org:8080/', 'uniswap.org'],
    ['www.com', 'www.com'],
    ['münchen.example', 'xn--mnchen-3ya.example'],
    ['someone@example.com', 'refused: not a URL'],
    ['127.0.0.1', 'refused: not a domain'],
  ])
  cleans(COMPANY_FIELDS, 'discordUrl', [
    ['https://discord.gg/uniswap', 'https://discord.gg/uniswap'],
    ['discord.gg/uniswap', 'https://discord.gg/uniswap'],
    ['597638925346930701', 'https://discord.com/channels/597638925346930701'],
    ['https://discord.com/invite/uniswap', 'https://discord.com/invite/uniswap'],
    ['https://discord.com/channels/5976/5977', 'https://discord.com/channels/5976/5977'],
    ['https://uniswap.example/discord', 'https://uniswap.example/discord'],
    ['https://discord.com', 'refused: a page of Discord that names no server'],
    ['https://discord.gg/', 'refused: a page of Discord that names no server'],
    ['https://discord.com/channels/@me', 'refused: a page of Discord that names no server'],
    ['https://discord.com/invite/?x=1', 'refused: a page of Discord that names no server'],
    ['https://www.discordapp.com/login', 'refused: a page of Discord that names no server'],
    ['https://ptb.discord.com/app', 'refused: a page of Discord that names no server'],
    [Number('597638925346930701'), ROUNDED],
    ['5.97639E+17', 'refused: not a URL'],
  ])
  cleans(COMPANY_FIELDS, 'linkedinUrl', [
    ['linkedin.com/company/uniswap', 'https://linkedin.com/company/uniswap'],
    ['https://www.linkedin.com/school/mit/', 'https://www.linkedin.com/school/mit/'],
    ['https://www.linkedin.com/showcase/uni', 'https://www.linkedin.com/showcase/uni'],
    ['https://www.linkedin.com/in/an-angel', 'https://www.linkedin.com/in/an-angel'],
    ['https://uniswap.example/linkedin', 'https://uniswap.example/linkedin'],
    ['https://www.linkedin.com/company/', 'refused: a page of LinkedIn that names no company'],
    ['https://www.linkedin.com/feed/', 'refused: a page of LinkedIn that names no company'],
    ['https://www.linkedin.com/jobs/view/1', 'refused: a page of LinkedIn that names no company'],
  ])
  cleans(COMPANY_FIELDS, 'communityLink', [
    ['t.me/uniswap', 'https://t.me/uniswap'],
    ['//t.me/uniswap', 'https://t.me/uniswap'],
    ['https://https://t.me/uniswap', 'https://t.me/uniswap'],
    ['https://t.me/uniswap  ', 'https://t.me/uniswap'],
    ['https://example.com/a"b', 'https://example.com/a%22b'],
    ['N/A', null],
    ['javascript:alert(1)', 'refused: not an http or https URL'],
    ['ftp://example.com/', 'refused: not an http or https URL'],
    ['https://', 'refused: not a URL'],
    ['some words', 'refused: not a URL'],
    ['OhniGroup', 'refused: not a URL (no domain in it)'],
    ['hello@flyp.me', 'refused: not a URL'],
    [`https://example.com/${'x'.repeat(2_100)}`, 'refused: longer than 2048 characters'],
  ])
  cleans(COMPANY_FIELDS, 'name', [
    ['  Uniswap \r\n Labs\u00a0', 'Uniswap Labs'],
    ['\u200bUni\u200bswap\ufeff', 'Uniswap'],
    ['Cafe\u0301', 'Café'],
    ['👩\u200d💻 Labs', '👩\u200d💻 Labs'],
    ['Uni\u200dswap', 'Uniswap'],
    ['量子', '量子'],
    [`Uni${NUL}swap`, 'refused: contains NUL'],
    ['Uni\ud800', 'refused: is not well-formed Unicode'],
    [
      'Uni\ufffd',
      'refused: is not UTF-8, or was damaged on its way (U+FFFD): save the file as UTF-8',
    ],
    ['x'.repeat(201), 'refused: longer than 200 characters'],
    ['—', 'refused: missing'],
    [null, 'refused: missing'],
    [['a'], 'refused: not text'],
  ])
})

describe('sets, numbers, times, lists, objects', () => {
  cleans(COMPANY_FIELDS, 'companyType', [
    ['Project', 'project'],
    ['shop', 'refused: not one of project, investor, platform, launchpad, service, institution'],
  ])
  cleans(COMPANY_FIELDS, 'lifecycle', [
    ['defunct', 'defunct'],
    ['', null],
    ['alive', 'refused: not one of defunct, deceased'],
  ])
  cleans(COMPANY_FIELDS, 'tokenLaunched', [
    [true, true],
    ['false', false],
    [null, null],
    ['Y', true],
    ['n', false],
    ['✔\ufe0f', true],
    ['✗', false],
    ['x', 'refused: neither yes nor no'],
    ['maybe', 'refused: neither yes nor no'],
  ])
  cleans(COMPANY_FIELDS, 'followers', [
    [0, 0],
    ['1200', 1200],
    [2_147_483_647, 2_147_483_647],
    [2_147_483_648, 'refused: out of range (0 to 2147483647)'],
    [-1, 'refused: out of range (0 to 2147483647)'],
    [1.5, 'refused: not a whole number'],
    ['many', 'refused: not a number'],
    [JSON.parse('1e400'), 'refused: out of range (0 to 2147483647)'],
  ])
  cleans(COMPANY_FIELDS, 'fundAllTimeRoiPct', [
    ['-12.5', -12.5],
    [-101, 'refused: out of range (-100 to 1000000000)'],
  ])
  cleans(ROUND_FIELDS, 'announceDate', [
    ['2021-03-04', '2021-03-04T00:00:00.000Z'],
    ['2021-03-04T10:00:00+02:00', '2021-03-04T08:00:00.000Z'],
    ['2021-03-04 10:00:00.5+02', '2021-03-04T08:00:00.500Z'],
    ['2021-02-30', 'refused: no such date'],
    ['2021-03-04T25:00', 'refused: no such time'],
    ['0001-01-01', 'refused: out of range (1900 to 2199)'],
  ])
  cleans(COMPANY_FIELDS, 'sectors', [
    [
      ['DeFi', ' DeFi ', '-', 'NFT'],
      ['DeFi', 'NFT'],
    ],
    ['DeFi|NFT', ['DeFi', 'NFT']],
    ['DeFi; NFT', ['DeFi', 'NFT']],
    ['DeFi, NFT', ['DeFi', 'NFT']],
    ['DeFi, Lending|NFT; Art', ['DeFi, Lending', 'NFT; Art']],
    ['DeFi, Lending; NFT', ['DeFi, Lending', 'NFT']],
    ['DeFi, Lending\n NFT', ['DeFi', 'Lending', 'NFT']],
    ['DeFi;\r\nNFT', ['DeFi', 'NFT']],
    ['Real\nestate|NFT', ['Real estate', 'NFT']],
    ['AB, AG', ['AB', 'AG']],
    ['["DeFi, Lending", "NFT"]', ['DeFi, Lending', 'NFT']],
    [['DeFi, Lending'], ['DeFi, Lending']],
    ['["DeFi', 'refused: not a JSON list, though it begins like JSON'],
    ['{"DeFi": 1}', 'refused: not a JSON list, though it begins like JSON'],
    [null, []],
    [Array.from({ length: 51 }, (_, i) => `s${i}`), 'refused: more than 50 items'],
    [{ a: 1 }, 'refused: not text'],
  ])
  cleans(COMPANY_FIELDS, 'altRoles', [
    ['services', ['services']],
    [['people'], 'refused: not one of projects, investors, services'],
  ])
  cleans(COMPANY_FIELDS, 'handleHistory', [
    [
      [
        { handle: '@new', seenAt: '2024-01-01' },
        { handle: 'https://x.com/old', seenAt: '2021-01-01' },
      ],
      [
        { handle: 'old', seenAt: '2021-01-01T00:00:00.000Z' },
        { handle: 'new', seenAt: '2024-01-01T00:00:00.000Z' },
      ],
    ],
    [
      '[{"handle":"old","seenAt":"2021-01-01"}]',
      [{ handle: 'old', seenAt: '2021-01-01T00:00:00.000Z' }],
    ],
    [[{ handle: 'old' }], 'refused: handle or seenAt missing'],
    ['[{', 'refused: not JSON'],
    [null, []],
  ])
  cleans(COMPANY_FIELDS, 'twitterRisk', [
    [
      { level: 'high', reasons: ['renamed'] },
      { level: 'high', reasons: ['renamed'] },
    ],
    ['{"level":"low"}', { level: 'low', reasons: [] }],
    ['', null],
    [{ level: 'huge' }, 'refused: not one of low, medium, high'],
    [[], 'refused: not an object'],
  ])
  cleans(ROUND_FIELDS, 'investors', [
    [[{ investor: 'a', isLead: 'yes' }], [{ investor: 'a', isLead: true }]],
    ['[{"investor":"a"}]', [{ investor: 'a', isLead: false }]],
    [[{ isLead: true }], 'refused: investor missing'],
    [
      ['a', { investor: 'b', isLead: true }, ' '],
      [
        { investor: 'a', isLead: false },
        { investor: 'b', isLead: true },
      ],
    ],
    [
      'Paradigm, a16z',
      [
        { investor: 'Paradigm', isLead: false },
        { investor: 'a16z', isLead: false },
      ],
    ],
    ['', []],
  ])
  cleans(ROUND_FIELDS, 'leadInvestors', [
    ['Paradigm', [{ investor: 'Paradigm', isLead: true }]],
    ['[{"investor":"a16z"}]', [{ investor: 'a16z', isLead: true }]],
  ])
  cleans(PERSON_FIELDS, 'roles', [
    ['Founder, Business Development', ['founder', 'business-development']],
  ])
  cleans(COMPANY_FIELDS, 'id', [
    ['018F0000-0000-7000-8000-00000000000A', '018f0000-0000-7000-8000-00000000000a'],
    ['7', 'refused: not a UUID: an id of your own is an externalId, by --map "id=externalId"'],
  ])
  cleans(COMPANY_FIELDS, 'slug', [
    ['uniswap-labs', 'uniswap-labs'],
    ['Uniswap Labs', undefined],
    ['x'.repeat(81), undefined],
  ])
})

describe('private channels', () => {
  cleans(PERSON_FIELDS, 'email', [
    ['mailto:Ann@Example.COM', 'Ann@example.com'],
    ['Ann <ann@example.com>', 'ann@example.com'],
    ['ann@example.com, bob@example.com', 'refused: not an e-mail address'],
    ['n/a', null],
    ['ann at example.com', 'refused: not an e-mail address'],
    ['ann@localhost', 'refused: not an e-mail address'],
    ['mira@münzwerk.example', 'mira@xn--mnzwerk-n2a.example'],
    ['Mira <Mira@MÜNZWERK.example>', 'Mira@xn--mnzwerk-n2a.example'],
    ['mira@xn--mnzwerk-n2a.example', 'mira@xn--mnzwerk-n2a.example'],
    ['ann@пример.example', 'ann@xn--e1afmkfd.example'],
    ['ann@例え。example', 'ann@xn--r8jz45g.example'],
    ['ann@mün/werk.example', 'refused: not an e-mail address'],
    ['ann@ü', 'refused: not an e-mail address'],
  ])
  cleans(PERSON_FIELDS, 'phone', [
    ['+1 (555) 010-0123', '+1 (555) 010-0123'],
    ['tel:+1-555-0123', '+1-555-0123'],
    ['call me', 'refused: not a telephone number'],
    ['1234', 'refused: not a telephone number'],
  ])
  cleans(PERSON_FIELDS, 'firstName', [
    ['Ann', 'Ann'],
    ['ann@example.com', 'refused: an e-mail address and no name'],
    ['@ann', '@ann'],
  ])
  cleans(PERSON_FIELDS, 'fullName', [
    ['Ann <ann@mail.example.com>', 'refused: an e-mail address and no name'],
  ])
  cleans(PERSON_FIELDS, 'telegram', [
    ['@ann_example', 'ann_example'],
    ['https://t.me/ann_example', 'ann_example'],
    ['t.me/ann_example?start=1', 'ann_example'],
    ['a b', 'refused: not a Telegram user name'],
    ['hhttps://t.me/ann_example', 'ann_example'],
    ['https://t.me/joinchat/AAAAAE', 'refused: not the address of a Telegram user'],
    ['https://t.me/+AAAAAE', 'refused: not the address of a Telegram user'],
    ['https://t.me/s/ann_example', 'refused: not a Telegram user name'],
    ['t.me/ann_example/12', 'refused: not a Telegram user name'],
    ['https://t.me/share?url=x', 'refused: not the address of a Telegram user'],
    ['t.me/joinchat', 'refused: not the address of a Telegram user'],
    ['https://telegram.me/proxy?server=x', 'refused: not the address of a Telegram user'],
  ])
  cleans(PERSON_FIELDS, 'linkedinUrl', [
    ['linkedin.com/in/ann', 'https://linkedin.com/in/ann'],
    ['https://www.linkedin.com/in/ann', 'https://www.linkedin.com/in/ann'],
    [
      'https://linkedin.com/company/acme',
      "refused: a page of LinkedIn that is not a person's profile",
    ],
    ['https://example.com/in/ann', 'refused: not a LinkedIn address'],
    ['https://linkedin.com.example.com/in/ann', 'refused: not a LinkedIn address'],
  ])
})

describe('keys', () => {
  const ROUNDED_KEY =
    'refused: a spreadsheet rounded this number, so other rows may have the same: format the column as text, enter the ids again and export the file anew'
  for (const fields of [COMPANY_FIELDS, PERSON_FIELDS, ROUND_FIELDS]) {
    cleans(fields, 'externalId', [
      ['1.74568E+18', ROUNDED_KEY],
      ['1,74568E+18', ROUNDED_KEY],
      ['2E+15', ROUNDED_KEY],
      ['1.7456789012345679e+18', ROUNDED_KEY],
      ['1.7456789012345679E18', ROUNDED_KEY],
      ['1745678901234567936.0', ROUNDED_KEY],
      [Number('1745678901234567890'), ROUNDED],
      [1e21, ROUNDED],
      ['1745678901234567890', '1745678901234567890'],
      [9007199254740991, '9007199254740991'],
      [4711, '4711'],
      ['12E4', '12E4'],
      ['1.5', '1.5'],
      ['crm:1.7E+18', 'crm:1.7E+18'],
    ])
  }
})

test('a limit counts after cleaning', () => {
  expect(stored(text(3), ' a \n b ')).toBe('a b')
})

test('cleaning once is enough: what is stored is stored again as it is', () => {
  const odd = [
    'a',
    'é',
    ' ',
    '\n',
    '\u200b',
    '\u200c',
    '\u200d',
    '\u0301',
    '\u212a',
    '\u037e',
    '\ufeff',
    '-',
    '\u2028',
  ]
  fc.assert(
    fc.property(
      fc.array(fc.oneof(fc.constantFrom(...odd), fc.string({ unit: 'grapheme' }))),
      (parts) => {
        // U+FFFD is refused.
        const once = cleanText(parts.join('').replaceAll('\ufffd', ''), 10_000)
        expect(cleanText(once, 10_000)).toBe(once)
      },
    ),
  )
})

test('whatever a field stores it stores again as it is', () => {
  const parts = [
    ...['www.', '$', '$ ', '@', ' ', 'https://', 'http://https://', '//', 'mailto:', 'tel:', '.'],
    ...['a.com', 'www.com', 'x.com/a', 't.me/abcd', 'linkedin.com/in/a', 'münchen.de', '../../'],
    ...[
      'A',
      'a@b.com',
      '123456',
      '1.2',
      '12.345',
      'M',
      '%',
      'yes',
      'founder',
      '|',
      ';',
      '-',
      'n/a',
    ],
    ...['1900-01-01T00:00', '2199-12-31T23:59', '+14:00', '-12:00', '"', '?', '#', 'ü', '\u200d'],
  ]
  const some = fc.array(fc.constantFrom(...parts), { maxLength: 5 }).map((it) => it.join(''))
  const long = fc.constantFrom(`a.com/${'../../'.repeat(677)}`, `a.com/${'a'.repeat(2_040)}`)
  const fields = [COMPANY_FIELDS, PERSON_FIELDS, ROUND_FIELDS].flatMap(Object.entries)
  const known = ['www.www.a.com', '$ $A', '1900-01-01T00:00+14:00', '2199-12-31T23:59-12:00']
  const check = (value: string) => {
    for (const [name, { clean }] of fields) {
      const once = stored(clean, value)
      if (once === null || once === undefined || String(once).startsWith('refused: ')) continue
      expect([name, value, stored(clean, once)]).toEqual([name, value, once])
    }
  }
  for (const value of known) check(value)
  fc.assert(fc.property(fc.oneof({ arbitrary: some, weight: 20 }, long), check), { numRuns: 500 })
})
