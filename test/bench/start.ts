/**
 * How long a start takes, from the command to the first 200, on a data directory of its own.
 * `bun run bench start [ROUNDS]`; the binary is measured where `dist/chainkin` exists.
 */
import { existsSync } from 'node:fs'
import { mkdtemp, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { PROJECT_ROOT } from '../helpers/command.ts'
import { median } from './figures.ts'
import { cpuSeconds } from './load.ts'

const ROUNDS = Number(process.argv[2] ?? 5)
const BINARY = join(PROJECT_ROOT, 'dist/chainkin')

const WAYS: Record<string, string[]> = {
  source: [process.execPath, join(PROJECT_ROOT, 'src/main.ts')],
  ...(existsSync(BINARY) ? { binary: [BINARY] } : {}),
}

interface Start {
  ms: number
  /** Of all the process's threads, in milliseconds. */
  cpuMs: number
}

/** One `serve`, until it has answered once. */
async function start(command: string[], cwd: string, more: string[] = []): Promise<Start> {
  const startedMs = performance.now()
  const child = Bun.spawn([...command, 'serve', '--json', ...more], {
    cwd,
    env: { PATH: process.env.PATH ?? '', PORT: '0', APP_PORT: '0', LOG_LEVEL: 'error' },
    stdout: 'pipe',
    stderr: 'ignore',
  })
  let ready = ''
  for await (const text of child.stdout.pipeThrough(new TextDecoderStream())) {
    ready += text
    if (ready.includes('\n')) break
  }
  const { status } = await fetch(`${JSON.parse(ready).appUrl}/docs`)
  if (status !== 200) throw new Error(`it answered ${status}`)
  const ms = performance.now() - startedMs
  const cpuMs = cpuSeconds(child.pid) * 1_000
  child.kill('SIGTERM')
  await child.exited
  return { ms, cpuMs }
}

const inColumn = (values: number[]) => `${Math.round(median(values))} ms`.padStart(8)

if (existsSync(BINARY)) console.log(`binary: ${((await stat(BINARY)).size / 1e6).toFixed(1)} MB`)
console.log(`median of ${ROUNDS}       first   of CPU    later   of CPU    first with --demo`)
for (const [name, command] of Object.entries(WAYS)) {
  const first: Start[] = []
  const later: Start[] = []
  const demo: Start[] = []
  for (let round = 0; round < ROUNDS; round++) {
    const [cwd, demoCwd] = await Promise.all([
      mkdtemp(join(tmpdir(), 'chainkin-')),
      mkdtemp(join(tmpdir(), 'chainkin-')),
    ])
    first.push(await start(command, cwd))
    later.push(await start(command, cwd))
    demo.push(await start(command, demoCwd, ['--demo']))
    await Promise.all([cwd, demoCwd].map((path) => rm(path, { recursive: true })))
  }
  const columns = [first, later].flatMap((starts) => [
    inColumn(starts.map(({ ms }) => ms)),
    inColumn(starts.map(({ cpuMs }) => cpuMs)),
  ])
  console.log(`${name.padEnd(16)} ${columns.join(' ')} ${inColumn(demo.map(({ ms }) => ms))}`)
}
