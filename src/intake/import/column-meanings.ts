/**
 * Meanings of columns: the field that each column of a file stands for. A column is a CSV header's name or a JSON
 * object's key. It means, in this order, the field that `--map` gives it, the field of exactly its name, the field whose
 * name or alias has the same letters and digits (`First Name`, `first_name` and `FIRST-NAME` are `firstName`).
 */

import type { Readable } from 'node:stream'
import { parse } from 'csv-parse/sync'
import { distance } from 'fastest-levenshtein'
import { decode, LONGEST_ROW } from './formats/bytes.ts'
import { objectOf } from './formats/json.ts'

/** A kind's fields, each with other names that its column may have. */
type FieldNames = ReadonlyMap<string, readonly string[]>

interface Meanings {
  /** The field of each column; its own name where it means none, `null` where it is ignored. */
  names: readonly (string | null)[]
  /** Columns by field, where a column has another name than its field. */
  columns: Readonly<Record<string, string>> | undefined
  /** Multipliers of the numbers of a field's column, by `--map`. */
  factors: Readonly<Record<string, number>> | undefined
}

/** Two columns mean one field. */
export class ColumnsClash extends Error {}

/** Limit of the cache: keys of JSON objects may be data, and endless. */
const MOST_REMEMBERED = 10_000

/** A name may have about one typo for this many letters. */
const LETTERS_PER_TYPO = 4

/** Words of a name: `first` and `name` of `First Name`, `first_name` and `firstName`. */
const wordsOf = (name: string): string[] =>
  name
    .replace(/(\p{Ll})(\p{Lu})/gu, '$1 $2')
    .normalize('NFKC')
    .toLowerCase()
    .split(/[^\p{L}\p{N}]+/u)
    .filter((word) => word !== '')

/** Rank of a match: 2 by exactly the field's name, 1 by the letters of its name, 0 by an alias. The highest wins. */
type Sureness = 2 | 1 | 0
type Meaning = (Target & { sureness: Sureness; isMapped?: boolean }) | 'unknown' | 'ignored'

/** Resolves columns of files of one kind to fields. */
export class Columns {
  readonly fields: readonly string[]
  readonly #byLetters = new Map<string, { field: string; words: readonly string[] }>()
  readonly #words = new Set<string>()
  readonly #map: ColumnMap | undefined
  readonly #recordWords: readonly string[]
  /** The columns of the last row with their meanings: rows of a file mostly have the same. */
  #last: { given: readonly string[]; meanings: Meanings } | undefined
  readonly #remembered = new Map<string, Meaning>()
  /** All columns of the file so far, each with its own meaning. */
  readonly met = new Map<string, Meaning>()

  /** @param recordWords what one of the records is called, as `round`: `round_date` is nearly `date` */
  constructor(names: FieldNames, map?: ColumnMap, recordWords: readonly string[] = []) {
    this.fields = [...names.keys()]
    for (const [field, aliases] of names) {
      for (const alias of aliases) this.#note(alias, field)
    }
    // Last, because a field's own name comes before an alias of another.
    for (const field of this.fields) this.#note(field, field)
    this.#map = map
    this.#recordWords = recordWords
  }

  #note(name: string, field: string) {
    const words = wordsOf(name)
    this.#byLetters.set(lettersOf(name), { field, words })
    for (const word of words) this.#words.add(word)
  }

  isField(column: string): boolean {
    return typeof this.meaningOf(column) === 'object'
  }

  /** Resolves the columns of one row or header. @throws ColumnsClash */
  meaningsOf(given: readonly string[]): Meanings {
    const last = this.#last
    const isLast =
      last?.given.length === given.length && given.every((column, i) => column === last.given[i])
    if (isLast) return last.meanings
    const meanings = this.#decide(given)
    this.#last = { given, meanings }
    return meanings
  }

  /** The columns that mean each field most surely: several are a clash. */
  byField(
    given: readonly string[],
  ): Map<string, { columns: string[]; factor: number | undefined }> {
    const byField = new Map<
      string,
      { sureness: Sureness; columns: string[]; factor: number | undefined }
    >()
    for (const column of given) {
      const meaning = this.#meet(column)
      if (typeof meaning === 'string') continue
      const { field, sureness, factor } = meaning
      const other = byField.get(field)
      if (!other || sureness > other.sureness)
        byField.set(field, { sureness, columns: [column], factor })
      else if (sureness === other.sureness) other.columns.push(column)
    }
    return byField
  }

  #decide(given: readonly string[]): Meanings {
    const byField = this.byField(given)
    for (const [field, { columns }] of byField) {
      const [column, rival] = columns
      if (rival === undefined) continue
      if (rival === column) {
        throw new ColumnsClash(`two columns are named "${column}" (${field}): rename or remove one`)
      }
      throw new ColumnsClash(
        `columns "${column}" and "${rival}" both mean ${field}: leave one out, or ignore it by --map "${rival}="`,
      )
    }
    const factors = [...byField].flatMap(([field, { factor }]) =>
      factor === undefined ? [] : [[field, factor] as const],
    )
    const renamed = [...byField].flatMap(([field, { columns }]) => {
      const [column] = columns
      return column === undefined || field === column ? [] : [[field, column] as const]
    })
    return {
      names: given.map((column) => {
        const meaning = this.meaningOf(column)
        if (meaning === 'ignored') return null
        if (meaning === 'unknown') return column
        return byField.get(meaning.field)?.columns[0] === column ? meaning.field : column
      }),
      columns: renamed.length > 0 ? Object.fromEntries(renamed) : undefined,
      factors: factors.length > 0 ? Object.fromEntries(factors) : undefined,
    }
  }

  /**
   * Suggests a field for an unknown column: one whose name it nearly is, as it stands or without the word for its record
   * (`round_date`). A field's own name comes before its aliases.
   */
  likely(column: string): string | undefined {
    const near = [column, ...this.#withoutRecordWord(column)].flatMap((name) => this.#near(name))
    const isOwn = ({ field, known }: { field: string; known: string }) => lettersOf(field) === known
    near.sort((a, b) => a.typos - b.typos || Number(isOwn(b)) - Number(isOwn(a)))
    return near[0]?.field
  }

  /** Names that a name may be a misspelling of. */
  #near(name: string) {
    const letters = lettersOf(name)
    const most = Math.floor((letters.length + 1) / LETTERS_PER_TYPO)
    const words = wordsOf(name)
    return [...this.#byLetters].flatMap(([known, { field, words: others }]) => {
      const typos = distance(letters, known)
      // `date` is a word of other names, so that `round_date` is no misspelling of `round name`.
      const hasOtherWord =
        words.length === others.length &&
        words.some((word, i) => word !== others[i] && this.#words.has(word))
      return typos > most || hasOtherWord ? [] : [{ field, known, typos }]
    })
  }

  /** A column's name without the record's word in front, where it has that. */
  #withoutRecordWord(column: string): string[] {
    const [first = '', ...others] = wordsOf(column)
    if (others.length > 0) return this.#recordWords.includes(first) ? [others.join(' ')] : []
    const word = this.#recordWords.find((one) => first.startsWith(one) && first !== one)
    return word === undefined ? [] : [first.slice(word.length)]
  }

  #meet(column: string): Meaning {
    const meaning = this.meaningOf(column)
    if (this.met.size < MOST_REMEMBERED) this.met.set(column, meaning)
    return meaning
  }

  /** Resolves a column alone: columns beside it may mean the same field with a higher rank. */
  meaningOf(column: string): Meaning {
    const remembered = this.#remembered.get(column)
    if (remembered) return remembered
    const meaning = this.#find(column)
    if (this.#remembered.size < MOST_REMEMBERED) this.#remembered.set(column, meaning)
    return meaning
  }

  #find(column: string): Meaning {
    const mapped = this.#map?.use(column, this.fields)
    if (mapped) {
      const { field, factor } = mapped
      return field === null ? 'ignored' : { field, sureness: 2, factor, isMapped: true }
    }
    if (this.fields.includes(column)) return { field: column, sureness: 2 }
    const letters = lettersOf(column)
    const field = this.#byLetters.get(letters)?.field
    if (field === undefined) return 'unknown'
    return { field, sureness: letters === lettersOf(field) ? 1 : 0 }
  }
}

/** A field, with a multiplier for its numbers. */
export interface Target {
  field: string
  factor?: number | undefined
}

/** A mapping given by the operator; a field of `null` ignores the column. */
export interface Mapping {
  column: string
  field: string | null
  factor?: number | undefined
  /** The mapping as typed, for errors: `--map "Firma=name"`. */
  given: string
}

const FACTOR = /^\d+(?:\.\d+)?(?:e[+-]?\d{1,2})?$/i

/** Reads `amountUsd*1e6`. Text behind `*` that is no number above zero makes the factor NaN. */
export function targetOf(text: string): Target {
  const [field = '', ...factors] = text.split('*').map((part) => part.trim())
  if (factors.length === 0) return { field }
  const written = factors.join('*')
  const factor = FACTOR.test(written) ? Number(written) : 0
  return { field, factor: factor > 0 ? factor : Number.NaN }
}

/** Explains why a field can't have this factor; undefined where it can. */
export function unitProblem({ field, factor }: Target, isFigure = false): string | undefined {
  if (factor === undefined) return undefined
  if (!isFigure) return `${field} is not a number, so it takes no unit`
  if (Number.isNaN(factor)) return `give the unit as a number above zero, as in ${field}*1e6`
}

/** Mappings that are stored as columns with their targets; null ignores the column. */
export const mappingsOf = (targets: Readonly<Record<string, string | null>>): Mapping[] =>
  Object.entries(targets).map(([column, target]) => ({
    column,
    ...(target === null ? { field: null } : targetOf(target)),
    given: `column "${column}"`,
  }))

/** Writes what `targetOf` reads. */
export function targetText({ field, factor }: Target): string {
  if (factor === undefined) return field
  return `${field}*${factor >= 1_000 ? factor.toExponential().replace('+', '') : factor}`
}

/**
 * Mappings by `--map "Their column=field"`, also with a unit as in `--map "Raised=amountUsd*1e6"`. One holds for each
 * file of the import that has its column.
 */
export class ColumnMap {
  readonly #mappings: readonly Mapping[]
  readonly #first: ColumnMap | undefined
  readonly #used = new Set<Mapping>()

  /** @param first what it says of a column counts before these mappings */
  constructor(mappings: readonly Mapping[], first?: ColumnMap) {
    this.#mappings = mappings
    this.#first = first
  }

  /**
   * Finds the mapping of a column for a file with these fields, which counts as used then. The column's exact name comes
   * first, then one of the same letters and digits.
   */
  use(column: string, fields: readonly string[]): Mapping | undefined {
    const first = this.#first?.use(column, fields)
    if (first) return first
    const mapping = this.#find(column, fields)
    if (mapping) this.#used.add(mapping)
    return mapping
  }

  #find(column: string, fields: readonly string[]): Mapping | undefined {
    const fitting = this.#mappings.filter(({ field }) => field === null || fields.includes(field))
    return (
      fitting.find((one) => one.column === column.trim()) ??
      fitting.find((one) => lettersOf(one.column) === lettersOf(column) && lettersOf(column) !== '')
    )
  }

  /** Mappings that no file has used. */
  unused(): Mapping[] {
    return this.#mappings.filter((mapping) => !this.#used.has(mapping))
  }
}

/** A name's letters and digits alone, in lower case. */
export const lettersOf = (name: string): string =>
  name
    .normalize('NFKC')
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]/gu, '')

/** @throws Error where the file is neither, naming the line of CSV that is at fault. */
export async function readPairs(stream: Readable): Promise<[string, string | null][]> {
  const chunks: Buffer[] = []
  let length = 0
  for await (const chunk of decode(stream)) {
    length += chunk.length
    if (length > LONGEST_ROW) throw new Error('more than a megabyte')
    chunks.push(chunk)
  }
  const text = Buffer.concat(chunks).toString().trim()
  if (text.startsWith('{')) {
    const read = objectOf(text)
    if ('reason' in read) throw new Error('not JSON')
    return Object.entries(read.fields).map(([name, value]) => {
      if (value !== null && typeof value !== 'string')
        throw new Error(`"${name}" is not a text or null`)
      return [name.trim(), value === null ? null : value.trim()]
    })
  }
  const rows: string[][] = parse(text, {
    delimiter: [',', ';', '\t'],
    relax_column_count: true,
    relax_quotes: true,
    skip_empty_lines: true,
    trim: true,
  })
  return rows.map(([name = '', value = '', ...others], i) => {
    if (name === '' || others.some((cell) => cell !== '')) {
      throw new Error(
        `row ${i + 1} is not a column and its field; a column with a delimiter in it stands in quotes`,
      )
    }
    return [name, value || null]
  })
}
