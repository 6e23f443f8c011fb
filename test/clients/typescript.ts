/**
 * What generators of TypeScript make of the OpenAPI document: each writes a client, which is compiled with a program that
 * reads live data of every endpoint, samples and errors by its types, and run.
 */
import { deepEqual } from 'node:assert/strict'
import { cp, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fixtures, type TestDirectory } from '../../src/testing/start.ts'
import { PROJECT_ROOT } from '../helpers/command.ts'
import { type Run, step } from './steps.ts'

const HEY_API = `export default {
  input: './openapi-3.1.json',
  output: './hey-api',
  plugins: ['@hey-api/client-fetch', 'zod', { name: '@hey-api/sdk', validator: true }],
}`
const ORVAL = `const input = './openapi.json'
export default {
  api: { input, output: { client: 'fetch', target: './api.ts', baseUrl: { getBaseUrlFromSpecification: true } } },
  zod: { input, output: { client: 'zod', target: './zod.ts' } },
}`

interface Generator {
  /** The folder of the program that uses the client. */
  name: string
  /** The tool that writes the client, with its arguments. */
  command: readonly [tool: string, ...args: string[]]
  /** A file that the tool reads. */
  settings?: readonly [file: string, text: string]
  /** Where the tool's own code is written for less than the project's. */
  compilerOptions?: Readonly<Record<string, boolean>>
}

const GENERATORS: readonly Generator[] = [
  {
    name: 'openapi-fetch',
    command: ['openapi-typescript', 'openapi.json', '--output', 'schema.d.ts'],
  },
  {
    name: 'hey-api',
    command: ['openapi-ts', '--file', 'hey-api.config.mjs'],
    settings: ['hey-api.config.mjs', HEY_API],
    compilerOptions: { exactOptionalPropertyTypes: false },
  },
  {
    name: 'orval',
    command: ['orval', '--config', 'orval.config.mjs'],
    settings: ['orval.config.mjs', ORVAL],
    compilerOptions: { exactOptionalPropertyTypes: false },
  },
]

/** @param folder where both documents are, and what is generated finds its libraries. @param tool where a tool is */
export async function typescriptSteps(
  dir: TestDirectory,
  { folder, run, tool }: { folder: string; run: Run; tool: (name: string) => string },
) {
  for (const { name, command, settings, compilerOptions } of GENERATORS) {
    const [generator, ...args] = command
    const title = `${generator}: compiles, and reads live data of every endpoint, samples and errors`
    await step(title, async () => {
      if (settings) await writeFile(join(folder, settings[0]), settings[1])
      await run(tool(generator), ...args)
      const program = `${name}.every-endpoint.ts`
      await cp(join(import.meta.dirname, name, 'every-endpoint.ts'), join(folder, program))
      await compile(folder, run, program, compilerOptions)
      const { people, companies } = fixtures
      const accounts = [{ tier: 'pro', credits: 200 }, {}, { tier: 'pro' }] as const
      const keys = await Promise.all(accounts.map(async (kind) => (await dir.account(kind)).key))
      const records = [people.ada, companies.aurora, companies.ember, companies.iris]
      const slugs = records.map(({ slug }) => slug)
      const paths = await run(process.execPath, program, dir.url, ...keys, ...slugs)
      const { paths: documented } = await (await fetch(`${dir.appUrl}/openapi.json`)).json()
      deepEqual(JSON.parse(paths), Object.keys(documented).sort())
    })
  }
}

async function compile(
  folder: string,
  run: Run,
  program: string,
  options: Generator['compilerOptions'],
) {
  const typeRoots = [join(PROJECT_ROOT, 'node_modules')]
  const config = {
    extends: join(PROJECT_ROOT, 'tsconfig.json'),
    compilerOptions: { skipLibCheck: false, typeRoots, ...options },
    files: [program],
    include: [],
    exclude: [],
  }
  await writeFile(join(folder, 'tsconfig.json'), JSON.stringify(config))
  await run(join(PROJECT_ROOT, 'node_modules/.bin/tsc'), '--project', 'tsconfig.json')
}
