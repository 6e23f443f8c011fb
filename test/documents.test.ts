/** Markdown of the repository is true: decisions, links, commands, variables. */
import { describe, expect, test } from 'bun:test'
import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join, normalize } from 'node:path'
import { settingsText } from '../src/server/commands/serve.ts'
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
/** Pages of the service's documentation link to the application. */
const PAGES = 'src/site/docs/pages/'
const DOCUMENTS = new Map(
  [...TEXTS].filter(([path]) => path.endsWith('.md') && !path.startsWith(PAGES)),
)

describe('src/DECISIONS.md', () => {
  test('has goals, non-goals and numbered decisions, in at most 6,000 words', () => {
    const text = textOf('src/DECISIONS.md')
    expect(text).toContain('## Goals')
    expect(text).toContain('## Non-goals')
    const numbers = [...text.matchAll(/^### (\d+)\. /gm)].map(([, number]) => Number(number))
    expect(numbers.length).toBeGreaterThan(20)
    expect(numbers).toEqual(numbers.map((_, index) => index + 1))
    expect(text.split(/\s+/).length).toBeLessThan(6_000)
  })

  test('is cited by no number: the reason stands where the code is', () => {
    const cited = [...TEXTS].flatMap(([path, text]) =>
      [...text.matchAll(/(?<!%)\bD[1-9]\d{0,2}a?\b/g)].map(([number]) => `${path}: ${number}`),
    )
    expect(cited).toEqual([])
  })
})

describe('the documents', () => {
  test('link to files that exist', () => {
    const broken = [...DOCUMENTS].flatMap(([path, text]) =>
      [...text.matchAll(/\]\(([^)\s#]+)[^)]*\)/g)]
        .map(([, to = '']) => to)
        .filter((to) => !/^https?:/.test(to) && !exists(normalize(join(dirname(path), to))))
        .map((to) => `${path} -> ${to}`),
    )
    expect(broken).toEqual([])
  })

  test('name files and folders that exist', () => {
    const named = /`((?:src|test|drizzle|index-build|\.github|\.ci)\/[\w./-]*\w\/?)`/g
    const absent = [...DOCUMENTS].flatMap(([path, text]) =>
      [...text.matchAll(named)]
        .map(([, name = '']) => name)
        .filter((name) => !exists(name))
        .map((name) => `${path}: ${name}`),
    )
    expect(absent).toEqual([])
  })

  test('tell nobody to fetch by name a package that npm does not have, and say where it comes from', () => {
    const byName = /\bnpm (?:i|install|add|pack)(?: -\S+)* chainkin(?![\w.-])/
    const fetching = [...TEXTS].filter(([, text]) => byName.test(text)).map(([path]) => path)
    expect(fetching).toEqual([])
    const guides = [...TEXTS].filter(
      ([path, text]) =>
        (path.startsWith(PAGES) || /^src\/.*README\.md$/.test(path)) &&
        /npx chainkin|chainkin\/sdk/.test(text),
    )
    const silent = guides.filter(
      ([, text]) => !/#installing|^## Installing|is not on npm yet/m.test(text),
    )
    expect(guides.length).toBeGreaterThan(4)
    expect(silent.map(([path]) => path)).toEqual([])
  })

  test('state one figure for one thing: those of README.md are in the guide that cites the same command', () => {
    const figures = (text: string) => text.match(/\b\d[\d.,]*(?: (?:s|MB)\b|(?= charges))/g) ?? []
    const citing = (text: string, command: string) =>
      text.split(/\n\n|\n- /).filter((block) => block.includes(`\`${command}\``))
    const guides = [...DOCUMENTS].filter(([path]) => path !== 'README.md').map(([, text]) => text)
    const readme = DOCUMENTS.get('README.md') ?? ''
    const commands = new Set(readme.match(/\bbun run (?:bench \w+|build)/g))
    const stated = [...commands].flatMap((command) => {
      const known = guides.flatMap((text) => citing(text, command)).flatMap(figures)
      const given = citing(readme, command).flatMap(figures)
      return given.map((figure) => ({ command, figure, isKnown: known.includes(figure) }))
    })
    expect(stated.length).toBeGreaterThan(3)
    expect(stated.filter(({ isKnown }) => !isKnown)).toEqual([])
  })

  test('say the size of the binary in one place', () => {
    const blocks = [...DOCUMENTS.values()].flatMap((text) => text.split(/\n\n|\n- |\n(?=\|)/))
    const sizes = blocks.filter((block) => block.includes('`bun run build`') && /\d MB/.test(block))
    expect(sizes).toEqual([expect.stringContaining('| size |')])
  })

  test('name scripts and benches that there are; package.json has at most twenty scripts, none longer than a line', () => {
    const { scripts }: { scripts: Record<string, string> } = JSON.parse(textOf('package.json'))
    const unknown = [...DOCUMENTS].flatMap(([path, text]) =>
      [...text.matchAll(/\bbun run ((?:bench|test)[:\w]*|[a-z]+(?=[`\s]))/g)]
        .map(([, name = '']) => name)
        .filter((name) => !(name in scripts))
        .map((name) => `${path}: ${name}`),
    )
    expect(unknown).toEqual([])
    const benches = [...DOCUMENTS].flatMap(([path, text]) =>
      [...text.matchAll(/\bbun run bench ([a-z]\w*)/g)]
        .filter(([, name]) => !exists(`test/bench/${name}.ts`))
        .map(([command]) => `${path}: ${command}`),
    )
    expect(benches).toEqual([])
    const long = Object.entries(scripts).filter(([name, line]) => name.length + line.length > 110)
    expect(long).toEqual([])
    expect(Object.keys(scripts).length).toBeLessThanOrEqual(20)
  })

  test('explain every variable of the environment, and no other, as `serve --help` does', () => {
    const read = [
      ...textOf('src/config.ts').matchAll(
        /\b(?:read|optional|text|url|choice|port|count|networks)(?:<[^>]+>)?\(\s*'([A-Z_]+)'/g,
      ),
    ]
    const documented = [
      ...(TEXTS.get('src/server/commands/README.md') ?? '').matchAll(/`([A-Z][A-Z_]+)`/g),
    ]
    const names = (found: RegExpMatchArray[]) =>
      [...new Set(found.map(([, name = '']) => name))].sort()
    expect(names(read).length).toBeGreaterThan(15)
    expect(names(documented)).toEqual(names(read))
    const helped = [...settingsText().matchAll(/^ {2}([A-Z][A-Z_]+) /gm)]
    expect(names(helped)).toEqual(names(read))
  })

  test('the operator’s guide names every metric and every command', () => {
    const guide = TEXTS.get('src/server/commands/README.md') ?? ''
    const metrics = [
      ...textOf('src/server/metrics/descriptions.ts').matchAll(/'(chainkin_\w+)'/g),
    ].map(([, name = '']) => name)
    expect(metrics.length).toBeGreaterThan(20)
    expect(metrics.filter((name) => !new RegExp(`\`${name}[\`{]`).test(guide))).toEqual([])
    const [, listed = ''] = /```sh\n(bun src\/main\.ts serve[\s\S]*?)```/.exec(guide) ?? []
    const registered = [
      ...textOf('src/server/commands/program.ts').matchAll(/^ {2}register(\w+),$/gm),
    ]
    const commands = registered.map(([, name = '']) =>
      name.replace(/\B[A-Z]/g, '-$&').toLowerCase(),
    )
    expect(commands.length).toBeGreaterThan(20)
    // `record` is company, person and round; `erase` is person's; a worker is started by serve alone.
    const typed = commands.filter((name) => !['records', 'erase', 'worker'].includes(name))
    expect(typed.filter((name) => !new RegExp(`\\b${name} ?`).test(listed))).toEqual([])
  })

  test('README.md is read in one go: at most 150 lines', () => {
    expect(textOf('README.md').split('\n').length - 1).toBeLessThanOrEqual(150)
  })

  test('the way of a call, in src/README.md, enters at most 12 files, each once', () => {
    const [, way = ''] =
      /## The way of a call\n[\s\S]*?```\n([\s\S]*?)```/.exec(textOf('src/README.md')) ?? []
    const files = [...way.matchAll(/(?:src|drizzle)\/[\w./-]+\.(?:ts|sql)/g)].map(([file]) => file)
    expect(files.length).toBeGreaterThan(5)
    expect(files.length).toBeLessThanOrEqual(12)
    expect(new Set(files).size).toBe(files.length)
    expect(files.filter((file) => !exists(file))).toEqual([])
  })
})

function exists(path: string): boolean {
  const name = path.replace(/\/$/, '')
  return (
    FILES.has(name) ||
    FOLDERS.includes(name) ||
    /^\.ci\/(run|long|smoke|binary)$|^LICENSE$/.test(name)
  )
}
