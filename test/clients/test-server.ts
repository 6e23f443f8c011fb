/**
 * Tests of clients in other people's test runners, against `chainkin test-server`: the examples in `test-server/`, each
 * in its language, where that is installed. By itself: `bun test/clients/test-server.ts`.
 */
import { cp, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import page from '../../src/site/docs/pages/testing.md' with { type: 'text' }
import { PROJECT_ROOT } from '../helpers/command.ts'
import { counts, runIn, skip, step } from './steps.ts'

interface Runner {
  folder: string
  /** The heading of its example on `/docs/testing`, and the name by which the runner knows a test. */
  shown: readonly [heading: string, file: string]
  /** What must be there, and the arguments that make it say so. */
  needs: readonly [program: string, ...args: string[]]
  run: readonly [program: string, ...args: string[]]
}

const TOOLS = join(PROJECT_ROOT, 'test/tools')
const VITEST = join(TOOLS, 'node_modules/.bin/vitest')

const ENV = {
  CHAINKIN: `${process.execPath} ${join(PROJECT_ROOT, 'src/main.ts')}`,
  GOTOOLCHAIN: 'local',
  GO111MODULE: 'off',
}

/** Runs the example that `/docs/testing` shows for a language, in a folder of its own. */
async function runShown(place: string, { shown, run: [program, ...args] }: Runner) {
  const [heading, file] = shown
  const [, text] = new RegExp(`### ${heading}\\n\\n\`+\\w+\\n([^]*?)\\n\`\`\``).exec(page) ?? []
  if (text === undefined) throw new Error('the page shows none')
  await mkdir(place)
  await writeFile(join(place, file), text)
  const ownArgs = args.map((arg) => (/^client[._]/.test(arg) ? file : arg))
  await runIn(place, ENV)(program, ...ownArgs)
}

/** @param python that has pytest */
export async function testServerSteps(python = 'python3'): Promise<void> {
  const runners: readonly Runner[] = [
    {
      folder: 'node',
      shown: ['node:test', 'credits.test.mjs'],
      needs: ['node', '--version'],
      run: ['node', '--test', 'client.test.mjs'],
    },
    {
      folder: 'vitest',
      shown: ['vitest', 'credits.test.js'],
      needs: [VITEST, '--version'],
      run: [VITEST, 'run'],
    },
    {
      folder: 'pytest',
      shown: ['pytest', 'test_credits.py'],
      needs: [python, '-m', 'pytest', '--version'],
      run: [python, '-m', 'pytest', '--quiet', '-p', 'no:cacheprovider'],
    },
    {
      folder: 'go',
      shown: ['Go', 'credits_test.go'],
      needs: ['go', 'version'],
      run: ['go', 'test', 'client_test.go'],
    },
  ]
  // Beside the tools, so that what imports them finds them.
  const place = await mkdtemp(join(TOOLS, 'generated-'))
  try {
    await cp(join(import.meta.dirname, 'test-server'), place, { recursive: true })
    for (const runner of runners) {
      const { folder, needs, run } = runner
      const at = runIn(join(place, folder), ENV)
      const isHere = await at(...needs).catch(() => undefined)
      if (isHere === undefined) {
        skip(`the test server in ${folder}`, `${needs.join(' ')} is not there`)
        continue
      }
      const title = `the test server in ${folder}: its example`
      await step(title, async () => void (await at(...run)))
      await step(`${title} on the page`, () => runShown(join(place, `${folder}-page`), runner))
    }
  } finally {
    await rm(place, { recursive: true, force: true })
  }
}

if (import.meta.main) {
  await testServerSteps(process.argv[2])
  console.log(`${counts.passed} passed, ${counts.failed} failed`)
  process.exitCode = counts.failed === 0 ? 0 : 1
}
