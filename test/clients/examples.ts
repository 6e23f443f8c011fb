/**
 * The documentation's programs, as its pages have them: each is run in its language and must print what the API answers,
 * live and as a sample, and say what is wrong with a key. By itself: `bun test/clients/examples.ts`.
 */
import { deepEqual, equal, match, rejects } from 'node:assert/strict'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { ENDPOINTS } from '../../src/contract/endpoints.ts'
import { startDirectory, type TestDirectory } from '../../src/testing/start.ts'
import { counts, type Run, runIn, skip, step } from './steps.ts'

interface Runner {
  /** The language as Markdown names it. */
  tag: string
  /** The file for a program in it. */
  file: string
  /** What must be installed, and the arguments that make it say so. */
  program: string
  version: string
  /** Runs a file in the folder. */
  run(run: Run, file: string): Promise<string>
}

const RUNNERS: Readonly<Record<string, Runner>> = {
  curl: {
    tag: 'sh',
    file: 'example.sh',
    program: 'curl',
    version: '--version',
    run: (run, file) => run('sh', file),
  },
  TypeScript: {
    tag: 'ts',
    file: 'example.ts',
    program: process.execPath,
    version: '--version',
    run: (run, file) => run(process.execPath, file),
  },
  Python: {
    tag: 'python',
    file: 'example.py',
    program: 'python3',
    version: '--version',
    run: (run, file) => run('python3', file),
  },
  Go: {
    tag: 'go',
    file: 'example.go',
    program: 'go',
    version: 'version',
    run: (run, file) => run('go', 'run', file),
  },
}

/** The invented records that examples name: with them the programs find what they ask for. */
export const EXAMPLE_RECORDS = {
  companies: [
    { name: 'Sample Protocol', companyType: 'project', sectors: ['DeFi'] },
    { name: 'Sample Capital', companyType: 'investor' },
    { name: 'Sample Audits', companyType: 'service', sectors: ['DeFi'] },
  ].map((row) => ({ ...row, slug: slugOf(row.name), domain: `${slugOf(row.name)}.example` })),
  people: [
    {
      firstName: 'Alex',
      lastName: 'Sample',
      slug: 'alex-sample',
      jobTitle: 'Founder',
      email: 'alex@sample-protocol.example',
      company: 'sample-protocol',
    },
  ],
}

/** No call of examples goes beyond this machine, and Go asks for no other version of itself. */
const ENV = { GOTOOLCHAIN: 'local', GO111MODULE: 'off' }

/** Runs every program in every language that is installed. */
export async function exampleSteps(): Promise<void> {
  await using dir = await startDirectory(EXAMPLE_RECORDS)
  const folder = await mkdtemp(join(tmpdir(), 'examples-'))
  try {
    for (const [label, runner] of Object.entries(RUNNERS)) await stepOf(dir, folder, label, runner)
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

async function stepOf(
  dir: TestDirectory,
  folder: string,
  label: string,
  runner: Runner,
): Promise<void> {
  const { tag, file } = runner
  const title = `the programs of the documentation in ${label}: live data, samples and refusals of every endpoint`
  const isInstalled = await runIn(folder, ENV)(runner.program, runner.version).catch(
    () => undefined,
  )
  if (isInstalled === undefined) {
    skip(title, `${runner.program} is not installed`)
    return
  }
  await step(title, async () => {
    const rich = await dir.account({ tier: 'team', credits: 1_000 })
    const poor = await dir.account()
    for (const endpoint of Object.values(ENDPOINTS)) {
      const program = await programOf(dir, endpoint.operationId, tag)
      await writeFile(join(folder, file), program)
      const answerTo = async (key: string) =>
        JSON.parse(await runner.run(runIn(folder, { ...ENV, API_KEY: key }), file))
      const live = await answerTo(rich.key)
      deepEqual(
        [endpoint.operationId, live.error, live.sample],
        [endpoint.operationId, undefined, undefined],
      )
      equal(live.meta.creditsCharged, endpoint.credits)
      if (endpoint.credits === 0) continue
      const sample = await answerTo(poor.key)
      equal(sample.sample, true)
      match(sample.notice, /^NOT REAL DATA/)
    }
    const refused = runner.run(runIn(folder, { ...ENV, API_KEY: 'ck_live_wrong' }), file)
    // curl prints whatever the API answers.
    if (tag === 'sh') equal(JSON.parse(await refused).error.code, 'unauthorized')
    else await rejects(refused, /Send a valid API key/)
  })
}

/** Takes a program out of the endpoint's page. */
async function programOf({ appUrl }: TestDirectory, operationId: string, tag: string) {
  const page = await fetch(`${appUrl}/docs/reference/${operationId}.md`)
  const [, example = ''] = (await page.text()).split('\n## Example\n')
  const [, program] = new RegExp(`\`\`\`${tag}\\n([\\s\\S]*?)\\n\`\`\``).exec(example) ?? []
  if (program === undefined) throw new Error(`${operationId} has no program in ${tag}`)
  return program
}

function slugOf(name: string): string {
  return name.toLowerCase().replaceAll(' ', '-')
}

if (import.meta.main) {
  await exampleSteps()
  console.log(`${counts.passed} passed, ${counts.failed} failed`)
  process.exitCode = counts.failed === 0 ? 0 : 1
}
