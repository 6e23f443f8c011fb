/**
 * `bun run notices`: makes `NOTICES`, the licences of what the binary and the package carry. Packages are those that the bundle has,
 * with the licences that they bring; what is compiled into them or into Bun brings none, so its licences are kept in `licences/`.
 */
import { readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import manifest from '../../../package.json' with { type: 'json' }
import { BUNDLE, ROOT } from './bundle.ts'

const MODULES = join(ROOT, 'node_modules')
const LICENCES = join(ROOT, 'src/server/build/licences')
const PGLITE = join(MODULES, '@electric-sql/pglite')

/** Texts for packages that name a licence and bring no file of it, by the package's name or by the licence's. */
const TEXTS: Readonly<Record<string, () => Promise<string>>> = {
  saxes: () => readFile(join(LICENCES, 'saxes.txt'), 'utf8'),
  'Apache-2.0': () => readFile(join(PGLITE, 'LICENSE'), 'utf8'),
  Unlicense: async () =>
    'This is free and unencumbered software released into the public domain: unlicense.org',
}

interface Package {
  name: string
  version: string
  license: string
  author?: string | { name?: string }
}

/** Folders of packages that a bundle has files of, from the innermost `node_modules` of each. */
async function bundledFolders(): Promise<string[]> {
  const { metafile } = await Bun.build({ ...BUNDLE, metafile: true })
  const folders = Object.keys(metafile?.inputs ?? {}).flatMap(
    (input) => /^.*node_modules\/(?:@[^/]+\/)?[^/]+/.exec(input)?.[0] ?? [],
  )
  return [...new Set(folders)].map((folder) => join(ROOT, folder)).sort()
}

/** @throws where a package says nothing that can be printed: then somebody has to look */
async function licenceOf(folder: string): Promise<{ title: string; text: string }> {
  const { name, version, license, author }: Package = JSON.parse(
    await readFile(join(folder, 'package.json'), 'utf8'),
  )
  const title = `${name} ${version} (${license})`
  const files = (await readdir(folder)).filter((file) =>
    /^(licen[cs]e|notice|copying)\b/i.test(file),
  )
  const texts = await Promise.all(files.sort().map((file) => readFile(join(folder, file), 'utf8')))
  if (texts.length > 0) return { title, text: texts.map((text) => text.trim()).join('\n\n') }
  const text = await (TEXTS[name] ?? TEXTS[license])?.()
  if (text === undefined)
    throw new Error(`${title} brings no licence: src/server/build/notices.ts has none`)
  return {
    title: `${title}, by ${typeof author === 'object' ? author.name : author}`,
    text: text.trim(),
  }
}

/** The licence that PGlite's data holds, of ICU. */
async function icuLicence(): Promise<string> {
  const script = await readFile(join(PGLITE, 'dist/pglite.js'), 'utf8')
  const [, start, end] = /filename:"[^"]*\/icu\/LICENSE",start:(\d+),end:(\d+)/.exec(script) ?? []
  if (!start || !end) throw new Error("PGlite's data has no licence of ICU any more")
  const data = await readFile(join(PGLITE, 'dist/pglite.data'))
  return data.toString('utf8', Number(start), Number(end)).trim()
}

export async function makeNotices(): Promise<string> {
  const licences = await Promise.all((await bundledFolders()).map(licenceOf))
  const byText = Map.groupBy(licences, ({ text }) => text)
  const packages = [...byText].map(([text, same]) =>
    [...same.map(({ title }) => title), '', text].join('\n'),
  )
  const [compiled, lgpl] = await Promise.all(
    ['compiled.txt', 'lgpl-2.1.txt'].map((file) => readFile(join(LICENCES, file), 'utf8')),
  )
  const sections = [
    `${manifest.name} ${manifest.version} is under the MIT License, in the file LICENSE of its sources. Its binary and its package carry the works below.`,
    ...packages,
    compiled,
    `ICU, compiled into PGlite and Bun\n\n${await icuLicence()}`,
    lgpl,
  ]
  return `${sections.map((section) => section?.trim()).join(`\n\n${'='.repeat(78)}\n\n`)}\n`
}

/** Writes the file. @returns its text */
export async function writeNotices(): Promise<string> {
  const text = await makeNotices()
  await writeFile(join(ROOT, 'NOTICES'), text)
  return text
}

if (import.meta.main) {
  const text = await writeNotices()
  console.log(`NOTICES: ${text.length} characters`)
}
