/** `journal`, `undo` */
import { type Command, InvalidArgumentError } from 'commander'
import { undoChange } from '../../intake/editing/edit.ts'
import {
  type FieldChange,
  type JournalChange,
  type JournalQuery,
  readJournal,
} from '../../intake/editing/journal.ts'
import { listing, subcommand, withDatabase } from './command.ts'
import { parseId, parseText } from './parsers.ts'
import { who } from './performed.ts'
import { changingCommand } from './record.ts'

const LIMIT = 50
const MOST = 1_000

export function registerJournal(program: Command) {
  subcommand(program, 'journal', 'the changes of the last 30 days, the newest first')
    .argument('[id]', 'only those of this company, person or round', parseId)
    .option('--who <name>', 'only those by this name', parseText)
    .option('--before <change>', 'only those older than this change', parseChange)
    .option('--limit <n>', `how many, at most ${MOST}`, parseLimit, LIMIT)
    .action(
      withDatabase(async ({ database }, id: string | undefined, query: Omit<JournalQuery, 'id'>) =>
        listing('changes', await readJournal(database, { ...query, id }), 'no changes', changeText),
      ),
    )

  changingCommand(program, 'undo', 'take a change back; its number is in the journal')
    .argument('<change>', 'its number', parseChange)
    .action(
      withDatabase(async ({ database }, undone: number, { as }: { as?: string }) => {
        const change = await undoChange(database, undone, who(as))
        return { json: { undone, change }, text: `undone; take this back with: undo ${change}` }
      }),
    )
}

function changeText({ fields = [], ...change }: JournalChange): string {
  const { at, what, kind, id, undoes, undoneBy, records } = change
  const of = undoes === null ? '' : ` of ${undoes}`
  const record = kind === null ? `${records} records` : `${kind} ${id}`
  const state = undoneBy === null ? '' : `  (undone by ${undoneBy})`
  const head = `${change.change}  ${at}  ${change.who}  ${what}${of}  ${record}${state}`
  return [head, ...fields.map(fieldText)].join('\n')
}

function fieldText({ of, record, field, ...values }: FieldChange): string {
  const told = 'before' in values ? `${asJson(values.before)} → ${asJson(values.after)}` : 'changed'
  return `    ${of} ${record} ${field}: ${told}`
}

const asJson = (value: unknown) => JSON.stringify(value ?? null)

function parseChange(value: string): number {
  if (!/^[1-9]\d{0,14}$/.test(value))
    throw new InvalidArgumentError('Expected the number of a change.')
  return Number(value)
}

function parseLimit(value: string): number {
  const limit = Number(value)
  if (!/^\d+$/.test(value) || limit < 1 || limit > MOST) {
    throw new InvalidArgumentError(`Expected a number from 1 to ${MOST}.`)
  }
  return limit
}
