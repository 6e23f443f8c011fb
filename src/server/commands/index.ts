/** `index build` */
import { availableParallelism } from 'node:os'
import type { Command } from 'commander'
import { requestRebuild } from '../../directory/records/changes.ts'
import { writeSnapshot } from '../../directory/records/snapshot/snapshot.ts'
import { namingFile, subcommand, withDatabase } from './command.ts'

export function registerIndex(program: Command) {
  const index = program.command('index').description('the search index')

  subcommand(
    index,
    'build',
    'rebuild the index in every running server, beside the one that serves',
  )
    .option(
      '--out <file>',
      'write it to a file instead, for servers to start from (INDEX_SNAPSHOT)',
    )
    .action(
      withDatabase(async ({ database }, { out }: { out?: string }) => {
        if (out === undefined) {
          const position = await database.use(({ sql }) => requestRebuild(sql))
          const text = 'running servers rebuild their index'
          return { json: { requested: true, position }, text }
        }
        const written = await writeSnapshot(database, out, {
          hasThread: availableParallelism() > 1,
        }).catch(namingFile(out))
        const { company: companies, person: people, round: rounds } = written
        const text = `${companies} companies, ${people} people, ${rounds} rounds in ${out}`
        return { json: { file: out, companies, people, rounds }, text }
      }),
    )
}
