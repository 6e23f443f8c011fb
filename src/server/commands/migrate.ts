/** `migrate`: every command does so by itself; this one does nothing else. */
import type { Command } from 'commander'
import { MIGRATIONS } from '../../database/migrations.ts'
import { makingDatabase, subcommand } from './command.ts'

export function registerMigrate(program: Command) {
  subcommand(program, 'migrate', 'bring the database to this version’s tables').action(
    makingDatabase(async () => {
      const newest = MIGRATIONS.at(-1)?.name ?? 'none'
      const text = `the database is at ${newest}`
      return { json: { migrations: MIGRATIONS.length, newest }, text }
    }),
  )
}
