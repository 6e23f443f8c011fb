/** Fields of companies. */
import {
  COMPANY_TYPES,
  DIRECTORIES,
  ENTITY_KINDS,
  LIFECYCLES,
  RISK_LEVELS,
} from '../../../contract/vocabulary.ts'
import { parseJson } from '../formats/json.ts'
import { time } from './dates.ts'
import * as links from './links.ts'
import type { Fields } from './types.ts'
import * as types from './types.ts'
import { asObject, type Cleaner, cleanText, InvalidValue, list, oneOf, text } from './values.ts'

/** An array or object, or JSON text of one (a CSV cell). */
function structure(value: unknown): unknown {
  if (typeof value !== 'string') return value ?? null
  const written = cleanText(value, 100_000)
  if (written === null) return null
  try {
    return parseJson(written)
  } catch {
    throw new InvalidValue('not JSON')
  }
}

const MOST_PAST_HANDLES = 100
const MOST_REASONS = 50

/** `[{"handle", "seenAt"}]`, put oldest first. */
export const handleHistory: Cleaner = (value) => {
  const history = structure(value) ?? []
  if (!Array.isArray(history)) throw new InvalidValue('not a list')
  if (history.length > MOST_PAST_HANDLES) {
    throw new InvalidValue(`more than ${MOST_PAST_HANDLES} items`)
  }
  const seen = history.map((item) => {
    const fields = asObject(item)
    const handle = links.xHandle(fields.handle)
    const seenAt = time(fields.seenAt)
    if (handle === null || seenAt === null) throw new InvalidValue('handle or seenAt missing')
    return { handle, seenAt }
  })
  return seen.sort((a, b) => (a.seenAt < b.seenAt ? -1 : a.seenAt > b.seenAt ? 1 : 0))
}

const level = oneOf(RISK_LEVELS)
const reasons = list(text(500), MOST_REASONS)

/** `null` or `{"level", "reasons"}`. */
export const twitterRisk: Cleaner = (value) => {
  const given = structure(value)
  if (given === null) return null
  const fields = asObject(given)
  const stored = level(fields.level)
  if (stored === null) throw new InvalidValue('level missing')
  return { level: stored, reasons: reasons(fields.reasons) ?? [] }
}

export const INVESTOR_FIELDS: Fields = {
  fundType: {
    ...types.TEXT(60),
    meaning: 'Of an investor: what kind of fund it is.',
    example: 'venture',
    aliases: ['Investor Type', 'Fund Kind'],
  },
  entityKind: {
    ...types.ONE_OF(ENTITY_KINDS),
    meaning: 'Of an investor: a firm, or an angel.',
    example: 'organization',
    aliases: ['Entity', 'Entity Type'],
  },
  fundAllTimeRoiPct: {
    ...types.NUMBER(-100, 1e9),
    meaning: 'Of an investor: its return on investment of all time, in percent.',
    example: '340.5',
    aliases: ['ROI', 'All Time ROI', 'Fund ROI', 'ROI Percent'],
  },
  trustTier: {
    ...types.TEXT(60),
    meaning: 'Of an investor: how far it is trusted.',
    example: 'tier-1',
    aliases: ['Tier', 'Trust'],
  },
  trustTierRank: {
    ...types.COUNT,
    meaning: 'Of an investor: the same as a rank.',
    example: '1',
    aliases: ['Tier Rank', 'Trust Rank'],
  },
}

/** Other words for the types of companies. */
const COMPANY_TYPE_WORDS = {
  project: ['Projects', 'Protocol'],
  investor: ['Investors', 'VC', 'Venture Capital', 'Fund'],
  platform: ['Platforms', 'Exchange', 'CEX', 'DEX'],
  launchpad: ['Launchpads'],
  service: ['Services', 'Service Provider', 'Auditor', 'Agency', 'Dev Shop'],
  institution: ['Institutions', 'Bank'],
}

export const COMPANY_FIELDS: Fields = {
  ...types.keys('companies'),
  name: {
    ...types.needed(types.TEXT(200)),
    meaning: 'Name of the company. Required.',
    example: 'Uniswap Labs',
    aliases: ['Company', 'Company Name', 'Organization', 'Organization Name', 'Account Name'],
  },
  slug: {
    // A company always has one: its address in the API.
    ...types.kept(types.SLUG),
    meaning:
      'Its address in the API, unique among companies; made from the name where it is absent.',
    example: 'uniswap-labs',
    aliases: ['Permalink'],
  },
  companyType: {
    ...types.needed(types.ONE_OF(COMPANY_TYPES, COMPANY_TYPE_WORDS)),
    meaning:
      'What kind of company it is; decides the directory in which it is listed. Required: where a file has no column for it, `--fill companyType=project` says it of all rows.',
    example: 'project',
    aliases: ['Type', 'Organization Type', 'Account Type'],
  },
  ticker: {
    clean: links.ticker,
    type: 'text',
    cleans: 'At most 30 characters. `$` in front goes.',
    meaning: 'Symbol of its token.',
    example: 'UNI',
    aliases: ['Symbol', 'Token Symbol', 'Token'],
  },
  domain: {
    clean: links.domain,
    type: 'domain',
    cleans: 'A host name or any address on it; scheme, `www.` and path go.',
    meaning: 'Its website.',
    example: 'uniswap.org',
    aliases: ['Website', 'Website URL', 'Homepage', 'URL', 'Web', 'Company Domain', 'Domain Name'],
  },
  sectors: {
    ...types.LIST_OF_TEXTS(60, 50),
    meaning: 'What it does.',
    example: 'DeFi|DEX',
    aliases: ['Sector', 'Category', 'Categories', 'Industry', 'Industries'],
  },
  chains: {
    ...types.LIST_OF_TEXTS(80, 200),
    meaning: 'Chains on which it works.',
    example: 'Ethereum|Base',
    aliases: ['Chain', 'Blockchain', 'Blockchains', 'Network', 'Networks'],
  },
  size: {
    ...types.TEXT(40),
    meaning: 'How many people work there, as a range or a number.',
    example: '51-200',
    aliases: ['Company Size', 'Employees', 'Number of Employees', 'Headcount', 'Team Size'],
  },
  logoUrl: {
    ...types.URL,
    meaning: 'Its logo.',
    example: 'https://uniswap.example/logo.png',
    aliases: ['Logo', 'Image', 'Image URL'],
  },
  twitterHandle: {
    ...types.X_HANDLE,
    meaning: 'Its handle on X.',
    example: 'Uniswap',
    aliases: [
      'Twitter',
      'X',
      'X Handle',
      'Twitter URL',
      'X URL',
      'Twitter Username',
      'Twitter Link',
    ],
  },
  communityLink: {
    ...types.URL,
    meaning: 'Where its community meets, for example a Telegram group.',
    example: 'https://t.me/uniswap_example',
    aliases: ['Community', 'Community URL', 'Telegram', 'Telegram URL', 'Telegram Group'],
  },
  discordUrl: {
    clean: links.discordUrl,
    type: 'URL',
    cleans: 'Also the id of a server alone. Pages of Discord that name no server are refused.',
    meaning: 'Its Discord server.',
    example: 'https://discord.gg/uniswap',
    aliases: ['Discord', 'Discord Link', 'Discord Server'],
  },
  linkedinUrl: {
    ...types.URL,
    clean: links.linkedinPage,
    cleans: `${types.URL.cleans} On linkedin.com a page that names a company, school or person; the feed, searches and jobs are refused.`,
    meaning: 'Its page on LinkedIn.',
    example: 'https://www.linkedin.com/company/uniswaporg',
    aliases: [
      'LinkedIn',
      'LinkedIn Link',
      'LinkedIn Page',
      'LinkedIn Company Page',
      'Company LinkedIn URL',
    ],
  },
  tokenLaunched: {
    ...types.YES_OR_NO,
    meaning: 'Whether its token can be traded; blank says that nobody checked.',
    example: 'yes',
    aliases: ['Has Token', 'Token Live'],
  },
  tokenLink: {
    ...types.URL,
    meaning: 'A page about its token.',
    example: 'https://token.example/uni',
    aliases: ['Token URL', 'Token Page'],
  },
  aiSummary: {
    ...types.TEXT(10_000),
    meaning: 'What it does, in a few sentences.',
    example: 'A protocol for trading tokens without an intermediary.',
    aliases: ['Description', 'Summary', 'About', 'Short Description'],
  },
  followers: {
    ...types.COUNT,
    meaning: 'Followers on X.',
    example: '1200000',
    aliases: ['Follower Count', 'Twitter Followers', 'X Followers'],
  },
  handleHistory: {
    clean: handleHistory,
    type: 'JSON list of `{"handle", "seenAt"}`',
    cleans: 'Put oldest first. At most 100.',
    meaning: 'Handles that it had on X, and when each was seen.',
    example: '[{"handle":"UniswapProtocol","seenAt":"2019-05-01"}]',
    aliases: ['Twitter Handle History', 'Past Handles'],
  },
  twitterRisk: {
    clean: twitterRisk,
    type: 'JSON `{"level", "reasons"}`',
    cleans: 'The level is low, medium or high. At most 50 reasons.',
    meaning: 'What speaks against trusting its account on X.',
    example: '{"level":"low","reasons":["renamed once"]}',
    aliases: ['Twitter Account Risk', 'X Risk'],
  },
  lifecycle: {
    ...types.ONE_OF(LIFECYCLES),
    meaning: 'Whether it has ended; blank where nothing says so.',
    example: 'defunct',
    aliases: ['Company Lifecycle'],
  },
  ...INVESTOR_FIELDS,
  altRoles: {
    ...types.LIST_OF(DIRECTORIES),
    meaning: 'Other directories in which it is listed too.',
    example: 'services',
    aliases: ['Other Directories', 'Also Listed In'],
  },
  createdAt: types.CREATED_AT,
}
