/**
 * The same calls by several programs at once on one account each time, through faults, and their bill. The client is the one
 * that the package has: plain JavaScript, made by the compiler.
 */
import { expect } from 'bun:test'
import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { PROJECT_ROOT, temporaryDirectory } from '../../../test/helpers/command.ts'
import { startDirectory, type TestAccount } from '../../testing/start.ts'
import { type FaultyProxy, SILENT_PATH, startFaultyProxy } from './faulty-proxy.ts'

const run = promisify(execFile)
const MAIN = join(import.meta.dirname, 'programs/main.js')
const DENO = join(PROJECT_ROOT, 'test/tools/node_modules/.bin/deno')

export interface Job {
  /** Each for one of the accounts that are used at once. */
  urls: string[]
  keys: string[]
  /** On each account. */
  calls: number
  /** Share of each pause that is really waited. */
  pace: number
  /** Below which each tenth call is made, where no first attempt is answered; '' for none. */
  silentPath: string
}

/** How a call ended, as its program says. */
export interface End {
  /** Prefixes of its attempts' request ids; several if it was continued after it had given up. */
  ids: string[]
  end: string
  expected: string
  charged: number | null
}

/** Makes the calls of a job. @param client the file of the client */
export type Program = (client: string, job: Job) => Promise<End[]>

const command =
  (program: string, ...args: string[]): Program =>
  async (client, job) => {
    const all = [...args, MAIN, client, JSON.stringify(job)]
    const { stdout } = await run(program, all, { maxBuffer: 64 * 1024 * 1024 })
    return JSON.parse(stdout)
  }

/** The runtimes that are installed. */
export const PROGRAMS: Readonly<Record<string, Program>> = {
  Bun: command(process.execPath),
  Node: command('node'),
  ...(existsSync(DENO) && {
    Deno: command(DENO, 'run', '--no-config', '--no-lock', '--allow-net', '--allow-read'),
  }),
}

/** Compiles the client as `npm pack` does. @returns the file that the package's `./sdk` names */
export async function compileClient(folder: string): Promise<string> {
  const tsc = join(PROJECT_ROOT, 'node_modules/.bin/tsc')
  const project = join(PROJECT_ROOT, 'src/sdk')
  await run(tsc, ['-p', project, '--outDir', folder])
  return join(folder, 'chainkin.js')
}

/** Accounts that a program uses at once: a call that meets silence holds up no others but those of its account. */
const AT_ONCE = 5

export interface Extent {
  /** Calls of each program on each of its accounts, all at once. */
  calls: number
  /** Accounts of each program; without it all programs share one. */
  accounts?: number
  /** Share of each pause that is really waited. */
  pace: number
}

/**
 * Lets all programs make their calls at once, and holds what they say of them against the ledgers: each answered call was
 * charged once, each refused one not at all, and every call ended as it must.
 */
export async function expectChargedOnce(
  programs: readonly Program[],
  { calls, accounts, pace }: Extent,
): Promise<void> {
  const { path, remove } = await temporaryDirectory()
  const dir = await startDirectory({ environment: { CORS_ORIGINS: '*' } })
  let proxy: FaultyProxy | undefined
  try {
    const client = await compileClient(path)
    proxy = await startFaultyProxy(dir, accounts ? AT_ONCE : 1)
    const { urls } = proxy
    const newAccount = () => dir.account({ tier: 'team', credits: 100_000 })
    const newAccounts = () => Promise.all(Array.from({ length: accounts ?? 0 }, newAccount))
    const shared = accounts ? [] : [await newAccount()]
    const all: TestAccount[] = [...shared]
    const ends = await Promise.all(
      programs.map(async (program) => {
        const own = accounts ? await newAccounts() : shared
        if (accounts) all.push(...own)
        const keys = await Promise.all(own.map((account) => account.newKey()))
        return program(client, { urls, keys, calls, pace, silentPath: accounts ? SILENT_PATH : '' })
      }),
    )
    const made = ends.flat()
    expect(made).toHaveLength(programs.length * (accounts ?? 1) * calls)
    expect(made.filter(({ end, expected }) => end !== expected)).toEqual([])
    const ledgers = await Promise.all(all.map((account) => account.ledger()))
    expect(wrongCharges(made, ledgers.flat())).toEqual([])
  } finally {
    proxy?.stop()
    await dir.stop()
    await remove()
  }
}

interface Entry {
  kind: string
  credits: number
  requestId: string | null
}

/** Calls whose ledger says something else than they do. */
function wrongCharges(ends: readonly End[], ledger: readonly Entry[]) {
  const charges = new Map<string, number[]>()
  for (const { kind, credits, requestId } of ledger) {
    if (kind !== 'charge') continue
    const [id = ''] = (requestId ?? '').split('.')
    charges.set(id, [...(charges.get(id) ?? []), -credits])
  }
  const known = new Set(ends.flatMap(({ ids }) => ids))
  const strange = [...charges.keys()].filter((id) => !known.has(id))
  const wrong = ends
    .map((end) => ({ ...end, ledger: end.ids.flatMap((id) => charges.get(id) ?? []) }))
    .filter(({ end, charged, ledger: taken }) => {
      if (end !== 'answered' || charged === 0) return taken.length > 0
      return taken.length !== 1 || (charged !== null && taken[0] !== charged)
    })
  return [...strange, ...wrong]
}
