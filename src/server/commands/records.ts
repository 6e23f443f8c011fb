/** `company|person|round`, `journal`, `undo`: single records, and the journal of their changes. `acts.ts` adds `person erase`. */

import type { Command } from 'commander'
import { unpinFields } from '../../console/acts/records.ts'
import type { Database } from '../../database/client.ts'
import { everythingAbout } from '../../intake/editing/data-subject.ts'
import {
  addRecord,
  deleteRecord,
  mergeRecords,
  setRecord,
  undoChange,
} from '../../intake/editing/edit.ts'
import { type FoundRecord, findRecordsBy } from '../../intake/editing/find.ts'
import {
  type FieldChange,
  type JournalChange,
  type JournalQuery,
  readJournal,
} from '../../intake/editing/journal.ts'
import { RECORD_KINDS, type RecordKind, showRecord } from '../../intake/editing/records.ts'
import {
  changingCommand,
  listing,
  makingDatabase,
  type Result,
  subcommand,
  typist,
  who,
  withDatabase,
} from './command.ts'
import { parseId, parseText, parseWhole } from './parsers.ts'

/** Records on a page of `find`. */
const FOUND = 50

interface Operator {
  as?: string
}

interface SetOptions extends Operator {
  pin: boolean
}

const DESCRIPTIONS: Readonly<Record<RecordKind, string>> = {
  company: 'one company',
  person: 'one person',
  round: 'one funding round',
}

export function registerRecords(program: Command) {
  for (const kind of RECORD_KINDS) registerKind(program, kind)
}

function registerKind(program: Command, kind: RecordKind) {
  const parent = program.command(kind).description(DESCRIPTIONS[kind])
  const keys = kind === 'round' ? 'its id or externalId' : 'its id, externalId or slug'

  subcommand(parent, 'find', 'look for some, those changed last first')
    .argument('[text]', 'part of a name; or a whole id, externalId, slug or X handle', '')
    .option('--page <n>', `each has ${FOUND}`, parseWhole(1, 999_999), 1)
    .action(
      withDatabase(async ({ database }, text: string, { page }: { page: number }) => {
        const query = { text: text.trim(), page, limit: FOUND }
        const { records } = await findRecordsBy(database, kind, query)
        return listing('records', records, 'none', foundText)
      }),
    )

  const show = subcommand(parent, 'show', 'its fields, without private channels')
    .argument('<record>', keys)
    .action(
      withDatabase(async ({ database }, name: string, { everything }: { everything?: boolean }) =>
        everything ? shownWhole(database, name) : shownRecord(database, kind, name),
      ),
    )
  if (kind === 'person') {
    show.option('--everything', 'all that is held, private channels too: to answer that person')
  }

  registerAdd(parent, kind)
  registerChanges(parent, kind, keys)
}

function registerChanges(parent: Command, kind: RecordKind, keys: string) {
  changingCommand(parent, 'set', 'change fields; each value is cleaned as an import does it')
    .argument('<record>', keys)
    .argument('<field=value...>', 'fields as a file names them; field= clears one')
    .option(
      '--no-pin',
      'let imports overwrite the fields, as before; else they leave them until unpin',
    )
    .hook('preAction', refuseOthers(1))
    .action(
      withDatabase(async ({ database }, name: string, given: string[], { as, pin }: SetOptions) => {
        const fields = fieldsOf(given)
        const { id, change } = await setRecord(database, kind, name, fields, who(as), pin)
        const text = change === null ? 'nothing changed' : changed('set', change)
        return { json: { id, change }, text }
      }),
    )

  changingCommand(parent, 'unpin', 'let imports overwrite fields again that were set by hand')
    .argument('<record>', keys)
    .argument('<field...>', 'fields as show names them in pins')
    .action(
      withDatabase(async ({ database }, name: string, fields: string[], { as }: Operator) => {
        const { id, pins } = await unpinFields(database, typist(as), kind, name, fields)
        return { json: { id, pins }, text: `still pinned: ${pins.join(', ') || 'nothing'}` }
      }),
    )

  changingCommand(parent, 'delete', 'delete it; undo brings it back for 30 days')
    .argument('<record>', keys)
    .action(
      withDatabase(async ({ database }, name: string, { as }: Operator) => {
        const { id, change } = await deleteRecord(database, kind, name, who(as))
        return { json: { id, change }, text: changed('deleted', change) }
      }),
    )

  changingCommand(parent, 'merge', 'make one of two; the older id stays, the other means it')
    .argument('<keep>', 'the record whose values come first')
    .argument('<other>', 'the record that fills what it lacks')
    .action(
      withDatabase(async ({ database }, keep: string, other: string, { as }: Operator) => {
        const done = await mergeRecords(database, kind, [keep, other], who(as))
        return { json: { ...done }, text: changed(`merged into ${done.id}`, done.change) }
      }),
    )
}

interface AddOptions extends SetOptions {
  namesake?: boolean
}

function registerAdd(parent: Command, kind: RecordKind) {
  changingCommand(parent, 'add', 'make a new one; each value is cleaned as an import does it')
    .argument('<field=value...>', 'fields as a file names them')
    .option('--no-pin', 'let imports overwrite the fields; else they leave them until unpin')
    .option('--namesake', 'also where the directory has one of this name')
    .hook('preAction', refuseOthers(0))
    .action(
      makingDatabase(async ({ database }, given: string[], { as, pin, namesake }: AddOptions) => {
        const adding = { isPinned: pin, isNamesake: namesake === true }
        const done = await addRecord(database, kind, fieldsOf(given), who(as), adding)
        return { json: { ...done }, text: changed(`added as ${done.id}`, done.change ?? 0) }
      }),
    )
}

/** Refuses arguments that aren't `field=value`. @param first index of the first such argument */
const refuseOthers = (first: number) => (command: Command) => {
  const wrong = command.args.slice(first).find((given) => !/^\w+=/.test(given))
  if (wrong !== undefined)
    command.error(`error: expected field=value${first > 0 ? ' after the record' : ''}`)
}

const foundText = ({ id, name, about, changedAt, sources }: FoundRecord) =>
  [id, changedAt, name, about ?? '', sources.join(', ')].join('  ').trimEnd()

const changed = (what: string, change: number) => `${what}; take it back with: undo ${change}`

/** Splits `field=value`; the last value of a field counts. */
function fieldsOf(given: readonly string[]): Record<string, string> {
  return Object.fromEntries(
    given.map((one) => {
      const end = one.indexOf('=')
      return [one.slice(0, end), one.slice(end + 1)]
    }),
  )
}

async function shownRecord(database: Database, kind: RecordKind, name: string): Promise<Result> {
  const record = await showRecord(database, kind, name)
  const { text } = listing('fields', Object.entries(record), '', ([field, value]) => {
    const isText = typeof value !== 'object' || value === null
    return `${field.padEnd(20)} ${isText ? (value ?? '-') : JSON.stringify(value)}`
  })
  return { json: record, text }
}

/** Everything about a person, as JSON for people too, because it is sent to that person. */
async function shownWhole(database: Database, name: string): Promise<Result> {
  const everything = await everythingAbout(database, name)
  return { json: everything, text: JSON.stringify(everything, null, 2) }
}

const LIMIT = 50
const MOST = 1_000

export function registerJournal(program: Command) {
  subcommand(program, 'journal', 'the changes of the last 30 days, the newest first')
    .argument('[id]', 'only those of this company, person or round', parseId)
    .option('--who <name>', 'only those by this name', parseText)
    .option('--before <change>', 'only those older than this change', parseWhole(1))
    .option('--limit <n>', `how many, at most ${MOST}`, parseWhole(1, MOST), LIMIT)
    .action(
      withDatabase(async ({ database }, id: string | undefined, query: Omit<JournalQuery, 'id'>) =>
        listing('changes', await readJournal(database, { ...query, id }), 'no changes', changeText),
      ),
    )

  changingCommand(program, 'undo', 'take a change back; its number is in the journal')
    .argument('<change>', 'its number', parseWhole(1))
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
