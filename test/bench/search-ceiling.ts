/**
 * How well prefixes can be answered at all: several names begin like most of them do, and nothing in a
 * prefix says which was meant. Mean MRR@12 of searchers that know every name.
 */
import { fold } from '../../index-build/fold.ts'
import { firstPart, type Query, type Target } from './search-queries.ts'

export interface Ceiling {
  /**
   * Knows also how much of the name was typed, and shows each name that this leaves once, those that most
   * records have first. Queries are drawn from the records at random: nobody can do better.
   */
  best: number
  /** The same without knowing how much was typed. */
  unaware: number
  /** Shows every record whose name begins so, the most followed first. */
  byFame: number
}

const SHOWN = 12

export function prefixCeiling(targets: readonly Target[], queries: readonly Query[]): Ceiling {
  const named = targets
    .map(({ id, name, followers }) => ({ id, name: fold(name), part: firstPart(name), followers }))
    .sort((a, b) => (a.name < b.name ? -1 : a.name > b.name ? 1 : 0))
  const firstFrom = (text: string) => {
    let low = 0
    let high = named.length
    while (low < high) {
      const middle = (low + high) >>> 1
      if ((named[middle]?.name ?? '') < text) low = middle + 1
      else high = middle
    }
    return low
  }
  const sums = { best: 0, unaware: 0, byFame: 0 }
  for (const { q, wanted } of queries) {
    const beginning = named.slice(firstFrom(fold(q)), firstFrom(`${fold(q)}\uffff`))
    sums.best += expected(beginning.filter(({ part }) => part === q))
    sums.unaware += expected(beginning)
    beginning.sort((a, b) => b.followers - a.followers || (a.id < b.id ? -1 : 1))
    const rank = beginning.slice(0, SHOWN).findIndex(({ id }) => wanted.has(id)) + 1
    if (rank > 0) sums.byFame += 1 / rank
  }
  const { length } = queries
  return {
    best: sums.best / length,
    unaware: sums.unaware / length,
    byFame: sums.byFame / length,
  }
}

/** The mean over all of these of one by the place of its name, those that most have first. */
function expected(records: readonly { name: string }[]): number {
  const counts = new Map<string, number>()
  for (const { name } of records) counts.set(name, (counts.get(name) ?? 0) + 1)
  const shown = [...counts.values()].sort((a, b) => b - a).slice(0, SHOWN)
  return shown.reduce((sum, count, place) => sum + count / records.length / (place + 1), 0)
}
