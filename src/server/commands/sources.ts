/** `chainkin sources` */
import type { Command } from 'commander'
import { type ListedSource, listSources, refusedText } from '../../intake/import/sources.ts'
import { listing, subcommand, withDatabase } from './command.ts'

export function registerSources(program: Command) {
  subcommand(
    program,
    'sources',
    'the sources of imports: how many records each has, its last run',
  ).action(
    withDatabase(async ({ database }) =>
      listing('sources', await listSources(database), 'no sources', sourceText),
    ),
  )
}

function sourceText({
  source,
  refusedColumns,
  companies,
  people,
  rounds,
  lastRun,
}: ListedSource): string {
  const { at, endedAt, change, files, synced } = lastRun
  const state = endedAt === null ? 'not ended' : synced.length > 0 ? 'synced' : 'imported'
  const names = Object.entries(files).map(([kind, file]) => `${kind} ${file}`)
  return [
    `${source}: ${companies} companies, ${people} people, ${rounds} rounds`,
    `    last run ${at}  ${state}  change ${change}  ${names.join(', ')}`,
    ...(refusedColumns
      ? refusedText(refusedColumns).map((text) => `    refused for its columns  ${text}`)
      : []),
  ].join('\n')
}
