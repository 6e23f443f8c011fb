/** Columns of facets: of texts, which are numbered as they come, and of the company that somebody works for. */

import { type Column, type FacetValue, mostFrequent } from './facets.ts'
import type { RecordSlots } from './record-slots.ts'

/** A column of texts, which are one value where they differ in case alone. */
export class TextColumn<R> implements Column<R> {
  readonly #textsOf: (record: R) => readonly string[] | string | null
  /** Per set the numbers of its values; the first set is empty. */
  readonly #sets: number[][] = [[]]
  readonly #numbers = new Map<string, number>([['', 0]])
  /** The sets of lists, which records with the same values share (`shared-lists.ts`), and of single texts. */
  readonly #ofLists = new WeakMap<readonly string[], number>()
  readonly #ofTexts = new Map<string, number>()
  readonly #labels: string[] = []
  readonly #values = new Map<string, number>()

  constructor(textsOf: (record: R) => readonly string[] | string | null) {
    this.#textsOf = textsOf
  }

  get size(): number {
    return this.#sets.length
  }

  setOf(record: R): number {
    const texts = this.#textsOf(record)
    if (texts === null) return 0
    const isText = typeof texts === 'string'
    const known = isText ? this.#ofTexts.get(texts) : this.#ofLists.get(texts)
    if (known !== undefined) return known
    const number = this.#number(isText ? [texts] : texts)
    if (isText) this.#ofTexts.set(texts, number)
    else this.#ofLists.set(texts, number)
    return number
  }

  #number(texts: readonly string[]): number {
    const values = [...new Set(texts.map((text) => this.#valueOf(text)))].sort((a, b) => a - b)
    const key = values.join()
    const known = this.#numbers.get(key)
    if (known !== undefined) return known
    const number = this.#sets.push(values) - 1
    this.#numbers.set(key, number)
    return number
  }

  #valueOf(text: string): number {
    const key = text.toLowerCase()
    const known = this.#values.get(key)
    if (known !== undefined) return known
    const value = this.#labels.push(text) - 1
    this.#values.set(key, value)
    return value
  }

  /** The numbers of those values that are known. */
  #numbersOf(wanted: readonly string[]): number[] {
    return wanted.flatMap((text) => this.#values.get(text.toLowerCase()) ?? [])
  }

  accepted(wanted: readonly string[]): Uint8Array {
    const isWanted = new Uint8Array(this.#labels.length)
    for (const value of this.#numbersOf(wanted)) isWanted[value] = 1
    const count = this.#sets.length
    const accepted = new Uint8Array(count)
    for (let number = 0; number < count; number++) {
      for (const value of this.#sets[number] ?? []) {
        if (isWanted[value] === 1) accepted[number] = 1
      }
    }
    return accepted
  }

  values(
    counts: Uint32Array,
    most: number,
    wanted: readonly string[],
    within: string,
  ): FacetValue[] {
    const totals = new Uint32Array(this.#labels.length)
    for (let set = 0; set < counts.length; set++) {
      const count = counts[set] ?? 0
      if (count === 0) continue
      for (const value of this.#sets[set] ?? []) totals[value] = (totals[value] ?? 0) + count
    }
    return mostFrequent(totals, most, this.#numbersOf(wanted), within, (number) => {
      const label = this.#labels[number] ?? ''
      return { value: label, label }
    })
  }
}

interface Linked {
  readonly id: string
  readonly slug: string
  readonly name: string
}

/** A column of companies, named by their slugs. Its numbers are their slots, so that it keeps no text of its own. */
export class CompanyColumn<R> implements Column<R> {
  readonly #companyOf: (record: R) => Linked | null
  readonly #companies: Pick<RecordSlots<Linked>, 'records' | 'slotOf' | 'bySlug'>

  constructor(
    companyOf: (record: R) => Linked | null,
    companies: Pick<RecordSlots<Linked>, 'records' | 'slotOf' | 'bySlug'>,
  ) {
    this.#companyOf = companyOf
    this.#companies = companies
  }

  /** The first number is of those who have none. */
  get size(): number {
    return this.#companies.records.length + 1
  }

  setOf(record: R): number {
    const company = this.#companyOf(record)
    const slot = company ? this.#companies.slotOf(company.id) : undefined
    return slot === undefined ? 0 : slot + 1
  }

  isRenamed(before: R, after: R): boolean {
    const [was, is] = [this.#companyOf(before), this.#companyOf(after)]
    return was?.name !== is?.name || was?.slug !== is?.slug
  }

  /** The numbers of those that are there. */
  #numbersOf(slugs: readonly string[]): number[] {
    return slugs.flatMap((slug) => {
      const company = this.#companies.bySlug(slug.toLowerCase()) ?? this.#companies.bySlug(slug)
      const slot = company && this.#companies.slotOf(company.id)
      return slot === undefined ? [] : [slot + 1]
    })
  }

  accepted(wanted: readonly string[]): Uint8Array {
    const accepted = new Uint8Array(this.size)
    for (const number of this.#numbersOf(wanted)) accepted[number] = 1
    return accepted
  }

  values(
    counts: Uint32Array,
    most: number,
    wanted: readonly string[],
    within: string,
  ): FacetValue[] {
    // By slot: those who have none are no value, and would take the place of one.
    const slots = this.#numbersOf(wanted).map((number) => number - 1)
    return mostFrequent(counts.subarray(1), most, slots, within, (slot) => {
      const company = this.#companies.records[slot]
      return company && { value: company.slug, label: company.name }
    })
  }
}
