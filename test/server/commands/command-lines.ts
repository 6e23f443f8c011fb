/**
 * Many command lines in one process, each as if it were alone: `bun command-lines.ts '[["--help"], …]'`
 * prints what each of them wrote and its exit code.
 */
import { join } from 'node:path'

const MAIN = join(import.meta.dirname, '../../../src/main.ts')

export interface Ran {
  /** null where the command line did not end by itself. */
  code: number | null
  stdout: string
  stderr: string
}

const write = process.stdout.write.bind(process.stdout)
// Bun's own write past the streams.
console.log = (text) => void process.stdout.write(`${text}\n`)
console.error = (text) => void process.stderr.write(`${text}\n`)
const ran: Ran[] = []
for (const [position, args] of JSON.parse(process.argv[2] ?? '[]').entries()) {
  const result: Ran = { code: null, stdout: '', stderr: '' }
  for (const name of ['stdout', 'stderr'] as const) {
    process[name].write = (text: string | Uint8Array) => {
      // A real process has ended by then.
      if (result.code === null) result[name] += String(text)
      return true
    }
  }
  process.exit = (code) => {
    result.code ??= Number(code)
    throw new Error('exit')
  }
  process.argv = [process.execPath, MAIN, ...args]
  await import(`${MAIN}?${position}`).catch(() => {})
  ran.push(result)
}
write(`${JSON.stringify(ran)}\n`)
