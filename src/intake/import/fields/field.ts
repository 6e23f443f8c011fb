/**
 * What a row may say: one table of fields for each kind of record, in the contract's names. The import cleans by
 * these tables, names of columns are matched by them, and `import --help --fields` and `/docs/import` print them.
 */
import type { Cleaner } from '../clean.ts'

/** A kind of value: how it is cleaned, and what people are told of it. Texts mark code with `backticks`. */
export interface ValueType {
  /** Takes a value as the source has it and gives what to store. @throws InvalidValue */
  clean: Cleaner
  /** What a value is, in a few words: `date`, `list of texts`. */
  type: string
  /** How else a value may be written, and what becomes of it; sentences. */
  cleans: string
  /** All values, where there are few. */
  choices?: readonly string[]
  /** A number, so that its column may have another unit: `--map "Raised=amountUsd*1e6"`. */
  isFigure?: true
}

export interface Field extends ValueType {
  /** What the field says of a record; a sentence or two. */
  meaning: string
  /** A value as a CSV cell holds it; it passes `clean`. */
  example: string
  /** Other names of its column. Names are compared without case, blanks and marks, so `first_name` needs none. */
  aliases: readonly string[]
  /**
   * A row whose value can't be stored is refused: a key, a part of the name, or what a record of this kind can't be
   * without. `withoutKey`: of rows without a key, which are known by it. `withoutNames`: of rows that have neither name of
   * a person; others don't need it. Other values are left out.
   */
  isEssential?: true | 'withoutKey' | 'withoutNames'
  /** What few values of the field are: a column of them is asked about (`questions.ts`). */
  doubt?: {
    isOdd(value: string | number): boolean
    /** `amounts are below $10,000` */
    oddity: string
    /** True where they may have another unit. */
    hasUnit?: true
  }
  /** A private channel: a value of it is in no reason, log, report or progress line. */
  isPrivate?: true
}

/** Field → what is known of it, in the order of the documentation. */
export type Fields = Readonly<Record<string, Field>>
