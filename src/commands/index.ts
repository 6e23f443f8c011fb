/** `index build` */
import type { Command } from 'commander'
import { requestRebuild } from '../directory/changes.ts'
import { writeSnapshot } from '../directory/snapshot.ts'
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
          return {
            json: { requested: true, position },
            text: 'running servers rebuild their index',
          }
        }
        const { company, person, round } = await writeSnapshot(database, out).catch(namingFile(out))
        const counts = { companies: company, people: person, rounds: round }
        return {
          json: { file: out, ...counts },
          text: `${company} companies, ${person} people, ${round} rounds in ${out}`,
        }
      }),
    )
}
