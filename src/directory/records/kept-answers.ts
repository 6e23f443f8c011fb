/**
 * Answers that are kept for the next caller who asks for the same. Records never change, so an answer
 * is right for as long as it would be made of the same records: it goes when one of them, or what it says
 * beside them, is another, and with nothing else. What is kept is looked at again once the directory has changed.
 */
import { LRUCache } from 'lru-cache'
import { type GzipBeginning, gzipBeginning } from '../../gzip.ts'
import { type ReadyAnswer, readyAnswer } from './ready-answer.ts'
import type { Template } from './template.ts'

/** Inputs of an answer. */
export interface Shown {
  /** Records, numbers and texts: where all of them are the same, `text` is. */
  readonly shows: readonly unknown[]
  text(): Template
}

/** Since the start. */
export interface AnswerCounts {
  /** Answers that were kept, from a directory that had not changed since. */
  hits: number
  /** Answers that were kept, after a change that did not concern them. */
  confirmed: number
  /** Answers that were made. */
  misses: number
  /** Answers that are kept, and how many bytes they take. */
  entries: number
  bytes: number
}

/** Where records come from. */
interface Source {
  /** Identity of the directory's state; a new object after each change. */
  readonly moment: object
}

interface Kept {
  answer: ReadyAnswer
  shows: readonly unknown[]
  /** State at which the answer was last known to be right. */
  age: number
  /** Made when a caller first takes it. */
  compressed?: GzipBeginning
}

/** About a thousand lists of 30 people. */
export const BYTES_MAX = 32 * 2 ** 20
/** An answer that is larger before it is compressed (a team of thousands) is made each time, because it would push out a hundred others. */
const ENTRY_BYTES_MAX = 2 ** 19
/** Estimated size of an entry beside its bytes: objects, and the numbers and references of its slots. */
const ENTRY_BYTES = 500
const SLOT_BYTES = 32
const REFERENCE_BYTES = 8
const CHARACTER_BYTES = 2
/** First byte of every body. */
const BRACE = Buffer.from('{')

export class KeptAnswers {
  readonly #kept = new LRUCache<string, Kept>({ maxSize: BYTES_MAX, sizeCalculation: bytesOf })
  /** Weak, because a source that was replaced would stay in memory until the next call. */
  #source: WeakRef<Source> | null = null
  /** The newest moment, and how many there were. Answers remember the number: the object would keep in memory what others keep by it. */
  #moment: WeakRef<object> | null = null
  #age = 0
  readonly #counts = { hits: 0, confirmed: 0, misses: 0 }

  get counts(): AnswerCounts {
    return { ...this.#counts, entries: this.#kept.size, bytes: this.#kept.calculatedSize }
  }

  /**
   * The answer of this key.
   * @param source another one than before has other records: nothing of the old one is kept.
   * @param look what the source shows now under this key; asked where it may have changed.
   */
  of(source: Source, key: string, look: () => Shown): ReadyAnswer {
    if (source !== this.#source?.deref()) {
      this.#kept.clear()
      this.#source = new WeakRef(source)
    }
    const age = this.#ageOf(source.moment)
    const kept = this.#kept.get(key)
    if (kept?.age === age) {
      this.#counts.hits++
      return kept.answer
    }
    const { shows, text } = look()
    if (kept && isSame(kept.shows, shows)) {
      kept.age = age
      this.#counts.confirmed++
      return kept.answer
    }
    this.#counts.misses++
    const answer: ReadyAnswer = {
      ...readyAnswer(text()),
      compressed: () => this.#compressed(key, answer),
    }
    const made: Kept = { answer, shows, age }
    if (bytesOf(made, key) <= ENTRY_BYTES_MAX) this.#kept.set(key, made)
    else this.#kept.delete(key)
    return answer
  }

  /** Compressed form of the answer for a caller who has unlocked nobody, which holds no private channel. */
  #compressed(key: string, answer: ReadyAnswer): GzipBeginning | undefined {
    const kept = this.#kept.peek(key)
    if (kept?.answer !== answer) return undefined
    if (kept.compressed) return kept.compressed
    const compressed = gzipBeginning(Buffer.concat([BRACE, answer.bytes]))
    // A new entry, because an entry is measured once.
    this.#kept.set(key, { ...kept, compressed })
    return compressed
  }

  #ageOf(moment: object): number {
    if (moment !== this.#moment?.deref()) {
      this.#moment = new WeakRef(moment)
      this.#age++
    }
    return this.#age
  }
}

function bytesOf({ answer, shows, compressed }: Kept, key: string): number {
  return (
    answer.bytes.length +
    (compressed?.bytes.length ?? 0) +
    answer.slots.length * SLOT_BYTES +
    shownBytes(shows) +
    key.length * CHARACTER_BYTES +
    ENTRY_BYTES
  )
}

/** Estimated size of the values kept for comparison: references to records, and whole texts (a portfolio, facets). */
function shownBytes(shows: readonly unknown[]): number {
  let bytes = shows.length * REFERENCE_BYTES
  for (const value of shows) if (typeof value === 'string') bytes += value.length * CHARACTER_BYTES
  return bytes
}

function isSame(before: readonly unknown[], now: readonly unknown[]): boolean {
  return before.length === now.length && before.every((value, place) => value === now[place])
}
