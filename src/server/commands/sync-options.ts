/** The options of `chainkin import` about where its rows come from. */
import { createInterface } from 'node:readline/promises'
import type { Command } from 'commander'
import type { TakeLongLock } from '../../database/long-lock.ts'
import type { SourceOptions } from '../../intake/import/import.ts'
import { KINDS, type KindName } from '../../intake/import/summary.ts'
import { parsePercent, parseText } from './parsers.ts'

export interface SyncOptions {
  source?: string
  sync?: boolean
  confirmColumns?: boolean
  maxRemoved?: number
  yes?: boolean
}

const MOST_REMOVED_PERCENT = 10

export const withSyncOptions = (command: Command): Command =>
  command
    .option(
      '--source <name>',
      'what the files come from: their records are noted as its own',
      parseText,
    )
    .option('--sync', 'the files are all that the source has of these kinds: remove what they lack')
    .option(
      '--confirm-columns',
      'take columns that are missing or new since the source’s last file',
    )
    .option(
      '--max-removed <percent>',
      `remove nothing where more of the source's records than this are missing (default: ${MOST_REMOVED_PERCENT})`,
      parsePercent,
    )
    .option('--yes', 'remove however many are missing')

/** Why the options can't be meant as they were typed; undefined where they can. */
export function syncProblem({
  source,
  sync,
  confirmColumns,
  maxRemoved,
  yes,
}: SyncOptions): string | undefined {
  if (sync && source === undefined)
    return '--sync is about the records of a source: give --source too'
  if (confirmColumns && source === undefined)
    return '--confirm-columns is about the files of a source: give --source too'
  if (!sync && maxRemoved !== undefined) return '--max-removed goes with --sync'
  if (!sync && yes) return '--yes goes with --sync'
}

/**
 * What the import is told of its source; undefined where there is none.
 * @param takeLongLock keeps other runs of the source away
 * @param beforeAsking leaves the terminal to the question
 */
export function sourceOf(
  options: SyncOptions & { maxRefused: number; dryRun?: boolean; json?: boolean },
  paths: Partial<Record<KindName, string>>,
  takeLongLock: TakeLongLock,
  beforeAsking: () => void,
): SourceOptions | undefined {
  const { source: name, sync = false, maxRemoved = MOST_REMOVED_PERCENT, yes } = options
  if (name === undefined) return undefined
  const given = KINDS.filter((kind) => paths[kind] !== undefined)
  const isAsked =
    process.stdin.isTTY === true &&
    process.stderr.isTTY === true &&
    !options.dryRun &&
    !options.json &&
    given.every((kind) => paths[kind] !== '-')
  return {
    name,
    files: paths,
    isSync: sync,
    areColumnsConfirmed: options.confirmColumns,
    takeLongLock,
    mostRemoved: maxRemoved,
    mostRefused: options.maxRefused,
    confirm: yes ? async () => true : isAsked ? asking(beforeAsking) : undefined,
  }
}

const asking = (beforeAsking: () => void) => async (what: string) => {
  beforeAsking()
  const terminal = createInterface({ input: process.stdin, output: process.stderr })
  try {
    const answer = await terminal.question(`\n${what}. Remove them? [y/N] `)
    return /^y(es)?$/i.test(answer.trim())
  } finally {
    terminal.close()
  }
}
