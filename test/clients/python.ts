/** What Python's tools make of the OpenAPI document: Schemathesis, a generated client, and generated models. */
import { access, cp } from 'node:fs/promises'
import { join } from 'node:path'
import { type AccountOptions, fixtures, startDirectory } from '../../src/testing/start.ts'
import { type Run, runIn, skip, step } from './steps.ts'

const REQUIREMENTS = join(import.meta.dirname, 'requirements.txt')
/** The tools need this version. */
const MINOR = 10
/** How long Schemathesis tries. */
const SECONDS = Number(process.env.SCHEMATHESIS_SECONDS ?? 300)

const NAMES = [
  `schemathesis, all checks, ${SECONDS} s over accounts in turn: no failures`,
  'openapi-python-client: reads live data, samples and errors of every endpoint by its types',
  'datamodel-code-generator: its models of Pydantic hold live data of every endpoint, samples and errors',
] as const

/** @param folder where both documents are and files may be written. @param home where the environment is kept. */
export async function pythonSteps(folder: string, home: string): Promise<void> {
  const python = await findPython(runIn(folder, {}))
  if (!python) {
    for (const name of NAMES) skip(name, `needs Python 3.${MINOR} or newer with venv and pip`)
    return
  }
  const bin = join(home, 'bin')
  await step('the tools of Python: installed, in an environment of their own', async () => {
    const run = runIn(folder, { PIP_DISABLE_PIP_VERSION_CHECK: '1' })
    await access(bin).catch(() => run(python, '-m', 'venv', home))
    await run(join(bin, 'python'), '-m', 'pip', 'install', '--quiet', '-r', REQUIREMENTS)
  })
  await step(NAMES[0], () => testBySchemathesis(folder, bin))
  await step(NAMES[1], async () => {
    await runIn(folder, {})(
      join(bin, 'openapi-python-client'),
      ...['generate', '--path', 'openapi.json', '--meta', 'none', '--overwrite'],
      ...['--output-path', 'directory_client'],
    )
    await runProgram(folder, bin, 'every_answer.py')
  })
  await step(NAMES[2], async () => {
    await runIn(folder, {})(
      join(bin, 'datamodel-codegen'),
      ...['--input', 'openapi-3.1.json', '--input-file-type', 'openapi'],
      ...['--output', 'directory_models.py', '--output-model-type', 'pydantic_v2.BaseModel'],
      ...['--formatters', 'builtin'],
    )
    await runProgram(folder, bin, 'every_model.py')
  })
}

async function findPython(run: Run): Promise<string | undefined> {
  const isEnough = `import sys, venv, ensurepip; sys.exit(sys.version_info < (3, ${MINOR}))`
  for (const name of ['python3', 'python']) {
    const found = await run(name, '-c', isEnough).catch(() => undefined)
    if (found !== undefined) return name
  }
  return undefined
}

/** Accounts of each kind: rich ones, samples, an empty balance, no ceiling, and what runs out on the way. */
const KINDS: readonly AccountOptions[] = [
  { tier: 'team', credits: 1_000_000 },
  { tier: 'free' },
  { tier: 'team', credits: 1_000_000 },
  { tier: 'enterprise' },
  { tier: 'pro', credits: 1_000 },
  { tier: 'pro' },
]
const ACCOUNTS = 60

async function testBySchemathesis(folder: string, bin: string): Promise<void> {
  await using dir = await startDirectory({ environment: { TRUSTED_PROXIES: '127.0.0.1' } })
  const keys: string[] = []
  for (let n = 0; n < ACCOUNTS; n++) keys.push((await dir.account(KINDS[n % KINDS.length])).key)
  await cp(join(import.meta.dirname, 'schemathesis'), folder, { recursive: true })
  const run = runIn(folder, { API_KEYS: keys.join(), SCHEMATHESIS_HOOKS: 'hooks' })
  const report = await run(
    join(bin, 'schemathesis'),
    ...[
      '--config-file',
      'schemathesis.toml',
      'run',
      `${dir.appUrl}/openapi.json`,
      '--url',
      dir.url,
    ],
    ...['--checks', 'all', '--max-time', String(SECONDS), '--workers', '2', '--no-color'],
  )
  const [cases] = /\d+ generated.*/.exec(report) ?? ['']
  console.log(`     ${cases}`)
}

/** Runs a program of the folder `python`, beside what was generated. */
async function runProgram(folder: string, bin: string, program: string): Promise<void> {
  await using dir = await startDirectory()
  await cp(join(import.meta.dirname, 'python', program), join(folder, program))
  const { people, companies } = fixtures
  const kinds: AccountOptions[] = [{ tier: 'pro', credits: 200 }, {}, { tier: 'pro' }]
  const accounts = await Promise.all(kinds.map((kind) => dir.account(kind)))
  const records = [people.ada, companies.aurora, companies.ember, companies.iris]
  const args = [...accounts.map(({ key }) => key), ...records.map(({ slug }) => slug)]
  await runIn(folder, {})(join(bin, 'python'), program, dir.url, ...args)
}
