/**
 * What other people's tools make of the OpenAPI document: linters that must find nothing, and a client
 * generated from it that compiles and calls every endpoint. `bun run test:clients`; the tools are those
 * of `test/tools`. The last line is `N passed, N failed`.
 */
import { deepEqual } from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { cp, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { fixtures, startDirectory } from '../../src/testing/start.ts'
import { PROJECT_ROOT } from '../helpers/command.ts'

const TOOLS = join(PROJECT_ROOT, 'test/tools')
const ENV = { ...process.env, REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true' }

await using dir = await startDirectory()
// Beside the tools, so that what is generated finds them.
const folder = await mkdtemp(join(TOOLS, 'generated-'))
let passed = 0
let failed = 0

/** Runs a program in the folder. @throws with all that it said, where it fails. */
async function run(program: string, ...args: string[]): Promise<string> {
  try {
    const { stdout } = await promisify(execFile)(program, args, { cwd: folder, env: ENV })
    return stdout
  } catch (error) {
    const { stdout, stderr, message } = error as Error & { stdout?: string; stderr?: string }
    throw new Error([message, stdout, stderr].join('\n'))
  }
}

const tool = (name: string) => join(TOOLS, 'node_modules/.bin', name)

async function step(name: string, work: () => Promise<void>) {
  try {
    await work()
    passed++
    console.log(`ok   ${name}`)
  } catch (error) {
    failed++
    console.log(`FAIL ${name}\n${error instanceof Error ? error.message : error}`)
  }
}

try {
  const document = await (await fetch(`${dir.appUrl}/openapi.json`)).text()
  await writeFile(join(folder, 'openapi.json'), document)
  await writeFile(join(folder, 'spectral.json'), '{ "extends": ["spectral:oas"] }')

  await step('redocly lint, recommended rules: no errors, no warnings', async () => {
    const report = await run(
      tool('redocly'),
      ...['lint', '--extends=recommended', '--format=json', 'openapi.json'],
    )
    const { totals } = JSON.parse(report.slice(report.indexOf('{')))
    deepEqual({ errors: totals.errors, warnings: totals.warnings }, { errors: 0, warnings: 0 })
  })

  await step('spectral lint, its OpenAPI rules: nothing at all', async () => {
    await run(
      tool('spectral'),
      ...['lint', 'openapi.json', '--ruleset', 'spectral.json', '--fail-severity', 'hint'],
    )
  })

  await step(
    'openapi-typescript and openapi-fetch: compiles, and calls every endpoint',
    async () => {
      await run(tool('openapi-typescript'), 'openapi.json', '--output', 'schema.d.ts')
      await cp(
        join(import.meta.dirname, 'openapi-fetch/every-endpoint.ts'),
        join(folder, 'every-endpoint.ts'),
      )
      await writeFile(
        join(folder, 'tsconfig.json'),
        JSON.stringify({
          extends: join(PROJECT_ROOT, 'tsconfig.json'),
          compilerOptions: { skipLibCheck: false, typeRoots: [join(PROJECT_ROOT, 'node_modules')] },
          files: ['every-endpoint.ts'],
          include: [],
          exclude: [],
        }),
      )
      await run(join(PROJECT_ROOT, 'node_modules/.bin/tsc'), '--project', 'tsconfig.json')
      const { people, companies } = fixtures
      const { key } = await dir.account({ tier: 'pro', credits: 200 })
      const records = [people.ada, companies.aurora, companies.ember, companies.iris]
      const slugs = records.map(({ slug }) => slug)
      const asked = await run(process.execPath, 'every-endpoint.ts', dir.url, key, ...slugs)
      deepEqual(JSON.parse(asked), Object.keys(JSON.parse(document).paths).sort())
    },
  )
} finally {
  await rm(folder, { recursive: true, force: true })
}

console.log(`${passed} passed, ${failed} failed`)
process.exitCode = failed === 0 ? 0 : 1
