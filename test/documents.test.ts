/** What the repository says of its decisions is true. */
import { describe, expect, test } from 'bun:test'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { PROJECT_ROOT } from './helpers/command.ts'

const FOLDERS = ['src', 'index-build', 'drizzle', 'test', '.github']
const TEXT = /\.(ts|tsx|js|css|sql|md|yml)$/

const textOf = (path: string) => readFileSync(join(PROJECT_ROOT, path), 'utf8')
const FILES = new Set([
  ...readdirSync(PROJECT_ROOT).filter((name) => name.includes('.')),
  ...FOLDERS.flatMap((folder) =>
    readdirSync(join(PROJECT_ROOT, folder), { recursive: true, encoding: 'utf8' })
      .map((name) => join(folder, name))
      .filter((path) => !path.includes('node_modules')),
  ),
])
const TEXTS = new Map(
  [...FILES].filter((path) => TEXT.test(path)).map((path) => [path, textOf(path)]),
)

interface Decision {
  number: string
  title: string
  body: string
  isBuilt: boolean
  /** Test files, each with the beginnings of test names that it is cited for. */
  tests: { path: string; names: string[] }[]
}

function readDecisions(): Decision[] {
  const sections = textOf('src/DECISIONS.md').split(/^### /m).slice(1)
  return sections.map((section) => {
    const [, number = '', title = ''] = /^(D\d+a?)\. (.+)/.exec(section) ?? []
    const [, cited = ''] = /^\*\*Tests\.\*\* (.+)/m.exec(section) ?? []
    const tests = [...cited.matchAll(/`(test\/[^`]+)`([^`]*)/g)].map(
      ([, path = '', after = '']) => ({
        path,
        names: [...after.matchAll(/“([^”]+)”/g)].map(([, name = '']) => name),
      }),
    )
    return { number, title, body: section, isBuilt: !section.includes('**Not built yet.**'), tests }
  })
}

const DECISIONS = readDecisions()

describe('src/DECISIONS.md', () => {
  test('numbers each decision once, in order and without gaps', () => {
    const numbers = DECISIONS.map(({ number }) => number).filter((number) => number !== 'D20a')
    expect(numbers.length).toBeGreaterThan(50)
    expect(numbers).toEqual(numbers.map((_, index) => `D${index + 1}`))
  })

  test('gives a reason for each decision', () => {
    const without = DECISIONS.filter(({ body }) => !/^\*\*Why\.\*\* \S/m.test(body))
    expect(without.map(({ number }) => number)).toEqual([])
  })

  test('holds every decision that the repository cites', () => {
    const known = new Set(DECISIONS.map(({ number }) => number))
    const unknown = [...TEXTS].flatMap(([path, text]) =>
      [...text.matchAll(/\bD[1-9]\d*a?\b/g)]
        .filter(([number]) => !known.has(number))
        .map(([number]) => `${path}: ${number}`),
    )
    expect(unknown).toEqual([])
  })

  test('names for each built decision tests that exist and stand for it', () => {
    const wrong = DECISIONS.filter(({ isBuilt }) => isBuilt).flatMap(({ number, tests }) => {
      if (tests.length === 0) return [`${number}: no test`]
      return tests.flatMap(({ path, names }) => {
        const text = TEXTS.get(path)
        if (text === undefined) return [`${number}: there is no ${path}`]
        const cited = names.length > 0 ? names : [number]
        const missing = cited.filter((name) => !new RegExp(`(?<!\\w)${escaped(name)}`).test(text))
        return missing.map((name) => `${number}: ${path} has no "${name}"`)
      })
    })
    expect(wrong).toEqual([])
  })
})

function escaped(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')
}
