/**
 * The packages as others get them: packed, checked by publint and arethetypeswrong, installed by npm in this example, which has nothing
 * else of the repository. There the command answers, the types hold and the example's tests run, under Bun and by three runners under
 * Node. `bun run test:package`; the last line is `N passed, N failed`.
 */
import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import {
  cp,
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  rename,
  rm,
  stat,
  writeFile,
} from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { promisify } from 'node:util'
import { gzipSync } from 'node:zlib'
import { COMMIT } from '../../src/commit.ts'
import { DENO, PROJECT_ROOT } from '../helpers/command.ts'

const FILES = ['package.json', 'tsconfig.json', 'src', 'test', 'sdk', 'runners']
/** Packages by the folders that they are packed in. */
const PACKAGES = { chainkin: '.', sdk: 'src/sdk', testing: 'src/testing' }
const TOOLS = join(PROJECT_ROOT, 'test/tools/node_modules')

const project = await mkdtemp(join(tmpdir(), 'chainkin-example-'))
/** A project that takes the client alone. */
const alone = join(project, 'alone')
await mkdir(alone)
// Nothing that is installed here may help there, and no Bun of this machine.
const path = (process.env.PATH ?? '')
  .split(delimiter)
  .filter((folder) => !folder.includes('node_modules') && !existsSync(join(folder, 'bun')))
  .join(delimiter)

let passed = 0
let failed = 0

async function run(cwd: string, program: string, ...args: string[]): Promise<string> {
  try {
    const env = { ...process.env, PATH: path, NO_COLOR: '1' }
    const { stdout, stderr } = await promisify(execFile)(program, args, { cwd, env })
    return stdout + stderr
  } catch (error) {
    const { stdout, stderr, message } = error as Error & { stdout?: string; stderr?: string }
    throw new Error([message, stdout, stderr].join('\n'))
  }
}

/** How much a program that takes the client alone loads. */
async function sizeOf(folder: string): Promise<string> {
  const names = await readdir(folder, { recursive: true })
  const scripts = names.filter((name) => name.endsWith('.js'))
  const texts = await Promise.all(scripts.map((name) => readFile(join(folder, name))))
  const bytes = Buffer.concat(texts)
  const kilobytes = (length: number) => (length / 1_000).toFixed(1)
  return `${kilobytes(bytes.length)} KB, ${kilobytes(gzipSync(bytes).length)} KB by gzip`
}

/** Of all its files, with those of its folders. */
async function kilobytesIn(folder: string): Promise<number> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true })
  const files = entries.filter((entry) => entry.isFile())
  const sizes = await Promise.all(files.map((file) => stat(join(file.parentPath, file.name))))
  return Math.round(sizes.reduce((sum, { size }) => sum + size, 0) / 1_000)
}

async function step(name: string, work: () => Promise<string>) {
  try {
    const said = await work()
    passed++
    console.log(`ok   ${name}${said ? `: ${said}` : ''}`)
  } catch (error) {
    failed++
    console.log(`FAIL ${name}\n${error instanceof Error ? error.message : error}`)
  }
}

try {
  for (const [name, folder] of Object.entries(PACKAGES)) {
    await step(`npm pack in ${folder}`, async () => {
      const options = ['pack', '--json', '--pack-destination', project]
      const packed = await run(join(PROJECT_ROOT, folder), 'npm', ...options)
      const [{ filename, size, entryCount }] = JSON.parse(
        packed.slice(packed.search(/^\[/m), packed.lastIndexOf(']') + 1),
      )
      await rename(join(project, filename), join(project, `${name}.tgz`))
      return `${entryCount} files, ${size} bytes`
    })
    await step(`publint of ${name}`, async () => {
      const said = await run(project, join(TOOLS, '.bin/publint'), `${name}.tgz`, '--strict')
      if (!said.includes('All good!')) throw new Error(said)
      return ''
    })
  }
  await step('arethetypeswrong of sdk', async () => {
    await run(project, join(TOOLS, '.bin/attw'), 'sdk.tgz', '--profile', 'esm-only')
    return ''
  })
  for (const file of FILES) {
    await cp(join(import.meta.dirname, file), join(project, file), { recursive: true })
  }
  await step('npm install in a project of its own', async () => {
    await run(project, 'npm', 'install', '--no-audit', '--no-fund')
    return ''
  })
  await step('npx chainkin --help', async () => {
    const help = await run(project, 'npx', 'chainkin', '--help')
    if (!help.includes('Usage: chainkin')) throw new Error(help)
    return ''
  })
  await step('npx chainkin licenses', async () => {
    const notices = await run(project, 'npx', 'chainkin', 'licenses')
    if (!/^drizzle-orm /m.test(notices)) throw new Error(notices)
    return `${notices.length} characters`
  })
  await step('npm install --global in a prefix of its own: the command finds its Bun', async () => {
    const prefix = join(project, 'global')
    await run(project, 'npm', 'install', '--global', '--prefix', prefix, './chainkin.tgz')
    const version = (await run(alone, join(prefix, 'bin/chainkin'), '--version')).trim()
    if (COMMIT && !version.includes(COMMIT)) throw new Error(version)
    return version
  })
  await step('chainkin/sdk in Node', async () => {
    const said = await run(project, 'node', 'sdk/first-call.mjs')
    if (!said.includes('["Aurora",5,95,["https://api.example/v1/projects/aurora"]]'))
      throw new Error(said)
    return sizeOf(join(project, 'node_modules/chainkin/src/sdk/dist'))
  })
  /** Copies a program that takes the client from the whole package, for one that has the client alone. */
  const copyAlone = async (file: string, to: string) => {
    const text = await readFile(join(project, file), 'utf8')
    await writeFile(join(alone, to), text.replace("'chainkin/sdk'", "'@chainkin/sdk'"))
  }
  await step('@chainkin/sdk by itself', async () => {
    // Else npm installs into the folder around it.
    await writeFile(join(alone, 'package.json'), '{"type": "module"}\n')
    await copyAlone('sdk/first-call.mjs', 'first-call.mjs')
    // It needs no other package.
    await run(alone, 'npm', 'install', '--offline', '--no-audit', '--no-fund', '../sdk.tgz')
    for (const file of ['LICENSE', 'README.md']) {
      await stat(join(alone, 'node_modules/@chainkin/sdk', file))
    }
    const deno = [DENO, 'run'] as const
    for (const [runtime, ...args] of [['node'], [process.execPath], deno] as const) {
      const said = await run(alone, runtime, ...args, 'first-call.mjs')
      if (!said.includes('["Aurora",5,95')) throw new Error(said)
    }
    const size = await kilobytesIn(join(alone, 'node_modules'))
    return `${size} KB instead of ${await kilobytesIn(join(project, 'node_modules'))} KB`
  })
  for (const resolution of ['node16', 'bundler']) {
    await step(
      `types of chainkin/sdk under TypeScript 5.4, resolved as ${resolution}`,
      async () => {
        const tsc = join(TOOLS, 'typescript-5.4/bin/tsc')
        const module = resolution === 'bundler' ? 'esnext' : 'node16'
        const options = `--noEmit --strict --target es2022 --lib es2022,dom --types --module ${module}`
        const args = [tsc, ...options.split(' '), '--moduleResolution', resolution]
        await copyAlone('sdk/types.ts', 'types.ts')
        const readme = await readFile(join(alone, 'node_modules/@chainkin/sdk/README.md'), 'utf8')
        const [, program] = /```ts\n(.*?)```/s.exec(readme) ?? []
        const node = 'declare const process: { env: Record<string, string | undefined> }'
        await writeFile(join(alone, 'readme.ts'), `${node}\n${program}`)
        await run(alone, 'node', ...args, 'types.ts', 'readme.ts')
        return run(project, 'node', ...args, 'sdk/types.ts')
      },
    )
  }
  // Without any other package's types, and each declaration checked. `chainkin/client` is Elysia's type by purpose.
  await step(
    'types of chainkin, /testing and /sdk by themselves, without skipLibCheck',
    async () => {
      const entries = ['chainkin', 'chainkin/testing', 'chainkin/sdk']
      const file = join(project, 'entries.ts')
      const lines = entries.map((entry, index) => `export * as e${index} from '${entry}'`)
      await writeFile(file, lines.join('\n'))
      const tsc = join(project, 'node_modules/.bin/tsc')
      const options = '--ignoreConfig --noEmit --strict --skipLibCheck false --target esnext'
      const places = '--module esnext --moduleResolution bundler --lib esnext,dom --types'
      return run(project, tsc, ...options.split(' '), ...places.split(' '), '', file)
    },
  )
  await step("the example's types", async () => {
    await run(project, 'npm', 'run', 'check')
    return ''
  })
  await step("the example's tests", async () => {
    const said = await run(project, 'npm', 'test')
    return /(\d+) pass\b/.exec(said)?.[0] ?? ''
  })
  const runners = {
    'node:test': ['--test', 'runners/node.test.mjs'],
    vitest: ['node_modules/vitest/vitest.mjs', 'run', 'runners/vitest.test.mjs'],
    jest: [
      ...['--experimental-vm-modules', 'node_modules/jest/bin/jest.js'],
      ...['--testMatch', '**/runners/jest.test.mjs'],
    ],
  }
  for (const [runner, args] of Object.entries(runners)) {
    await step(`the kit by ${runner} under Node`, () =>
      run(project, 'node', ...args).then(() => ''),
    )
  }
  await step('@chainkin/testing, beside the package', async () => {
    await run(project, 'npm', 'install', '--no-audit', '--no-fund', './testing.tgz')
    const text = await readFile(join(project, 'runners/kit.mjs'), 'utf8')
    const changed = text.replace("'chainkin/testing'", "'@chainkin/testing'")
    await writeFile(join(project, 'runners/kit.mjs'), changed)
    return run(project, 'node', ...runners['node:test']).then(() => '')
  })
} finally {
  await rm(project, { recursive: true, force: true })
}

console.log(`${passed} passed, ${failed} failed`)
process.exitCode = failed === 0 ? 0 : 1
