/** What the suite runs against: each way to start the program, with each place for its data. */
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { DENO, PROJECT_ROOT, type Program } from '../helpers/command.ts'

export const RUNTIMES = ['bun', 'deno', 'binary'] as const
export type Runtime = (typeof RUNTIMES)[number]

export const DATABASES = ['embedded', 'postgres'] as const
export type DatabaseKind = (typeof DATABASES)[number]

export interface Target {
  name: string
  runtime: Runtime
  database: DatabaseKind
  program: Program
  /** What isn't there, and how to get it; such a target is skipped. */
  missing: string | undefined
}

const MAIN = join(PROJECT_ROOT, 'src/main.ts')
const BINARY = join(PROJECT_ROOT, 'dist/chainkin')

const PROGRAMS: Readonly<Record<Runtime, Program>> = {
  bun: [process.execPath, MAIN],
  deno: [DENO, 'run', '-A', MAIN],
  binary: [BINARY],
}

const HOW_TO_GET: Readonly<Record<Runtime, string>> = {
  bun: '',
  deno: 'Deno is missing: run `npx bun install` in test/tools',
  binary: 'dist/chainkin is missing: run `bun run build`',
}

/** Every target of these runtimes and databases. */
export function targetsOf(
  runtimes: readonly Runtime[],
  databases: readonly DatabaseKind[],
): Target[] {
  return runtimes.flatMap((runtime) =>
    databases.map((database) => ({
      name: `${runtime} × ${database}`,
      runtime,
      database,
      program: PROGRAMS[runtime],
      missing: existsSync(PROGRAMS[runtime][0]) ? undefined : HOW_TO_GET[runtime],
    })),
  )
}
