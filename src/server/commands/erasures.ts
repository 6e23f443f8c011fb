/** `erasures`: people who are forgotten at their own request, in the tables and in the files beside them. */
import { readFile } from 'node:fs/promises'
import type { Command } from 'commander'
import { eraseIn, scrub } from '../../console/acts/erase.ts'
import { erasedOutput } from '../../console/acts/records.ts'
import { applyErasures, type ErasureList, readErasures } from '../../database/erasures.ts'
import { writePrivateFile } from '../../database/private-file.ts'
import {
  changingCommand,
  listing,
  makingDatabase,
  namingFile,
  Refusal,
  subcommand,
  who,
  withDatabase,
} from './command.ts'

export function registerErasures(program: Command) {
  const erasures = program
    .command('erasures')
    .description('people who asked to be forgotten, as numbers')

  subcommand(erasures, 'list', 'each with its number and when it was').action(
    withDatabase(async ({ database }) => {
      const known = await readErasures(database)
      return listing('erasures', known.erasures, 'nobody was erased', erasureLine)
    }),
  )

  subcommand(erasures, 'save <file>', 'write them as keyed hashes to a file beside backups').action(
    withDatabase(async ({ database }, file: string) => {
      const list = await readErasures(database)
      // By its key one can find out whether an address is of somebody who was erased.
      await writePrivateFile(file, JSON.stringify(list)).catch(namingFile(file))
      const count = list.erasures.length
      return { json: { file, erasures: count }, text: `${count} erasures in ${file}` }
    }),
  )

  changingCommand(
    erasures,
    'apply <file>',
    'take a saved list in, and erase those of it who are here, as after a restore',
  ).action(
    makingDatabase(async ({ config, database }, file: string, { as }: { as?: string }) => {
      const list = await readErasureFile(file)
      const apply = () => applyErasures(database, list, who(as))
      const { erased, rewrite } = await eraseIn({ database, beside: config }, apply)
      if (!erased) return { json: { records: 0 }, text: 'nobody of the list is here' }
      return erasedOutput(erased, await rewrite())
    }),
  )

  subcommand(erasures, 'scrub', 'rewrite the database’s files, as each erasure does').action(
    withDatabase(async (context) => {
      await scrub(context.database, context.config)
      return { json: { scrubbed: true }, text: 'rewritten' }
    }),
  )
}

const erasureLine = ({ id, at }: ErasureList['erasures'][number]) => `${id}  ${at}`

/** @throws Refusal where the file is not a list of erasures */
export async function readErasureFile(file: string): Promise<ErasureList> {
  const text = await readFile(file, 'utf8').catch(namingFile(file))
  try {
    const { keys, erasures, marks }: ErasureList = JSON.parse(text)
    if ([keys, erasures, marks].every(Array.isArray)) return { keys, erasures, marks }
  } catch {
    // Not JSON: refused below.
  }
  throw new Refusal(`${file}: not a list that "erasures save" wrote`)
}
