/** Record to search document: which words it is found by, and where each stands. */
import { fold, latinOf } from './fold.ts'
import { FIELD } from './options.ts'
import { tokenize } from './tokenize.ts'

export interface SearchDocument {
  /** Word to the bits of the fields it stands in. */
  words: Map<string, number>
  /** The whole name and the whole handle as they are compared (`wholeOf`); empty where there is none. */
  name: string
  handle: string
  /** Last word of a company's name of several words; empty for people. */
  ending: string
}

export interface PersonText {
  firstName: string | null
  lastName: string | null
  jobTitle: string | null
  twitterHandle: string | null
}

export interface CompanyText {
  name: string
  ticker: string | null
  twitterHandle: string | null
  domain: string | null
  aiSummary: string | null
  handleHistory: readonly { handle: string }[]
}

/** People are found by name, handle and job title. */
export function personDocument(person: PersonText): SearchDocument {
  const document = named(`${person.firstName ?? ''} ${person.lastName ?? ''}`)
  document.handle = addKey(document, person.twitterHandle)
  addWords(document, person.jobTitle, FIELD.text)
  return document
}

/** Companies are found by name, ticker, handle, domain, former handles, then summary. */
export function companyDocument(company: CompanyText): SearchDocument {
  const document = named(company.name)
  document.ending = /\s(\S+)$/.exec(document.name)?.[1]?.replace(NOT_AT_END, '') ?? ''
  addKey(document, company.ticker)
  document.handle = addKey(document, company.twitterHandle)
  addDomain(document, company.domain)
  for (const { handle } of company.handleHistory) addKey(document, handle, FIELD.part)
  addWords(document, company.aiSummary, FIELD.text)
  return document
}

/** Marks around a last word. */
const NOT_AT_END = /^[^\p{L}\p{N}]+|[^\p{L}\p{N}]+$/gu

/** True if a record of one text is found by what one of the other is. Lists are compared as text. */
export function isSameText<T extends object>(one: T, other: T, fields: readonly (keyof T)[]) {
  return fields.every(
    (field) =>
      one[field] === other[field] || JSON.stringify(one[field]) === JSON.stringify(other[field]),
  )
}

/** The fields of each, in no order. */
export const PERSON_TEXT = ['firstName', 'lastName', 'jobTitle', 'twitterHandle'] as const
export const COMPANY_TEXT = [
  'name',
  'ticker',
  'twitterHandle',
  'domain',
  'aiSummary',
  'handleHistory',
] as const

function named(name: string): SearchDocument {
  const whole = wholeOf(name)
  const document: SearchDocument = { words: new Map(), name: whole, handle: '', ending: '' }
  addWords(document, name, FIELD.name, FIELD.name | FIELD.first)
  const latin = latinOf(whole)
  if (latin !== '') addWords(document, latin, FIELD.name, FIELD.name | FIELD.first)
  return document
}

/** A name, ticker or handle as it is compared whole: folded, without `@` or `$` in front. */
export function wholeOf(text: string): string {
  return fold(text)
    .trim()
    .replace(WIDE_SPACE, ' ')
    .replace(/^[@$]+/, '')
}
/** Not a single space: nearly no name has any other, and what has none is not copied. */
const WIDE_SPACE = /\s{2,}|[^\S ]/g

/**
 * A ticker or handle: found whole, without its marks, and by its parts (`paradigm_vc` by vc).
 * @param field of the whole: a former handle counts as a part, so that the record that has it today comes first.
 * @returns the whole of it; empty where there is none.
 */
function addKey(document: SearchDocument, key: string | null, field: number = FIELD.key): string {
  const { pieces, joined } = tokenize(key ?? '')
  const whole = wholeOf(key ?? '').replace(/\s+/g, '')
  if (pieces.length === 0) return ''
  add(document, whole, field)
  for (const word of joined) if (word !== whole) add(document, word, FIELD.part)
  if (pieces.length > 1) for (const word of pieces) add(document, word, FIELD.part)
  return whole
}

/** A domain: found whole (`uniswap.org`) and by its labels but the last, which says nothing. */
function addDomain(document: SearchDocument, domain: string | null) {
  const host = (domain ?? '').trim().replace(ADDRESS, '$<host>')
  const { pieces } = tokenize(host)
  if (pieces.length === 0) return
  add(document, pieces.join(''), FIELD.domain)
  for (const word of pieces.slice(0, -1)) add(document, word, FIELD.part)
}

/**
 * An address as people write and paste it; what names the site is `host`. What follows the host begins
 * with its own sign, so that a long text that is no address is given up in one pass.
 */
const ADDRESS = /^(?:[a-z][a-z0-9+.-]*:\/\/)?(?:www\.)?(?<host>[^/?#\s]*)(?:[/?#]\S*)?$/i

/** Adds a text's words. @param first the bits of the first one. */
function addWords(document: SearchDocument, text: string | null, field: number, first = field) {
  const { pieces, joined } = tokenize(text ?? '')
  for (const words of pieces === joined ? [pieces] : [pieces, joined]) {
    for (const [place, word] of words.entries()) add(document, word, place === 0 ? first : field)
  }
}

function add(document: SearchDocument, word: string, field: number) {
  document.words.set(word, (document.words.get(word) ?? 0) | field)
}
