/** The real command line in processes of its own. */
import { type ChildProcess, spawn } from 'node:child_process'
import { glob, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

export const PROJECT_ROOT = join(import.meta.dirname, '../..')
/** Deno itself: `.bin/deno` may be a program of Node around it that passes no signal on. */
export const DENO = join(PROJECT_ROOT, 'test/tools/node_modules/deno/deno')
const MAIN = join(PROJECT_ROOT, 'src/main.ts')

/** TypeScript files of the tests, those beside the packages included, from the project's root. */
export async function testFiles(): Promise<string[]> {
  const globs = ['test/**/*.ts', 'src/*/test/**/*.ts']
  const exclude = (path: string) => path.includes('node_modules') || path === 'test/tools'
  return Array.fromAsync(glob(globs, { cwd: PROJECT_ROOT, exclude }))
}

export type Environment = Record<string, string | undefined>

/** What is typed before the command's own name and options. */
export type Program = readonly [file: string, ...args: string[]]

/** The program that `setup.ts` has built for a run of the whole suite; a run of some files starts it from source. */
const { BUILT_PROGRAM } = process.env

const PROGRAM: Program = BUILT_PROGRAM ? [BUILT_PROGRAM] : [process.execPath, MAIN]

/** The same with longer deadlines, for tests of something else: a process that gets little of the processor is late. */
export const PATIENT: Program = BUILT_PROGRAM
  ? [`${BUILT_PROGRAM}-patient`]
  : [process.execPath, join(import.meta.dirname, 'program-main.ts')]

export interface Finished {
  code: number | null
  signal: NodeJS.Signals | null
  stdout: string
  stderr: string
  /** Stdout as the one JSON object that `--json` promises; throws where it isn't. */
  // biome-ignore lint/suspicious/noExplicitAny: tests read answers of many shapes
  json(): any
}

export interface RunOptions {
  env?: Environment
  input?: string
  cwd?: string
  /** `PATIENT` unless given, and for a server `PROGRAM`, whose deadlines tests wait for. */
  program?: Program
}

const running = new Set<ChildProcess>()
process.on('exit', () => {
  for (const child of running) child.kill('SIGKILL')
})

/** The environment without the developer's own settings. */
function clean(): Environment {
  const { PATH, HOME, TMPDIR, BUN_JSC_thresholdForOMGOptimizeAfterWarmUp } = process.env
  const compiler = { BUN_JSC_thresholdForOMGOptimizeAfterWarmUp }
  return { PATH, HOME, TMPDIR, ...compiler, PORT: '0', APP_PORT: '0', DRAIN_SECONDS: '0' }
}

/** Starts the command line, with stdin open. */
export function start(
  args: readonly string[],
  { env = {}, cwd = PROJECT_ROOT, program = PATIENT }: RunOptions,
) {
  const [file, ...before] = program
  const child = spawn(file, [...before, ...args], {
    cwd,
    env: { ...clean(), ...env },
    stdio: ['pipe', 'pipe', 'pipe'],
  })
  running.add(child)
  const output = { stdout: '', stderr: '' }
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    output.stdout += text
  })
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    output.stderr += text
  })
  const finished = new Promise<Finished>((resolve, reject) => {
    child.once('error', reject)
    child.once('close', (code, signal) => {
      running.delete(child)
      const json = () => {
        const lines = output.stdout.trimEnd().split('\n')
        if (lines.length !== 1) throw new Error(`not one line: ${output.stdout}`)
        return JSON.parse(lines[0] ?? '')
      }
      resolve({ code, signal, ...output, json })
    })
  })
  return { child, output, finished }
}

/**
 * Lines that a command said on stderr, without those that say how far an import is: one comes every ten seconds, so their
 * number depends on the machine.
 */
export function linesOf(stderr: string): string[] {
  const isProgress = (line: string) => /^\w+: [\d,]+ rows, [\d,]+ rows\/s/.test(line)
  return stderr.split('\n').filter((line) => line !== '' && !isProgress(line))
}

/** Runs the command line to its end. */
export function run(args: readonly string[], options: RunOptions = {}): Promise<Finished> {
  const { child, finished } = start(args, options)
  child.stdin.on('error', () => {})
  child.stdin.end(options.input ?? '')
  return finished
}

export interface Server {
  apiUrl: string
  appUrl: string
  pid: number
  output: { stdout: string; stderr: string }
  finished: Promise<Finished>
  kill(signal: NodeJS.Signals): void
  /** Resolves once stderr holds `text`. */
  said(text: string): Promise<void>
  /** Asks it to stop and waits until it has. */
  stop(signal?: NodeJS.Signals): Promise<Finished>
  /** Sends SIGTERM to a server that is stopping, until it ends: one that comes within a second of the first counts as the same. */
  stopAtOnce(): Promise<Finished>
}

const ANOTHER_SIGNAL_MS = 1_100

/** Starts `serve --json` on free ports and resolves when it says that it is ready. */
export async function serve(
  env: Environment,
  args: readonly string[] = [],
  options: Pick<RunOptions, 'cwd' | 'program'> = {},
): Promise<Server> {
  const { child, output, finished } = start(['serve', '--json', ...args], {
    program: PROGRAM,
    ...options,
    env,
  })
  const ready = new Promise<void>((resolve) => {
    child.stdout.on('data', () => {
      if (output.stdout.includes('\n')) resolve()
    })
  })
  await Promise.race([
    ready,
    finished.then(({ code, stderr }) => {
      throw new Error(`serve ended with ${code}: ${stderr}`)
    }),
  ])
  const { apiUrl, appUrl, error } = JSON.parse(output.stdout)
  if (error) throw new Error(`serve did not start: ${error}`)
  const kill = (signal: NodeJS.Signals) => {
    child.kill(signal)
  }
  return {
    apiUrl,
    appUrl,
    pid: child.pid ?? 0,
    output,
    finished,
    kill,
    said: (text) =>
      new Promise((resolve) => {
        const look = () => {
          if (output.stderr.includes(text)) resolve()
        }
        child.stderr.on('data', look)
        look()
      }),
    stop(signal = 'SIGTERM') {
      kill(signal)
      return finished
    },
    async stopAtOnce() {
      const again = setInterval(() => kill('SIGTERM'), ANOTHER_SIGNAL_MS)
      const end = await finished
      clearInterval(again)
      return end
    },
  }
}

/** Starts the command line in a terminal, as a person does. `shown` is what stands on it, without colours. */
export function startOnTerminal(args: readonly string[], env: Environment) {
  const decoder = new TextDecoder()
  let text = ''
  const child = Bun.spawn([...PROGRAM, ...args], {
    cwd: PROJECT_ROOT,
    env: { ...clean(), ...env },
    terminal: {
      data(_terminal, bytes) {
        text += decoder.decode(bytes, { stream: true })
      },
    },
  })
  const shown = () => Bun.stripANSI(text).replaceAll('\r\n', '\n')
  /** Resolves once `words` stands there, or the process has ended. */
  const said = async (words: string) => {
    while (!shown().includes(words) && child.exitCode === null) await Bun.sleep(20)
  }
  return { child, shown, said }
}

/** What `serve --demo` tells people, of its log: a line of JSON where no person reads it. */
export function greetingIn(log: string): string {
  const line = log.split('\n').find((one) => one.includes('"message":"demo"'))
  return line ? JSON.parse(line).lines.join('\n') : ''
}

export interface TemporaryDirectory {
  path: string
  remove(): Promise<void>
}

/** Makes a folder whose name has a blank and an apostrophe, so that a test which forgets to quote it fails everywhere. */
export async function temporaryDirectory(): Promise<TemporaryDirectory> {
  const path = await mkdtemp(join(tmpdir(), "chainkin's "))
  return { path, remove: () => rm(path, { recursive: true, force: true }) }
}

/** A GET with a key, over a connection of its own: a kept one would lead to the same worker again. */
export async function get(url: string, key?: string) {
  const headers: Record<string, string> = key ? { authorization: `Bearer ${key}` } : {}
  const response = await fetch(url, { headers, keepalive: false })
  const text = await response.text()
  const isJson = response.headers.get('content-type')?.startsWith('application/json')
  return {
    status: response.status,
    headers: response.headers,
    text,
    body: isJson ? JSON.parse(text) : undefined,
  }
}
