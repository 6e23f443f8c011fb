/**
 * Refusal of a misspelt value of a filter, which would match nothing and cost a call. A value that resembles none of the
 * records' stays a filter that matches nothing.
 */
import { distance } from 'fastest-levenshtein'
import { fold, lettersOf } from '../../index-build/fold.ts'
import { ApiError } from '../contract/errors.ts'
import { FILTERS } from '../contract/parameters.ts'
import type { Parameter, Parameters, Values } from '../contract/query.ts'
import { LISTS, type ListName } from '../contract/vocabulary.ts'
import type { DirectoryReads, Facet } from '../directory/records/directory.ts'

/** Bounds on the work of a call: unknown values that are compared, and letters of one. */
const COMPARED_MAX = 5
const LETTERS_MAX = 60
/** Values that a refusal names. */
const NAMED_MAX = 3
/** Fewer letters among other signs name no value, because any text may have them. */
const MARKED_LETTERS = 2
/** Shorter texts are no beginning of a value, and have no typo: CEX doesn't mean DEX. */
const BEGINNING_LETTERS = 3
const TYPO_LETTERS = 4
/** Texts from this length on may have two typos. */
const TWO_TYPOS_LETTERS = 8

interface Spelling {
  value: string
  letters: string
  words: readonly string[]
  digits: string
}

function spellingOf(value: string): Spelling {
  const folded = fold(value)
  const words = folded.split(/[^\p{L}\p{N}\p{M}]+/u).filter((word) => word !== '')
  return { value, letters: lettersOf(folded), words, digits: folded.replace(/\D/g, '') }
}

/** The values of a list, prepared once for all calls until records change. */
interface Known {
  lowerCase: ReadonlySet<string>
  /** Set at the first unknown value. */
  spellings?: readonly Spelling[]
}

const prepared = new WeakMap<readonly Facet[], Known>()

function knownOf(values: readonly Facet[]): Known {
  const known = prepared.get(values) ?? {
    lowerCase: new Set(values.map(({ value }) => value.toLowerCase())),
  }
  prepared.set(values, known)
  return known
}

function spellingsOf(values: readonly Facet[]): readonly Spelling[] {
  const known = knownOf(values)
  known.spellings ??= values.map(({ value }) => spellingOf(value))
  return known.spellings
}

/** The refusal that names the nearest values of the list; null where no value is refused. */
export function nearValueRefusal(
  directory: DirectoryReads,
  list: ListName,
  parameters: Parameters,
  query: Values<Parameters>,
): ApiError | null {
  for (const name of FILTERS) {
    const parameter = parameters[name]
    const sent = [query[name] ?? []].flat().map(String)
    if (!parameter || sent.length === 0) continue
    const closed = closedValues(parameter)
    // The list itself comes first, because it mostly has the value.
    const isKnown = (value: string) =>
      closed.includes(value) ||
      [list, ...LISTS].some((one) => knownOf(directory.values(one, name)).lowerCase.has(value))
    const unknown = sent.filter((value) => !isKnown(value.toLowerCase())).slice(0, COMPARED_MAX)
    if (unknown.length === 0) continue
    const known = [...spellingsOf(directory.values(list, name)), ...closed.map(spellingOf)]
    for (const value of unknown) {
      const refusal = refusalNear(name, value, known)
      if (refusal) return refusal
    }
  }
  return null
}

/** Values of the contract, in lower case. */
function closedValues(parameter: Parameter): readonly string[] {
  return parameter.kind === 'list' ? (parameter.choices ?? parameter.known ?? []) : []
}

function refusalNear(
  parameter: string,
  value: string,
  known: readonly Spelling[],
): ApiError | null {
  if (value.length > LETTERS_MAX) return null
  const sent = spellingOf(value)
  const near = known
    .filter((one) => isNear(sent, one))
    .map((one) => ({ value: one.value, edits: distance(sent.letters, one.letters) }))
    .sort((a, b) => a.edits - b.edits)
  const allowed = [...new Set(near.map((one) => one.value))].slice(0, NAMED_MAX)
  if (allowed.length === 0) return null
  const message = `No record has the ${parameter} ${JSON.stringify(value)}. Did you mean ${allowed.join(' or ')}?`
  return new ApiError('invalid_parameter', message, { parameter, allowed })
}

/** True if a value may mean a known one: other marks, a typo, a beginning, or some of its words. */
function isNear(sent: Spelling, known: Spelling): boolean {
  const [a, b] = [sent.letters, known.letters]
  const least = Math.min(a.length, b.length)
  if (least >= MARKED_LETTERS && a === b) return true
  // Values with different numbers are different values.
  if (sent.digits !== '' && known.digits !== '' && sent.digits !== known.digits) return false
  if (least >= BEGINNING_LETTERS && (a.startsWith(b) || b.startsWith(a))) return true
  if (least >= TYPO_LETTERS && (isWithin(sent, known) || isWithin(known, sent))) return true
  return isTypo(a, b, least)
}

const isWithin = ({ words }: Spelling, other: Spelling) =>
  words.length > 0 && words.every((word) => other.words.includes(word))

function isTypo(a: string, b: string, least: number): boolean {
  if (least < TYPO_LETTERS || Math.abs(a.length - b.length) > 2) return false
  const edits = distance(a, b)
  if (edits <= (least < TWO_TYPOS_LETTERS ? 1 : 2)) return true
  // Two letters changed places.
  return edits === 2 && sorted(a) === sorted(b)
}

const sorted = (text: string) => [...text].sort().join('')
