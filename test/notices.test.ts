/** The licences of what the binary and the package carry. */
import { beforeAll, expect, test } from 'bun:test'
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import manifest from '../package.json' with { type: 'json' }
import { BUNDLE } from '../src/server/build/bundle.ts'
import { makeNotices } from '../src/server/build/notices.ts'
import { PROJECT_ROOT, run } from './helpers/command.ts'

const RULE = `\n\n${'='.repeat(78)}\n\n`

let notices = ''
/** The text of each package's licence, by its name and version. */
const licences = new Map<string, string>()

beforeAll(async () => {
  notices = await makeNotices()
  for (const section of notices.split(RULE)) {
    const [titles = '', ...text] = section.split('\n\n')
    for (const title of titles.split('\n')) {
      const [, package_ = ''] = /^(\S+ \d\S*) \(/.exec(title) ?? []
      licences.set(package_, text.join('\n\n'))
    }
  }
})

/** Packages of the modules that a readable bundle names, as the bundler writes them above each: nested ones by the innermost. */
async function bundledPackages(): Promise<string[]> {
  const { outputs } = await Bun.build({ ...BUNDLE, minify: false })
  const texts = await Promise.all(
    outputs.filter(({ path }) => path.endsWith('.js')).map((output) => output.text()),
  )
  const modules = texts
    .join('\n')
    .matchAll(/^\/\/ (.*node_modules\/(?:@[^/\n]+\/)?[^/\n]+)\/\S+$/gm)
  const folders = new Set([...modules].map(([, folder = '']) => folder))
  return [...folders].map((folder) => {
    const path = join(PROJECT_ROOT, folder, 'package.json')
    const { name, version } = JSON.parse(readFileSync(path, 'utf8'))
    return `${name} ${version}`
  })
}

test('each package of the bundle is in NOTICES, with a licence', async () => {
  const packages = await bundledPackages()
  expect(packages.length).toBeGreaterThan(40)
  const without = packages.filter(
    (name) => !/licen[cs]e|permission/i.test(licences.get(name) ?? ''),
  )
  expect(without).toEqual([])
})

test('so is each dependency of the package, what is compiled into them, and the runtime', () => {
  const names = [...licences.keys()].map((name) => name.replace(/ .*/, ''))
  expect(names).toEqual(expect.arrayContaining(Object.keys(manifest.dependencies)))
  for (const said of [
    'Portions Copyright (c) 1994, The Regents of the University of California',
    'UNICODE LICENSE V3',
    'Copyright (C) 1998-2012 Daniel Veillard',
    'Bun, the runtime inside the binary',
    'GNU LESSER GENERAL PUBLIC LICENSE',
  ]) {
    expect(notices).toContain(said)
  }
})

test('the package takes the file along, and the command prints it', async () => {
  expect(manifest.files).toContain('NOTICES')
  const file = join(PROJECT_ROOT, 'NOTICES')
  const isMadeHere = !existsSync(file)
  if (isMadeHere) {
    const { code, stderr } = await run(['licenses'])
    expect([code, stderr]).toEqual([1, expect.stringContaining('bun run notices')])
    writeFileSync(file, notices)
  }
  try {
    expect((await run(['licenses'])).stdout).toContain('\ndrizzle-orm ')
  } finally {
    if (isMadeHere) rmSync(file)
  }
})
