/** `licenses`: the licences of what the program carries. */
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Command } from 'commander'
import { Refusal, reporting, subcommand } from './command.ts'

/** The text of `NOTICES`, which `bun run build` puts in this name's place. */
declare const BUNDLED_NOTICES: string | undefined

/** In the package. */
const NOTICES = join(import.meta.dirname, '../../../NOTICES')

export function registerLicenses(program: Command) {
  subcommand(program, 'licenses', 'the licences of the works that this program carries').action(
    reporting(async () => {
      const text = typeof BUNDLED_NOTICES === 'string' ? BUNDLED_NOTICES : await fromPackage()
      return { json: { notices: text }, text: text.trimEnd() }
    }),
  )
}

function fromPackage(): Promise<string> {
  return readFile(NOTICES, 'utf8').catch(() => {
    throw new Refusal('NOTICES is not here: bun run notices makes it of what is installed')
  })
}
