/**
 * What other people's tools make of the OpenAPI document: linters that must find nothing, clients generated
 * from it in TypeScript and Python, and Schemathesis, for SCHEMATHESIS_SECONDS (300); and the documentation's
 * own programs and the examples of the test server, in each language that is installed; and the checks of the Model Context
 * Protocol. `bun run test:clients`;
 * the tools are those of `test/tools` and of `requirements.txt`. The last line is `N passed, N failed`.
 */
import { deepEqual } from 'node:assert/strict'
import { cp, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fixtures, startDirectory } from '../../src/testing/start.ts'
import { PROJECT_ROOT } from '../helpers/command.ts'
import { conformanceSteps } from './conformance.ts'
import { exampleSteps } from './examples.ts'
import { pythonSteps } from './python.ts'
import { counts, runIn, step } from './steps.ts'
import { testServerSteps } from './test-server.ts'

const TOOLS = join(PROJECT_ROOT, 'test/tools')
const ENV = { REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true' }

await using dir = await startDirectory()
// Beside the tools, so that what is generated finds them.
const folder = await mkdtemp(join(TOOLS, 'generated-'))
const run = runIn(folder, ENV)
const tool = (name: string) => join(TOOLS, 'node_modules/.bin', name)

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
    'openapi-typescript and openapi-fetch: compiles, and reads live data of every endpoint, samples and errors',
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
      const accounts = [{ tier: 'pro', credits: 200 }, {}, { tier: 'pro' }] as const
      const keys = await Promise.all(accounts.map(async (kind) => (await dir.account(kind)).key))
      const records = [people.ada, companies.aurora, companies.ember, companies.iris]
      const slugs = records.map(({ slug }) => slug)
      const asked = await run(process.execPath, 'every-endpoint.ts', dir.url, ...keys, ...slugs)
      deepEqual(JSON.parse(asked), Object.keys(JSON.parse(document).paths).sort())
    },
  )

  await exampleSteps()

  await conformanceSteps(dir, run, join(TOOLS, 'node_modules'))

  const environment = join(TOOLS, 'node_modules/.python')
  await pythonSteps(folder, environment)

  await testServerSteps(join(environment, 'bin/python'))
} finally {
  await rm(folder, { recursive: true, force: true })
}

console.log(`${counts.passed} passed, ${counts.failed} failed`)
process.exitCode = counts.failed === 0 ? 0 : 1
