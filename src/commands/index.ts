/** `index build` */
import type { Command } from 'commander'
import { requestRebuild } from '../directory/changes.ts'
import { subcommand, withDatabase } from './command.ts'

export function registerIndex(program: Command) {
  const index = program.command('index').description('the search index')

  subcommand(index, 'build', 'rebuild the index in every running server, beside the one that serves').action(
    withDatabase(async ({ database }) => {
      const position = await database.use(({ sql }) => requestRebuild(sql))
      return { json: { requested: true, position }, text: 'running servers rebuild their index' }
    }),
  )
}
