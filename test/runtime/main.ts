/**
 * `bun run test:runtime`: the black-box suite over every runtime and database, or those that are named.
 * Kept out of plain `bun test`, because it starts the program some hundred times. Each target is a
 * process of its own, as many at a time as there are cores; what it says is printed at its end.
 */
import { spawn } from 'node:child_process'
import { rm } from 'node:fs/promises'
import { availableParallelism } from 'node:os'
import { Command, Option } from 'commander'
import { PROJECT_ROOT, temporaryDirectory } from '../helpers/command.ts'
import { TIMEOUT } from '../helpers/limit.ts'
import { DATABASES, type DatabaseKind, RUNTIMES, type Runtime, targetsOf } from './targets.ts'

interface Options {
  runtime?: Runtime
  database?: DatabaseKind
  complete?: true
}

const { runtime, database, complete } = new Command('test:runtime')
  .addOption(new Option('--runtime <name>', 'only this one').choices(RUNTIMES))
  .addOption(new Option('--database <name>', 'only this one').choices(DATABASES))
  .option('--complete', 'a target that is missing is a failure')
  .parse()
  .opts<Options>()

const targets = targetsOf(runtime ? [runtime] : RUNTIMES, database ? [database] : DATABASES)
const waiting = targets.filter(({ missing }) => !missing)
const { path: results } = await temporaryDirectory()
let failed = 0

/** Runs one file of tests. */
function run(file: string, env: Record<string, string | undefined>): Promise<void> {
  const child = spawn(process.execPath, ['test', TIMEOUT, `./test/runtime/${file}`], {
    cwd: PROJECT_ROOT,
    env: { ...process.env, SUITE_RESULTS: results, ...env },
  })
  const said: Buffer[] = []
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (part) => said.push(part))
  return new Promise((resolve, reject) => {
    child.once('error', reject)
    child.once('close', (code) => {
      process.stdout.write(Buffer.concat(said))
      if (code !== 0) failed++
      resolve()
    })
  })
}

async function runTargets(): Promise<void> {
  for (let target = waiting.shift(); target; target = waiting.shift()) {
    await run('suite.ts', { SUITE_RUNTIME: target.runtime, SUITE_DATABASE: target.database })
  }
}

try {
  await Promise.all(Array.from({ length: availableParallelism() }, runTargets))
  await run('together.ts', {
    SUITE_TARGETS: JSON.stringify(targets),
    SUITE_COMPLETE: complete && 'yes',
  })
} finally {
  await rm(results, { recursive: true, force: true })
}
process.exitCode = failed === 0 ? 0 : 1
