/** Queries made from the data by a seed, each with the records that count as a hit. */
import { fold } from '../../index-build/fold.ts'
import type { Chance } from '../../src/server/demo/random.ts'

/** A record, whatever engine searches it. */
export interface Target {
  id: string
  name: string
  ticker: string | null
  handle: string | null
  domain: string | null
  /** A person's job title, a company's summary. */
  text: string | null
  formerHandle: string | null
  followers: number
  isPerson: boolean
}

export interface Query {
  q: string
  /** Ids of the records that count as a hit: any with the name, ticker, handle or domain of the query. */
  wanted: ReadonlySet<string>
}

/** Words that a name is typed with though the record lacks them. */
const WEAK_ENDINGS = ['Inc', 'GmbH', 'Labs', 'Protocol', 'Foundation', 'Token'] as const

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
  'two typos',
  'joined',
  'split',
  'extra word',
  'word left out',
  'one letter',
  'two letters',
  'common word',
  ...WEAK_ENDINGS.map((ending) => `and ${ending}` as const),
  'app. and domain',
  'docs of domain',
  'address of profile',
  'former handle',
  'another script',
  'two words of five',
] as const
export type QueryClass = (typeof QUERY_CLASSES)[number]

/** Classes without a wanted record, measured for time alone. */
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
  const [named, ticked, handled, hosted, renamed] = [
    by(({ name }) => name),
    by(({ ticker }) => ticker),
    by(({ handle }) => handle),
    by(({ domain }) => domain),
    by(({ formerHandle }) => formerHandle),
  ]
  const names = targets.filter(({ name }) => /\p{L}/u.test(name)).map(({ name }) => name)
  const withLetters = (least: number) =>
    names.filter((name) => (name.match(/\p{L}/gu) ?? []).length >= least)
  const long = withLetters(5)
  const withWords = (least: number) => names.filter((name) => name.split(' ').length >= least)
  const several = withWords(2)
  const common = commonWords(targets)
  const fieldOf = (key: 'ticker' | 'handle' | 'domain' | 'formerHandle') =>
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
  const twoTypos = (name: string) => {
    const once = withTypo(name, chance.pick(TYPO_KINDS), chance)
    return withTypo(once, chance.pick(TYPO_KINDS), chance)
  }

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
    ['two typos', draw(withLetters(9), named, twoTypos)],
    ['joined', draw(several, named, (name) => fold(name).replaceAll(' ', ''))],
    ['split', draw(names.filter(hasLongWord), named, (name) => withWordCut(name, chance))],
    ['extra word', draw(names, named, (name) => withWord(name, common, chance))],
    ['word left out', draw(withWords(3), named, (name) => withoutWord(name, chance))],
    ['one letter', draw([...LETTERS], anything)],
    ['two letters', draw(names, anything, (name) => fold(name).slice(0, 2))],
    ['common word', draw(common, anything)],
    ...WEAK_ENDINGS.map((ending): [QueryClass, Query[]] => [
      `and ${ending}`,
      // A record that is called so is as right.
      draw(names, named, (name) => `${name} ${ending}`).map(({ q, wanted }) => ({
        q,
        wanted: wanted.union(named(q)),
      })),
    ]),
    ['app. and domain', draw(fieldOf('domain'), hosted, (host) => `app.${host}`)],
    [
      'docs of domain',
      draw(fieldOf('domain'), hosted, (host) => `https://docs.${host}/intro?ref=1`),
    ],
    ['address of profile', draw(fieldOf('handle'), handled, (handle) => addressOf(handle, chance))],
    ['former handle', draw(fieldOf('formerHandle'), renamed)],
    ['another script', transcribed(named)],
    ['two words of five', draw(withWords(5), named, (name) => twoWords(name, chance))],
  ])
}

/** A profile's address as it is copied. */
function addressOf(handle: string, chance: Chance): string {
  return chance
    .pick([
      'https://mobile.twitter.com/HANDLE',
      '<https://x.com/HANDLE?s=20>',
      'x.com/HANDLE/status/1',
      't.me/s/HANDLE',
      'https://de.linkedin.com/in/HANDLE',
    ])
    .replace('HANDLE', handle)
}

/** Names with a form in another script; the bench's people have both, one each. */
export const TRANSCRIBED: readonly (readonly [name: string, form: string])[] = `
  Viktor Sokolov=Виктор Соколов;Yulia Tymchenko=Юлия Тимченко;Alexander Zhukov=Александр Жуков;Oleksandr Shevchuk=Олександр Шевчук
  Kostas Papadakis=Κώστας Παπαδάκης;Eleni Georgiou=Ελένη Γεωργίου;Taro Yamada=ヤマダ タロウ;Maria Suzuki=マリア スズキ
  Zhang Weiming=张伟明;Changpeng Liu=刘长鹏;Li Xiaoming=李小明;Kim Cheolsu=김철수;Park Jihoon=박지훈;Giorgi Beridze=გიორგი ბერიძე
  Nino Kapanadze=ნინო კაპანაძე;Armen Sargsyan=Արմեն Սարգսյան;Hayk Petrosyan=Հայկ Պետրոսյան;Rahul Sharma=राहुल शर्मा
  Anita Kumari=अनिता कुमारी;Mohammed Hassan=محمد حسن;Karim Mansour=كريم منصور;David Levi=דוד לוי;Shlomo Mizrahi=שלמה מזרחי`
  .split(/[;\n]/)
  .filter((line) => line.trim() !== '')
  .map((line) => {
    const [name = '', form = ''] = line.trim().split('=')
    return [name, form] as const
  })

/** Each name by its other form, where there is a record of it. */
function transcribed(named: (name: string) => ReadonlySet<string>): Query[] {
  return TRANSCRIBED.flatMap(([name, form]) => [
    { q: form, wanted: named(name) },
    { q: name, wanted: named(form) },
  ]).filter(({ wanted }) => wanted.size > 0)
}

function firstPart(name: string): string {
  return [...name]
    .slice(0, Math.ceil([...name].length * 0.6))
    .join('')
    .trim()
}

const TYPO_KINDS = ['substitution', 'insertion', 'deletion', 'transposition'] as const
type TypoKind = (typeof TYPO_KINDS)[number]

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

/** The name with a word behind it that it doesn't have. */
function withWord(name: string, words: readonly string[], chance: Chance): string {
  const own = fold(name).split(' ')
  return `${name} ${chance.pick(words.filter((word) => !own.includes(word)))}`.toLowerCase()
}

/** Letters on each side of a cut, at least. */
const CUT_LETTERS = 3
const hasLongWord = (name: string) => LONG_WORD.test(name)
const LONG_WORD = /\p{L}{6,}/u

/** The name with its first long word cut in two. */
function withWordCut(name: string, chance: Chance): string {
  return name.replace(LONG_WORD, (word) => {
    const cut = chance.between(CUT_LETTERS, word.length - CUT_LETTERS)
    return `${word.slice(0, cut)} ${word.slice(cut)}`
  })
}

/** The name without one of its words. */
function withoutWord(name: string, chance: Chance): string {
  const words = name.split(' ')
  const left = chance.between(0, words.length - 1)
  return words.filter((_, place) => place !== left).join(' ')
}

/** Two words of the name, in its order. */
function twoWords(name: string, chance: Chance): string {
  const words = name.split(' ')
  const second = chance.between(1, words.length - 1)
  return `${words[chance.between(0, second - 1)]} ${words[second]}`
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
