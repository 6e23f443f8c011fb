/** What a target's process leaves to `together.ts`: a file in SUITE_RESULTS. */
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { DATABASES, type Target } from './targets.ts'
import type { Transcript } from './transcript.ts'

export interface Result {
  /** Cases that there are, and those that held. */
  cases: number
  passed: number
  transcript: Transcript
}

type Named = Pick<Target, 'runtime' | 'database'>

const { SUITE_RESULTS: folder } = process.env

const fileOf = (folder: string, { runtime, database }: Named) =>
  join(folder, `${runtime}-${database}.json`)

/** Writes nothing where the suite runs by itself, and nobody waits for its result. */
export async function writeResult(target: Named, result: Result): Promise<void> {
  if (folder) await writeFile(fileOf(folder, target), JSON.stringify(result))
}

/** @returns undefined where the target's process ended before it had one. */
export async function readResult(target: Named): Promise<Result | undefined> {
  if (!folder) return undefined
  const text = await readFile(fileOf(folder, target), 'utf8').catch(() => undefined)
  return text === undefined ? undefined : JSON.parse(text)
}

/** The suite's result at a glance. Runtime by database: how many cases hold of how many that were run. */
export async function tableOf(targets: readonly Target[]): Promise<string> {
  const cell = async (target: Target | undefined) => {
    if (!target) return ''
    if (target.missing) return 'SKIPPED'
    const result = await readResult(target)
    return result ? `${result.passed} of ${result.cases} passed` : 'NO RESULT'
  }
  const runtimes = [...new Set(targets.map(({ runtime }) => runtime))]
  const databases = DATABASES.filter((name) => targets.some(({ database }) => database === name))
  const rowOf = async (runtime: string) => {
    const of = (name: string) => (each: Target) =>
      each.runtime === runtime && each.database === name
    return [runtime, ...(await Promise.all(databases.map((name) => cell(targets.find(of(name))))))]
  }
  const rows = [['', ...databases], ...(await Promise.all(runtimes.map(rowOf)))]
  const notes = new Set(targets.flatMap(({ missing }) => missing ?? []))
  const lines = rows.map((row) =>
    row
      .map((text) => text.padEnd(16))
      .join('  ')
      .trimEnd(),
  )
  return ['', ...lines, ...notes, ''].join('\n')
}
