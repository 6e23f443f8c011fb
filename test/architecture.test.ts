/** The architecture's rules, read from the imports of `src/` and `index-build/`. */
import { describe, expect, test } from 'bun:test'
import { readdir, readFile } from 'node:fs/promises'
import { join, relative } from 'node:path'
import { PROJECT_ROOT } from './helpers/command.ts'

interface Source {
  /** From the project's root: `src/api/app.ts`. */
  path: string
  text: string
  /** Without comments: rules are about code. */
  code: string
  /** Files from the project's root, or package names. */
  imports: { to: string; typeOnly: boolean }[]
}

const STATIC_IMPORT =
  /(?:^|\n)\s*(?:import|export)\s+(?<type>type\s+)?(?:[^'"]*?\sfrom\s+)?'(?<to>[^']+)'/g
/** `import('…')`, of values and of types. */
const DYNAMIC_IMPORT = /\bimport\(\s*'(?<to>[^']+)'\s*\)/g

async function sourcesOf(folder: string): Promise<Source[]> {
  const files = await readdir(join(PROJECT_ROOT, folder), { recursive: true })
  const paths = files
    .filter((file) => /\.tsx?$/.test(file) && !/^\w+\/(test|dist|node_modules)\//.test(file))
    .sort()
  return Promise.all(
    paths.map(async (file) => {
      const path = join(folder, file)
      const text = await readFile(join(PROJECT_ROOT, path), 'utf8')
      const code = text.replace(/\/\*[\s\S]*?\*\//g, '').replace(/(^|\s)\/\/.*$/gm, '$1')
      const found = [...code.matchAll(STATIC_IMPORT), ...code.matchAll(DYNAMIC_IMPORT)]
      const imports = found.map(({ groups }) => {
        const to = groups?.to ?? ''
        return {
          to: to.startsWith('.') ? relative(PROJECT_ROOT, join(PROJECT_ROOT, path, '..', to)) : to,
          typeOnly: groups?.type !== undefined,
        }
      })
      return { path, text, code, imports }
    }),
  )
}

const SOURCES = [...(await sourcesOf('src')), ...(await sourcesOf('index-build'))]
const importsFrom = (path: string) => SOURCES.find((source) => source.path === path)?.imports ?? []
const filesWhere = (holds: (source: Source) => boolean) =>
  SOURCES.filter(holds).map(({ path }) => path)

/** From the top down; a part of a room may import the ones below it and its own. Parts on one line don't know each other. */
const LAYERS: readonly (readonly string[])[] = [
  ['src/main.ts', 'src/server/build'],
  ['src/server/commands', 'src/embed.ts', 'src/client.ts'],
  ['src/testing'],
  ['src/embed-testing.ts'],
  ['src/server/service'],
  ['src/server/metrics'],
  ['src/console/routes.ts', 'src/site/site.ts'],
  ['src/console/pages', 'src/site/routes.ts', 'src/site/aliases.ts', 'src/site/crawlers.ts'],
  ['src/console/ui', 'src/site/pages'],
  ['src/site/docs'],
  ['src/site/frame', 'src/site/profiles'],
  ['src/site/ui'],
  ['src/site/http'],
  ['src/site/client', 'src/site/styles'],
  ['src/api', 'src/console/acts'],
  ['src/people/privacy', 'src/people/contacts', 'src/mcp'],
  ['src/people/users', 'src/server/demo', 'src/intake/editing', 'src/intake/export'],
  ['src/intake/import', 'src/money/payments'],
  ['src/money/accounts'],
  ['src/money/charge', 'src/directory/pictures'],
  ['src/directory/records', 'src/directory/email-address.ts'],
  ['src/directory/search', 'src/database'],
  ['src/contract', 'src/directory/addressee.ts', 'index-build', 'src/sdk'],
  ['src/log.ts'],
  ['src/config.ts', 'src/client-address.ts', 'src/text-modules.d.ts'],
  [
    'src/commit.ts',
    'src/config-parsers.ts',
    'src/csv.ts',
    'src/database-url.ts',
    'src/duration.ts',
    'src/gzip.ts',
    'src/mutex.ts',
    'src/once.ts',
    'src/runtime.ts',
    'src/start-errors.ts',
  ],
]

function layerOf(path: string): { depth: number; name: string } | undefined {
  for (const [depth, names] of LAYERS.entries()) {
    const name = names.find((each) => path === each || path.startsWith(`${each}/`))
    if (name) return { depth, name }
  }
  return undefined
}

/** Imports that go up, or sideways to another room on the same line; types count too. */
function wrongWay(): string[] {
  return SOURCES.flatMap(({ path, imports }) =>
    imports.flatMap(({ to }) => {
      if (!to.startsWith('src/') && !to.startsWith('index-build/')) return []
      const from = layerOf(path)
      const target = layerOf(to)
      const allowed = from && target && (target.depth > from.depth || target.name === from.name)
      return allowed ? [] : [`${path} -> ${to}`]
    }),
  )
}

describe('architecture', () => {
  test('the rules look at real files: every source belongs to a layer, and imports are found', () => {
    expect(SOURCES.length).toBeGreaterThan(50)
    const outside = filesWhere(({ path }) => !layerOf(path))
    expect(outside).toEqual([])
    expect(importsFrom('src/server/commands/program.ts').map(({ to }) => to)).toContain(
      'src/server/commands/serve.ts',
    )
    // Imported while the command runs, by `import('…')`.
    const ofServe = importsFrom('src/server/commands/serve.ts').map(({ to }) => to)
    expect(ofServe).toContain('src/server/service/serving.ts')
  })

  test('only src/runtime.ts names Bun or Deno, and what builds the binary, its licences and the scripts', () => {
    const naming = filesWhere(({ code }) =>
      /\b(Bun|Deno)\b\s*[.[]|['"]bun(:[a-z]+)?['"]/.test(code),
    )
    const building = ['binary', 'bundle', 'notices', 'scripts', 'testing'].map(
      (name) => `src/server/build/${name}.ts`,
    )
    // In Node the kit starts the service's process, which needs Bun.
    expect(naming).toEqual(['src/runtime.ts', ...building, 'src/testing/node/start.ts'])
  })

  test('only the API, the site’s frame and the kit’s control import elysia; the types for clients take its type', () => {
    const importing = filesWhere(({ path, imports }) =>
      imports.some(
        ({ to, typeOnly }) =>
          (to === 'elysia' || to.startsWith('@elysiajs/')) &&
          !(typeOnly && path === 'src/client.ts'),
      ),
    )
    expect(
      importing.filter((path) => !/^src\/(api|site\/frame|testing\/control)\//.test(path)),
    ).toEqual([])
    expect(importing.length).toBeGreaterThan(0)
  })

  test('only the site and the console know JSX', () => {
    const knowing = filesWhere(
      ({ path, text, imports }) =>
        path.endsWith('.tsx') ||
        text.includes('@jsxImportSource') ||
        imports.some(({ to }) => /^hono(\/(?!utils\/cookie$)|$)/.test(to)),
    )
    expect(knowing.filter((path) => !/^src\/(site|console)\//.test(path))).toEqual([])
    expect(knowing.length).toBeGreaterThan(20)
  })

  test('pages hold no markup that escapes nobody: text is escaped where it is put in', () => {
    const raw =
      /dangerouslySetInnerHTML|\braw\(|\bhtml`|HtmlEscapedCallback|Object\.assign\(new String/
    const pages = SOURCES.filter(({ path }) => /^src\/(site|console)\//.test(path))
    expect(pages.filter(({ path }) => path.endsWith('.tsx')).length).toBeGreaterThan(20)
    expect(pages.filter(({ code }) => raw.test(code)).map(({ path }) => path)).toEqual([
      'src/site/http/html.ts',
    ])
  })

  test('no component is asynchronous: what a page shows is read before it is rendered', () => {
    // A promise of the database that fails beside a component that throws is nobody's, and would end the process.
    const waits = /async function [A-Z]|const [A-Z]\w* = async\b/
    expect(filesWhere(({ code }) => waits.test(code))).toEqual([])
  })

  test('imports go one way, types included: a room knows only the rooms below it', () => {
    expect(wrongWay()).toEqual([])
  })

  test('the site doesn’t know the console: the service gives it the console’s routes', () => {
    const knowing = SOURCES.filter(({ path }) => path.startsWith('src/site/')).flatMap(
      ({ path, imports }) =>
        imports
          .filter(({ to }) => to.startsWith('src/console/'))
          .map(({ to }) => `${path} -> ${to}`),
    )
    expect(knowing).toEqual([])
  })

  test('the contract imports only itself and packages', () => {
    const outside = SOURCES.filter(({ path }) => path.startsWith('src/contract/')).flatMap(
      ({ path, imports }) =>
        imports
          .filter(({ to }) => /^(src|index-build)\//.test(to) && !to.startsWith('src/contract/'))
          .map(({ to }) => `${path} -> ${to}`),
    )
    expect(outside).toEqual([])
  })

  test('packages import each other’s public surface only, the contract, and named files of the service', () => {
    const surfaces: Readonly<Record<string, RegExp>> = {
      'src/sdk/': /^src\/sdk\//,
      'src/mcp/': /^src\/(mcp|contract)\/|^src\/sdk\/chainkin\.ts$|^src\/(runtime|log)\.ts$/,
      'src/testing/':
        /^src\/(testing|contract)\/|^src\/(embed-testing|duration)\.ts$|^src\/once\.ts$|^src\/database\/(engine|image|memory)\.ts$/,
    }
    const outside = Object.entries(surfaces).flatMap(([room, surface]) =>
      SOURCES.filter(({ path }) => path.startsWith(room)).flatMap(({ path, imports }) =>
        imports
          // The client has no dependencies.
          .filter(({ to }) => room === 'src/sdk/' || /^(src|index-build)\//.test(to))
          .filter(({ to }) => !surface.test(to))
          .map(({ to }) => `${path} -> ${to}`),
      ),
    )
    expect(outside).toEqual([])
    // Only the start ahead of a test server takes files of the database: it begins before the service is loaded.
    const early = SOURCES.filter(
      ({ path, imports }) =>
        path.startsWith('src/testing/') && imports.some(({ to }) => to.startsWith('src/database/')),
    )
    expect(early.map(({ path }) => path)).toEqual(['src/testing/prepared.ts'])
  })

  test('no file imports itself by way of others', () => {
    const done = new Set<string>()
    const circles: string[] = []
    const follow = (path: string, way: readonly string[]) => {
      if (way.includes(path)) {
        circles.push([...way.slice(way.indexOf(path)), path].join(' -> '))
        return
      }
      if (done.has(path)) return
      for (const { to } of importsFrom(path)) follow(to, [...way, path])
      done.add(path)
    }
    for (const { path } of SOURCES) follow(path, [])
    expect(circles).toEqual([])
  })

  test('private channels are read by the meter, for accounts that have unlocked them, by the operator’s export and answer, compared for privacy requests, written by the import, and named nowhere else', () => {
    const naming = filesWhere(({ code }) =>
      /private_?channels\b/i.test(code.replace(/PrivateChannels\b/g, '')),
    )
    const allowed =
      /^src\/database\/tables\/|^src\/intake\/import\/|^src\/intake\/export\/selection\.ts$|^src\/money\/accounts\/unlocks\.ts$|^src\/intake\/editing\/data-subject\.ts$|^src\/people\/privacy\/candidates\.ts$/
    expect(naming.filter((path) => !allowed.test(path))).toEqual([])
    expect(naming).toContain('src/database/tables/directory.ts')
  })

  test('SQL has one rule: the builder for rows of tables, the driver’s template for the rest, never both', () => {
    const builds = /\bdb\s*\.(select|insert|update|delete)\b|\bpgTable\(|\bcustomType</
    const both = /\{ (db, sql|sql, db)\b/
    const drizzleSql = /import \{[^}]*\bsql\b[^}]*\} from 'drizzle-orm'/
    const breaking = SOURCES.filter(({ path }) => path !== 'src/database/client.ts')
      .filter(
        ({ code }) =>
          /\.execute\(\s*sql|\bdb\.execute\b/.test(code) ||
          both.test(code) ||
          (drizzleSql.test(code) && !builds.test(code)),
      )
      .map(({ path }) => path)
    expect(breaking).toEqual([])
    const building = filesWhere(({ code }) => builds.test(code))
    expect(building.length).toBeGreaterThan(10)
  })

  test('no two files differ in their ending alone: the package has one declaration for both', () => {
    const stems = SOURCES.map(({ path }) => path.replace(/(\.d)?\.tsx?$/, ''))
    expect(stems.filter((stem, index) => stems.indexOf(stem) !== index)).toEqual([])
  })

  test('relative imports name their file with its ending', () => {
    const without = SOURCES.flatMap(({ path, imports }) =>
      imports
        .filter(({ to }) => /^(src|index-build)\//.test(to) && !/\.[a-z0-9]+$/.test(to))
        .map(({ to }) => `${path} -> ${to}`),
    )
    expect(without).toEqual([])
  })
})
