/** Steps of a run that are counted, and programs run in a folder. */
import { execFile } from 'node:child_process'
import { promisify } from 'node:util'

export const counts = { passed: 0, failed: 0 }

/** Does a step and says how it went. */
export async function step(name: string, work: () => Promise<void>): Promise<void> {
  try {
    await work()
    counts.passed++
    console.log(`ok   ${name}`)
  } catch (error) {
    counts.failed++
    console.log(`FAIL ${name}\n${error instanceof Error ? error.message : error}`)
  }
}

export function skip(name: string, reason: string): void {
  console.log(`skip ${name}: ${reason}`)
}

/** A program that runs in a folder. @throws with all that it said, where it fails. */
export type Run = (program: string, ...args: string[]) => Promise<string>

export function runIn(cwd: string, environment: Readonly<Record<string, string>>): Run {
  const env = { ...process.env, ...environment }
  return async (program, ...args) => {
    try {
      const options = { cwd, env, maxBuffer: 64 * 1024 * 1024 }
      const { stdout } = await promisify(execFile)(program, args, options)
      return stdout
    } catch (error) {
      const { stdout, stderr, message } = error as Error & { stdout?: string; stderr?: string }
      throw new Error([message, stdout, stderr].join('\n'))
    }
  }
}
