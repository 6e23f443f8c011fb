/**
 * What other people's tools make of the OpenAPI document: linters that must find nothing, clients and models generated
 * from it in TypeScript and Python, an import by Postman, and Schemathesis, for SCHEMATHESIS_SECONDS (300); and the documentation's
 * own programs and the examples of the test server, in each language that is installed; and the checks of the Model Context
 * Protocol. `bun run test:clients`;
 * the tools are those of `test/tools` and of `requirements.txt`. The last line is `N passed, N failed`.
 */
import { deepEqual } from 'node:assert/strict'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { startDirectory } from '../../src/testing/start.ts'
import { PROJECT_ROOT } from '../helpers/command.ts'
import { conformanceSteps } from './conformance.ts'
import { exampleSteps } from './examples.ts'
import { postmanSteps } from './postman.ts'
import { pythonSteps } from './python.ts'
import { counts, runIn, step } from './steps.ts'
import { testServerSteps } from './test-server.ts'
import { typescriptSteps } from './typescript.ts'

/** The document's versions. */
const DOCUMENTS = ['openapi.json', 'openapi-3.1.json']
const TOOLS = join(PROJECT_ROOT, 'test/tools')
const ENV = { REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true' }

await using dir = await startDirectory()
// Beside the tools, so that what is generated finds them.
const folder = await mkdtemp(join(TOOLS, 'generated-'))
const run = runIn(folder, ENV)
const tool = (name: string) => join(TOOLS, 'node_modules/.bin', name)

try {
  for (const name of DOCUMENTS) {
    await writeFile(join(folder, name), await (await fetch(`${dir.appUrl}/${name}`)).text())
  }
  await writeFile(join(folder, 'spectral.json'), '{ "extends": ["spectral:oas"] }')
  for (const name of DOCUMENTS) await lintSteps(name)

  await typescriptSteps(dir, { folder, run, tool })

  await postmanSteps(folder, run, tool)

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

async function lintSteps(document: string) {
  await step(`redocly lint of ${document}, recommended rules: no errors, no warnings`, async () => {
    const report = await run(
      tool('redocly'),
      ...['lint', '--extends=recommended', '--format=json', document],
    )
    const { totals } = JSON.parse(report.slice(report.indexOf('{')))
    deepEqual({ errors: totals.errors, warnings: totals.warnings }, { errors: 0, warnings: 0 })
  })
  await step(`spectral lint of ${document}, its OpenAPI rules: nothing at all`, async () => {
    await run(
      tool('spectral'),
      ...['lint', document, '--ruleset', 'spectral.json', '--fail-severity', 'hint'],
    )
  })
}
