/** Names of people whom a session has read of, so that a question about one names them. The API is not asked: a read has its price. */
import { LRUCache } from 'lru-cache'
import { type Body, body } from './records.ts'

const MOST_PEOPLE = 300
/** A name was written by others: it must not push the price out of a question. */
const MOST_CHARACTERS = 120

export class PeopleNames {
  /** By id and by slug. */
  readonly #names = new LRUCache<string, string>({ max: 2 * MOST_PEOPLE })

  /** Notes everybody in an answer of the API, whatever its form. */
  learn(answer: unknown): void {
    if (typeof answer !== 'object' || answer === null) return
    if ('firstName' in answer) this.#note({ ...answer })
    for (const value of Object.values(answer)) this.learn(value)
  }

  #note({ id, slug, firstName, lastName, jobTitle, company }: Body): void {
    const name = [firstName, lastName].filter((part) => part).join(' ')
    if (name === '') return
    const label = [name, jobTitle, body(company).name].filter((part) => part).join(', ')
    for (const key of [id, slug]) {
      if (typeof key === 'string') this.#names.set(key.toLowerCase(), label)
    }
  }

  /** Name, title and company as one text, and whom it was asked about; that alone where nobody read of them. */
  of(idOrSlug: string): string {
    const label = this.#names.get(idOrSlug.toLowerCase())
    const id = JSON.stringify(idOrSlug)
    if (label === undefined) return `${id} (this session has not read the name)`
    return `${JSON.stringify(label.slice(0, MOST_CHARACTERS).toWellFormed())} (${id})`
  }
}
