#!/usr/bin/env node
/** Starts the program under Bun, also for those who come by way of Node: `npx chainkin`. */
import { spawn } from 'node:child_process'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const main = new URL('./main.ts', import.meta.url)

/** The Bun that npm has installed with this package; where there is none, the path's. */
function bun() {
  const require = createRequire(import.meta.url)
  try {
    const manifest = require.resolve('bun/package.json')
    return join(dirname(manifest), require(manifest).bin.bun)
  } catch {
    return 'bun'
  }
}

if (process.versions.bun) {
  await import(main.href)
} else {
  const args = [fileURLToPath(main), ...process.argv.slice(2)]
  const child = spawn(bun(), args, { stdio: 'inherit' })
  child.on('error', (error) => {
    const isAbsent = error.code === 'ENOENT'
    const why = isAbsent
      ? 'Bun is neither beside this package nor on the path: npm install --global bun'
      : error.message
    if (process.argv.includes('--json')) console.log(JSON.stringify({ error: why }))
    console.error(`chainkin: ${why}`)
    process.exitCode = 1
  })
  child.on('exit', (code, signal) => {
    process.exitCode = code ?? 1
    if (signal) {
      process.removeAllListeners(signal)
      process.kill(process.pid, signal)
    }
  })
  // A terminal sends these two to both; the program decides when to end, and this ends with it.
  for (const signal of ['SIGINT', 'SIGHUP']) process.on(signal, () => {})
  process.on('SIGTERM', () => child.kill('SIGTERM'))
}
