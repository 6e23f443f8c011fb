/** Query sets made from the data by a seed, each query with what counts as finding it. */
import { fold } from '../../index-build/fold.ts'
import type { Chance } from '../../src/demo/random.ts'

/** A record as the benchmark sees it, whatever engine searches it. */
export interface Target {
  id: string
  name: string
  ticker: string | null
  handle: string | null
  domain: string | null
  /** A person's job title, a company's summary. */
  text: string | null
  followers: number
  isPerson: boolean
}

export interface Query {
  q: string
  /** Ids of the records that count: any with the name, ticker, handle or domain that was asked for. */
  wanted: ReadonlySet<string>
}

export const QUERY_CLASSES = [
  'exact name',
  'lower case',
  'first 60 %',
  'substitution',
  'insertion',
  'deletion',
  'transposition',
  'reversed',
  'ticker',
  'handle',
  'domain',
  'one letter',
  'two letters',
  'common word',
] as const
export type QueryClass = (typeof QUERY_CLASSES)[number]

/** Classes that look for no record in particular: measured for time alone. */
export const TIMED_ONLY: ReadonlySet<QueryClass> = new Set([
  'one letter',
  'two letters',
  'common word',
])

const LETTERS = 'abcdefghijklmnopqrstuvwxyz'

/** `count` queries of each class, fewer where the data has no more (people have no ticker). */
export function makeQueries(
  targets: readonly Target[],
  count: number,
  chance: Chance,
): Map<QueryClass, Query[]> {
  const by = (key: (target: Target) => string | null) => {
    const ids = new Map<string, Set<string>>()
    for (const target of targets) {
      const value = key(target)
      if (!value) continue
      const known = ids.get(fold(value))
      if (known) known.add(target.id)
      else ids.set(fold(value), new Set([target.id]))
    }
    return (value: string) => ids.get(fold(value)) ?? new Set<string>()
  }
  const [named, ticked, handled, hosted] = [
    by(({ name }) => name),
    by(({ ticker }) => ticker),
    by(({ handle }) => handle),
    by(({ domain }) => domain),
  ]
  const names = targets.filter(({ name }) => /\p{L}/u.test(name)).map(({ name }) => name)
  const long = names.filter((name) => (name.match(/\p{L}/gu) ?? []).length >= 5)
  const several = names.filter((name) => name.split(' ').length > 1)
  const fieldOf = (key: 'ticker' | 'handle' | 'domain') =>
    targets.flatMap((target) => target[key] ?? [])

  const draw = (
    from: readonly string[],
    wanted: (value: string) => ReadonlySet<string>,
    change: (value: string) => string = (value) => value,
  ): Query[] => {
    if (from.length === 0) return []
    return Array.from({ length: count }, () => {
      const value = chance.pick(from)
      return { q: change(value), wanted: wanted(value) }
    })
  }
  const anything = () => new Set<string>()
  const typo = (kind: TypoKind) => draw(long, named, (name) => withTypo(name, kind, chance))

  return new Map<QueryClass, Query[]>([
    ['exact name', draw(names, named)],
    ['lower case', draw(names, named, (name) => name.toLowerCase())],
    ['first 60 %', draw(names, named, firstPart)],
    ['substitution', typo('substitution')],
    ['insertion', typo('insertion')],
    ['deletion', typo('deletion')],
    ['transposition', typo('transposition')],
    ['reversed', draw(several, named, (name) => name.split(' ').reverse().join(' '))],
    ['ticker', draw(fieldOf('ticker'), ticked)],
    ['handle', draw(fieldOf('handle'), handled)],
    ['domain', draw(fieldOf('domain'), hosted)],
    ['one letter', draw([...LETTERS], anything)],
    ['two letters', draw(names, anything, (name) => fold(name).slice(0, 2))],
    ['common word', draw(commonWords(targets), anything)],
  ])
}

export function firstPart(name: string): string {
  return [...name]
    .slice(0, Math.ceil([...name].length * 0.6))
    .join('')
    .trim()
}

type TypoKind = 'substitution' | 'insertion' | 'deletion' | 'transposition'

/** One typo among the letters of the name. */
function withTypo(name: string, kind: TypoKind, chance: Chance): string {
  const characters = [...name]
  const places = characters.flatMap((character, place) => (/\p{L}/u.test(character) ? place : []))
  const place = chance.pick(places)
  const letter = chance.pick([...LETTERS])
  const before = characters.slice(0, place)
  const after = characters.slice(place + 1)
  const here = characters[place] ?? ''
  switch (kind) {
    case 'substitution':
      return [...before, letter === here.toLowerCase() ? 'q' : letter, ...after].join('')
    case 'insertion':
      return [...before, letter, here, ...after].join('')
    case 'deletion':
      return [...before, ...after].join('')
    case 'transposition': {
      const [next = '', ...rest] = after
      return [...before, next, here, ...rest].join('')
    }
  }
}

/** The words that most records have. */
function commonWords(targets: readonly Target[]): string[] {
  const counts = new Map<string, number>()
  for (const { name, text } of targets) {
    const words = new Set(fold(`${name} ${text ?? ''}`).match(/[a-z]{3,}/g))
    for (const word of words) counts.set(word, (counts.get(word) ?? 0) + 1)
  }
  return [...counts]
    .sort((a, b) => b[1] - a[1])
    .slice(0, 20)
    .map(([word]) => word)
}
