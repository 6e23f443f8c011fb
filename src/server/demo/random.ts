/** Seeded random numbers for the demo directory. */
import { uuidV7 } from '../../intake/import/uuid-v7.ts'

export class Chance {
  #state: number

  constructor(seed: number) {
    this.#state = seed >>> 0
  }

  /** From 0 to below 1 (mulberry32). */
  next(): number {
    this.#state = (this.#state + 0x6d2b79f5) >>> 0
    let mixed = this.#state
    mixed = Math.imul(mixed ^ (mixed >>> 15), mixed | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }

  /** True with this probability. */
  happens(share: number): boolean {
    return this.next() < share
  }

  /** A whole number from `least` to `most`. */
  between(least: number, most: number): number {
    return least + Math.floor(this.next() * (most - least + 1))
  }

  /** One of the choices. With a `skew` above 1 those in front come far more often: a long tail. */
  pick<T>(choices: readonly T[], skew = 1): T {
    const choice = choices[Math.floor(this.next() ** skew * choices.length)]
    if (choice === undefined) throw new RangeError('nothing to pick from')
    return choice
  }

  /** `count` different choices, in no order, or all of them. */
  several<T>(choices: readonly T[], count: number): T[] {
    const left = [...choices]
    const picked: T[] = []
    while (picked.length < count && left.length > 0) {
      picked.push(...left.splice(Math.floor(this.next() * left.length), 1))
    }
    return picked
  }

  /** `[value, weight]` pairs: a value, as often as its weight says. */
  weighted<T>(choices: readonly (readonly [T, number])[]): T {
    let left = this.next() * choices.reduce((sum, [, weight]) => sum + weight, 0)
    for (const [value, weight] of choices) {
      left -= weight
      if (left < 0) return value
    }
    throw new RangeError('nothing to pick from')
  }

  /** A time from `first` to `last` (ISO dates), to the minute. */
  time(first: string, last: string): Date {
    const from = Date.parse(first)
    const minutes = Math.floor((Date.parse(last) - from) / 60_000)
    return new Date(from + this.between(0, minutes) * 60_000)
  }

  /** A UUIDv7 of that time. */
  id(time: Date): string {
    return uuidV7(
      time.getTime(),
      Uint8Array.from({ length: 10 }, () => this.between(0, 255)),
    )
  }
}
