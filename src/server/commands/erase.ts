/** `person erase`: forgets a person at their own request, in the tables and in all that lies beside them. */
import type { Command } from 'commander'
import { eraseIn } from '../../console/acts/erase.ts'
import type { Erased } from '../../database/erasures.ts'
import { erasePerson } from '../../intake/editing/data-subject.ts'
import { type Context, type Result, withDatabase } from './command.ts'
import { confirm } from './confirmation.ts'
import { who } from './performed.ts'
import { changingCommand } from './record.ts'

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
        const [what, undone] = ['an erasure', 'nothing was erased']
        await confirm(options, { what, undone, question: 'Erase this person?' })
        return rewriting(context, () => erasePerson(context.database, name, who(options.as)))
      }),
    )
}

/**
 * Erases, and then rewrites what lies beside the tables. Where that fails they stay erased, and the text says what is left to
 * do; exit 1.
 */
export async function rewriting(
  { config, database }: Context,
  erase: () => Promise<Erased | null>,
): Promise<Result> {
  const { erased, rewrite } = await eraseIn({ database, beside: config }, erase)
  if (!erased) return { json: { records: 0 }, text: 'nobody of the list is here' }
  return erasedResult(erased, await rewrite())
}

/** @param left of what failed what is left to do */
export function erasedResult(erased: Erased, left: readonly string[]): Result {
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
