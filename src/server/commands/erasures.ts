/** `erasures`: who was erased, as numbers and keyed hashes. */
import { readFile } from 'node:fs/promises'
import type { Command } from 'commander'
import { scrub } from '../../console/acts/erase.ts'
import { applyErasures, type ErasureList, readErasures } from '../../database/erasures.ts'
import { writePrivateFile } from '../../database/private-file.ts'
import {
  listing,
  makingDatabase,
  namingFile,
  Refusal,
  subcommand,
  withDatabase,
} from './command.ts'
import { rewriting } from './erase.ts'
import { who } from './performed.ts'
import { changingCommand } from './record.ts'

export function registerErasures(program: Command) {
  const erasures = program
    .command('erasures')
    .description('people who asked to be forgotten, as numbers')

  subcommand(erasures, 'list', 'each with its number and when it was').action(
    withDatabase(async ({ database }) => {
      const known = await readErasures(database)
      return listing('erasures', known.erasures, 'nobody was erased', one)
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
    makingDatabase(async (context, file: string, { as }: { as?: string }) => {
      const list = await readErasureFile(file)
      return rewriting(context, () => applyErasures(context.database, list, who(as)))
    }),
  )

  subcommand(erasures, 'scrub', 'rewrite the database’s files, as each erasure does').action(
    withDatabase(async (context) => {
      await scrub(context.database, context.config)
      return { json: { scrubbed: true }, text: 'rewritten' }
    }),
  )
}

const one = ({ id, at }: ErasureList['erasures'][number]) => `${id}  ${at}`

/** @throws Refusal where the file is no list of erasures */
export async function readErasureFile(file: string): Promise<ErasureList> {
  const text = await readFile(file, 'utf8').catch(namingFile(file))
  try {
    const { keys, erasures, marks }: ErasureList = JSON.parse(text)
    if ([keys, erasures, marks].every(Array.isArray)) return { keys, erasures, marks }
  } catch {
    // It is none.
  }
  throw new Refusal(`${file}: not a list that "erasures save" wrote`)
}
