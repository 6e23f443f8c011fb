/** `person erase`: forgets a person at their own request, in the tables and in all that lies beside them (D131, D132). */
import { existsSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { createInterface } from 'node:readline/promises'
import type { Command } from 'commander'
import type { Erased } from '../database/erasures.ts'
import { freeRows, noBackups, scrubFiles } from '../database/scrub.ts'
import { writeSnapshot } from '../directory/snapshot/snapshot.ts'
import { erasePerson } from '../editing/erase.ts'
import { type Context, Refusal, type Result, withDatabase } from './command.ts'
import { changingCommand, who } from './record.ts'

interface Options {
  as?: string
  yes?: boolean
  json?: boolean
}

/** Adds to the command `person`, which is there already. */
export function registerErase(program: Command) {
  const person = program.commands.find((command) => command.name() === 'person') ?? program
  changingCommand(person, 'erase', 'forget a person at their own request; it can’t be undone')
    .argument('<record>', 'an id that the person has or had, the externalId or slug')
    .option('--yes', 'without asking')
    .action(
      withDatabase(async (context, name: string, options: Options) => {
        await confirm(options)
        return rewriting(context, () => erasePerson(context.database, name, who(options.as)))
      }),
    )
}

/** @throws Refusal where nobody says yes */
async function confirm({ yes, json }: Options) {
  if (yes) return
  const isTerminal = process.stdin.isTTY === true && process.stderr.isTTY === true
  if (!isTerminal || json) throw new Refusal('an erasure can’t be undone: repeat it with --yes')
  const terminal = createInterface({ input: process.stdin, output: process.stderr })
  try {
    const answer = await terminal.question('Erase this person? It can’t be undone. [y/N] ')
    if (!/^y(es)?$/i.test(answer.trim())) throw new Refusal('nothing was erased')
  } finally {
    terminal.close()
  }
}

/**
 * Erases, and then rewrites what lies beside the tables. Where that fails they stay erased, and the text says what is left to
 * do; exit 1.
 */
export async function rewriting(
  context: Context,
  erase: () => Promise<Erased | null>,
): Promise<Result> {
  const { databaseUrl, dataDir, indexSnapshot } = context.config
  // From before: a backup that has begun would have them.
  using _held = databaseUrl ? undefined : await noBackups(dataDir)
  const erased = await erase()
  if (!erased) return { json: { records: 0 }, text: 'nobody of the list is here' }
  const left = await failuresOf([
    [() => rewriteDatabase(context), 'repeat "erasures scrub"'],
    ...(indexSnapshot
      ? [[() => rewriteSnapshot(context, indexSnapshot), `delete ${indexSnapshot}`] as const]
      : []),
  ])
  const { number, records, marks, alike, companies } = erased
  const text = [
    `erased as ${number}: ${records} records; ${marks} hashes keep imports from bringing them back`,
    ...(alike.length > 0
      ? [`people with one of the same values, to be erased too if it is them: ${alike.join(', ')}`]
      : []),
    ...(companies.length > 0
      ? [`companies that may be theirs or speak of them: ${companies.join(', ')}`]
      : []),
    ...left,
    'what you made before may still have them: backups, exports, reports of imports, files to import',
  ].join('\n')
  const failed = left.length > 0
  const json = { ...erased, ...(failed && { error: left.join('; ') }) }
  return { json, text, exitCode: failed ? 1 : 0 }
}

type Step = readonly [work: () => Promise<void>, cure: string]

/** Takes all steps. @returns of those that failed what is left to do */
async function failuresOf(steps: readonly Step[]): Promise<string[]> {
  const left: string[] = []
  for (const [work, cure] of steps) {
    await work().catch((error: unknown) => {
      const reason = error instanceof Error ? error.message : String(error)
      left.push(`not all was rewritten (${reason}): ${cure}`)
    })
  }
  return left
}

/** Rewrites the database's files once more. @throws DataDirError while a backup is made */
export async function scrub(context: Context): Promise<void> {
  const { databaseUrl, dataDir } = context.config
  using _held = databaseUrl ? undefined : await noBackups(dataDir)
  await rewriteDatabase(context)
}

function rewriteDatabase({ config: { databaseUrl, dataDir }, database }: Context): Promise<void> {
  return databaseUrl ? freeRows(database) : scrubFiles(database, dataDir)
}

/** Where it can't be written anew it goes: a server starts without it, only slower. */
async function rewriteSnapshot({ database }: Context, file: string): Promise<void> {
  await rm(`${file}.partial`, { force: true }).catch(() => {})
  if (!existsSync(file)) return
  await writeSnapshot(database, file).catch(() => rm(file, { force: true }))
}
