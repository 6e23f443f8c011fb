#!/usr/bin/env node
/** Starts the program under Bun, also for those who come by way of Node: `npx chainkin`. */
import { spawn } from 'node:child_process'
import { fileURLToPath } from 'node:url'

const main = new URL('./main.ts', import.meta.url)

if (process.versions.bun) {
  await import(main.href)
} else {
  const args = [fileURLToPath(main), ...process.argv.slice(2)]
  // npm and npx put the Bun that is installed beside this package on the path.
  const child = spawn('bun', args, { stdio: 'inherit' })
  child.on('error', (error) => {
    const why = error.code === 'ENOENT' ? 'Bun is not on the path: npm install bun' : error.message
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
