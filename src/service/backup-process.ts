/** Runs the command `backup` in a process of its own, so that no call waits for it (D173). */
import { execFile } from 'node:child_process'

/** For one that is interrupted to take away what it has begun. */
const STOP_MS = 5_000

/** What starts this program; its arguments follow. */
export type Program = readonly [file: string, ...args: string[]]

/** @param args of `backup`. @returns what it prints, which rejects with the reason where it fails, and what ends it without a trace */
export function runBackup([file, ...before]: Program, args: readonly string[]) {
  const { promise: output, resolve, reject } = Promise.withResolvers<string>()
  const all = [...before, 'backup', ...args, '--json']
  const child = execFile(file, all, (error, stdout, stderr) => {
    if (error) reject(new Error(stderr.trim().split('\n')[0] || `exit ${error.code}`))
    else resolve(stdout)
  })
  return {
    output,
    async stop() {
      child.kill('SIGINT')
      const late = new Promise((done) => setTimeout(done, STOP_MS).unref())
      await Promise.race([output.catch(() => {}), late])
    },
  }
}
