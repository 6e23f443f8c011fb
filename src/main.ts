#!/usr/bin/env bun
/** The command line's beginning. It loads the rest once the runtime can read it: an older one is told which version it takes. */
import manifest from '../package.json' with { type: 'json' }

const OLDEST = manifest.engines.bun.replace('>=', '')
const { bun: running = OLDEST } = process.versions

if (running.localeCompare(OLDEST, undefined, { numeric: true }) < 0) {
  const error = `this is Bun ${running}, and ${OLDEST} or newer is needed: bun upgrade, or npm install --global bun@${OLDEST}`
  if (process.argv.includes('--json')) console.log(JSON.stringify({ error }))
  console.error(`chainkin: ${error}`)
  process.exitCode = 1
} else {
  const { runCommandLine } = await import('./server/commands/program.ts')
  await runCommandLine()
}
