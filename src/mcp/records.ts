/** Records as a model is given them: what it needs to choose and to go on, without what is empty. It names in `fields` what else it wants. */

/** A body of the API, or a part of one. */
export type Body = Readonly<Record<string, unknown>>

/** Value of `fields` for the API's answer as it is. */
export const ALL = 'all'

/** The part of an answer that a call asks for. */
export interface Selection {
  /** Names of fields beside the brief ones, which are given as they are. */
  fields: ReadonlySet<string>
  /** Length at which texts are cut. */
  mostCharacters: number
}

const CHANNELS = ['email', 'phone', 'telegram', 'linkedinUrl']
const FLAGS = ['hasEmail', 'hasPhone', 'hasTelegram', 'hasLinkedin']
const HEAD = ['name', 'slug']

/** Fields that are never cut: a part of an address or a name of an account leads to nobody, or to somebody else. */
const WHOLE: ReadonlySet<string> = new Set([...CHANNELS, 'slug', 'id', 'domain', 'twitterHandle'])

/** The fields of brief records, by kind. */
export const BRIEF = {
  person: ['slug', 'firstName', 'lastName', 'jobTitle', 'company', ...FLAGS, ...CHANNELS],
  company: [...HEAD, 'companyType', 'ticker', 'domain', 'sectors', 'lifecycle'],
  investor: [
    ...HEAD,
    ...['fundType', 'entityKind', 'trustTier', 'portfolioCount', 'domain', 'lifecycle'],
  ],
  investment: ['company', 'roundType', 'amountUsd', 'announceDate', 'isLead'],
  round: ['roundType', 'amountUsd', 'announceDate', 'investors'],
  roundInvestor: [...HEAD, 'isLead'],
} as const satisfies Record<string, readonly string[]>

/** Fields left out of a single record: nobody reads them, and the slug names what the id does. */
const PLUMBING: ReadonlySet<string> = new Set([
  ...['id', 'companyId', 'logoUrl', 'avatarUrl', 'handleHistory', 'createdAt', 'updatedAt'],
])

/** Records of a list within a record. */
const MOST_WITHIN = 10

export function brief(record: Body, names: readonly string[], selection: Selection): Body {
  const entries = Object.entries(record).flatMap(([name, value]): [string, unknown][] => {
    if (selection.fields.has(name)) return [[name, value]]
    // A few people have no slug: their id names them.
    const isShown = names.includes(name) || (name === 'id' && record.slug === null)
    if (!isShown || isEmpty(name, value)) return []
    return [[name, within(name, value, selection.mostCharacters)]]
  })
  return Object.fromEntries(entries)
}

/** A single record: all of it but what is empty, and what only programs need. */
export function detail(record: Body, selection: Selection): Body {
  const names = Object.keys(record).filter((name) => !PLUMBING.has(name))
  return brief(record, names, selection)
}

/** Only flags say nothing by being false: a token that was not launched is known not to be. */
function isEmpty(name: string, value: unknown): boolean {
  if (Array.isArray(value)) return value.length === 0
  return value === null || value === '' || (value === false && /^(has|is)[A-Z]/.test(name))
}

function within(name: string, value: unknown, mostCharacters: number): unknown {
  const selection = { fields: new Set<string>(), mostCharacters }
  const first = (names: readonly string[]) =>
    bodies(value)
      .slice(0, MOST_WITHIN)
      .map((record) => brief(record, names, selection))
  if (name === 'company') return brief(body(value), HEAD, selection)
  if (name === 'fundingRounds') return first(BRIEF.round)
  if (name === 'investors') return first(BRIEF.roundInvestor)
  const isText = typeof value === 'string' && !WHOLE.has(name) && !/^https?:/.test(value)
  const isLong = isText && value.length > mostCharacters
  return isLong ? `${value.slice(0, mostCharacters - 1).toWellFormed()}…` : value
}

export const body = (value: unknown): Body => ({ ...(value as Body | null) })

export const bodies = (value: unknown): readonly Body[] => (Array.isArray(value) ? value : [])

/** 6,000 tokens of four characters: texts of a longer answer are cut, unless it was asked for by `fields`. */
const MOST_OF_AN_ANSWER = 24_000
/** Lengths of texts, the first of which is used if that is short enough. */
const MOST_CHARACTERS = [400, 80, 30] as const

/** @param fields as the call named them. @param view makes the answer */
export function shortAnswer(fields: readonly string[], view: (selection: Selection) => Body): Body {
  const names = new Set(fields)
  let answer: Body = {}
  for (const mostCharacters of MOST_CHARACTERS) {
    answer = view({ fields: names, mostCharacters })
    if (names.size > 0 || JSON.stringify(answer).length <= MOST_OF_AN_ANSWER) break
  }
  return answer
}
