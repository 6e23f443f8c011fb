/**
 * Fields of a row: one table for each kind of record, in the contract's names. The import cleans by these tables, names
 * of columns are matched by them, and `import --help --fields` and `/docs/import` print them.
 */
import { time } from './dates.ts'
import * as figures from './figures.ts'
import * as links from './links.ts'
import * as values from './values.ts'
import { type Cleaner, InvalidValue, isNothing, type Stored, text } from './values.ts'

/** A type of value with its cleaner and its description. Texts mark code with `backticks`. */
export interface ValueType {
  /** Cleaner of a value. @throws InvalidValue */
  clean: Cleaner
  /** Name of the type: `date`, `list of texts`. */
  type: string
  /** Spellings that are taken, and what becomes of them; sentences. */
  cleans: string
  choices?: readonly string[]
  /** True for numbers, whose column may have another unit: `--map "Raised=amountUsd*1e6"`. */
  isFigure?: true
}

export interface Field extends ValueType {
  /** Meaning of the field; a sentence or two. */
  meaning: string
  /** A value as a CSV cell holds it; it passes `clean`. */
  example: string
  /** Other names of its column. Names are compared without case, blanks and marks, so `first_name` needs none. */
  aliases: readonly string[]
  /**
   * Refuses the row where the value can't be stored: of a key, a part of the name, or a field that the record needs.
   * `withoutKey`: in rows without a key, which are known by it. `withoutNames`: in rows that have neither name of a
   * person. Other values are left out.
   */
  isEssential?: true | 'withoutKey' | 'withoutNames'
  /** Test for unlikely values: a column of them is asked about (`questions.ts`). */
  doubt?: {
    isOdd(value: string | number): boolean
    /** `amounts are below $10,000` */
    oddity: string
    hasUnit?: true
  }
  /** Marks a private channel: its values are in no reason, log, report or progress line. */
  isPrivate?: true
}

/** Fields by name, in the order of the documentation. */
export type Fields = Readonly<Record<string, Field>>

const LONGEST_KEY = 200
/** PostgreSQL's largest `integer`. */
const MOST = 2_147_483_647

const plain = (figure: number) => figure.toLocaleString('en')

export const TEXT = (limit: number): ValueType => ({
  clean: text(limit),
  type: 'text',
  cleans: `At most ${plain(limit)} characters. Line breaks, doubled blanks and invisible characters go.`,
})

export const YES_OR_NO: ValueType = {
  clean: values.yesOrNo,
  choices: ['yes', 'no'],
  type: 'yes or no',
  cleans:
    '`true`, `yes`, `y`, `1`, `✓`, or `false`, `no`, `n`, `0`, `✗`. `x` is refused: it stands for both.',
}

export const NUMBER = (least: number, most: number): ValueType => ({
  clean: figures.number(least, most),
  type: 'number',
  isFigure: true,
  cleans: `From ${plain(least)} to ${plain(most)}, \`%\` goes. \`1,200\` is refused: it reads as 1200 and as 1.2.`,
})

export const COUNT: ValueType = {
  clean: figures.integer(0, MOST),
  type: 'whole number',
  isFigure: true,
  cleans: `\`12,500\`, \`12.500\`, \`12 500\` and \`12.5K\` are 12500. At most ${plain(MOST)}.`,
}

export const DOLLARS = (most: number): ValueType => ({
  clean: figures.dollars(most),
  type: 'US dollars',
  isFigure: true,
  cleans:
    '`$1.2M`, `1,200,000`, `1.200.000,00`, `1 200 000`, `USD 1.2m` and `1.2 million` are the same. Refused: `1.200`, which reads as 1.2 and as 1200, and other currencies.',
})

export const DATE: ValueType = {
  clean: time,
  type: 'date',
  cleans:
    'ISO 8601, `2024/03/05`, `05.03.2024` (the day first), `5 March 2024`, `Mar 5, 2024`, `25/12/2024`, `5-Mar-24`, each also with a time, which is UTC without an offset; Unix times, in seconds or milliseconds, from 2005 to the end of next year. `03/05/2024` and `24/03/05` read several ways and are refused, unless `--date-order` says which of day, month and year comes first. Refused: dates without a day, years of two digits that lie more than a year ahead in this century, and other bare numbers. From 1900 to 2199.',
}

/** @param others for allowed words, further ones that mean the same. */
export const ONE_OF = (
  allowed: readonly string[],
  others: Readonly<Record<string, readonly string[]>> = {},
): ValueType => {
  const meanings = Object.entries(others).flatMap(([meaning, words]) =>
    words.map((word) => [word.toLowerCase().replaceAll(' ', '-'), meaning] as const),
  )
  const said = Object.entries(others).map(
    ([meaning, words]) =>
      ` ${words.map((word) => `\`${word}\``).join(', ')} ${words.length > 1 ? 'are' : 'is'} \`${meaning}\`.`,
  )
  return {
    clean: values.oneOf(allowed, new Map(meanings)),
    choices: allowed,
    type: allowed.join(', '),
    cleans: `Case is ignored.${said.join('')}`,
  }
}

const SPLIT =
  'Items stand between bars (`|`), where there are none between semicolons or line breaks, else between commas or line breaks, or in a JSON list. One that stands twice is taken once.'

export const LIST_OF_TEXTS = (limit: number, mostItems: number): ValueType => ({
  clean: values.list(text(limit), mostItems),
  type: 'list of texts',
  cleans: `${SPLIT} At most ${mostItems} of ${limit} characters.`,
})

export const LIST_OF = (allowed: readonly string[]): ValueType => ({
  clean: values.list(values.oneOf(allowed), allowed.length),
  type: `list of ${allowed.join(', ')}`,
  cleans: SPLIT,
})

export const URL: ValueType = {
  clean: links.url,
  type: 'URL',
  cleans: 'http or https; without a scheme it gets `https://`.',
}

export const X_HANDLE: ValueType = {
  clean: links.xHandle,
  type: 'X handle',
  cleans: 'With or without `@`, or the address of a profile or post on x.com or twitter.com.',
}

/** Reference to a company. */
export const reference = text(LONGEST_KEY)

export const COMPANY: ValueType = {
  clean: reference,
  type: 'company',
  cleans:
    'Its `id`, else its `externalId`, `slug`, domain (`uniswap.org` or an address on it) or name, without case, accents and blanks. A domain or name that several have means none.',
}

/** Cleaner of slugs. Null says that the record has none; one of another form says nothing. */
const slug: Cleaner = (value) => {
  if (isNothing(value)) return null
  return typeof value === 'string' ? /^\s*([a-z0-9-]{1,80})\s*$/.exec(value)?.[1] : undefined
}

export const SLUG: ValueType = {
  clean: slug,
  type: 'slug',
  cleans: '1 to 80 of `a-z`, `0-9` and `-`. One of another form is as if absent.',
}

/** Makes a field required: a row without a good value of it is refused. */
export const needed = (type: ValueType) =>
  ({
    ...type,
    clean(...given: Parameters<Cleaner>) {
      const stored = type.clean(...given) ?? null
      if (stored === null) throw new InvalidValue('missing')
      return stored
    },
    isEssential: true,
  }) as const

/** Makes nothing keep the stored value. */
export const kept = (type: ValueType): ValueType => ({
  ...type,
  clean: (...given) => type.clean(...given) ?? undefined,
})

/** Makes nothing mean `fallback`. */
export const defaulting = (type: ValueType, fallback: Stored): ValueType => ({
  ...type,
  clean: (...given) => type.clean(...given) ?? fallback,
})

/** Id of a record here; ids of other programs are external ones. */
const ownId: Cleaner = (value) => {
  try {
    return values.uuid(value)
  } catch (error) {
    if (!(error instanceof InvalidValue)) throw error
    throw new InvalidValue(
      `${error.message}: an id of your own is an externalId, by --map "id=externalId"`,
    )
  }
}

/** `1.74568E+18`, in other languages `1,74568E+18`; programs write `1.74568e18` and `1745678901234567936.0`. The last digits are lost. */
const ROUNDED_KEY = /^[+-]?(?:\d(?:[.,]\d+)?e[+-]\d+|\d[.,]\d+e\d+|\d{16,}\.0+)$/i

const externalId: Cleaner = (value) => {
  const written = text(LONGEST_KEY)(value)
  if (written === null || !ROUNDED_KEY.test(written)) return written
  throw new InvalidValue(
    'a spreadsheet rounded this number, so other rows may have the same: format the column as text, enter the ids again and export the file anew',
  )
}

/** Keys of all kinds of records; the first that a row gives counts. @param records `companies` */
export const keys = (records: string) => ({
  id: {
    ...kept({ clean: ownId, type: 'UUID', cleans: 'Case is ignored.' }),
    meaning: `The id that the API shows. New ${records} get one.`,
    example: '018934ba-ba80-76bc-b78c-3e360c5340d8',
    aliases: ['uuid', 'Chainkin ID'],
    isEssential: true,
  } satisfies Field,
  externalId: {
    ...kept({
      ...TEXT(LONGEST_KEY),
      clean: externalId,
      cleans: `At most ${LONGEST_KEY} characters. A number of JSON keeps all of its digits. Refused: \`1.74568E+18\`, to which a spreadsheet rounded a long number.`,
    }),
    meaning: `Your own key of the record, unique among ${records}. Give it wherever you can.`,
    example: 'crm:4711',
    // Not `Reference` or `Source`: one value on many rows would make one record of all.
    aliases: ['Record ID', 'CRM ID'],
    isEssential: true,
  } satisfies Field,
})

export const CREATED_AT: Field = {
  ...kept(DATE),
  meaning: 'When the record was made; the time of the import where it is absent.',
  example: '2024-03-05',
  aliases: [
    'Created',
    'Created Date',
    'Create Date',
    'Creation Date',
    'Date Created',
    'Date Added',
  ],
}

/** An investor's part in a round; the investor as a row names it. */
export type Investment = {
  investor: string
  isLead: boolean
  /** Id of a new investment in the API. */
  investmentId?: string
}

/** Clean values by field; a field that the row leaves out is absent. */
export interface Values {
  id?: string
  externalId?: string
  /** `null`: the record has none. */
  slug?: string | null
  company?: string | null
  investors?: Investment[]
  leadInvestors?: Investment[]
  [field: string]: Stored | undefined
}
