/** Acts on records of the directory whose lines the journal writes, and the unpinning of fields, which is no change of a record. */
import { type Actor, asAuthor } from '../../database/actor.ts'
import type { Database } from '../../database/client.ts'
import type { Erased } from '../../database/erasures.ts'
import { textArray } from '../../database/text-array.ts'
import { erasePerson } from '../../intake/editing/data-subject.ts'
import { deleteRecord, undoChange } from '../../intake/editing/edit.ts'
import { type JournalChange, readJournal } from '../../intake/editing/journal.ts'
import {
  ChangeRefused,
  findRecord,
  pinnedFields,
  RECORD_KINDS,
  type RecordKind,
  type ShownRecord,
  showRecord,
} from '../../intake/editing/records.ts'
import { jobOfChange } from '../../intake/import/jobs/store.ts'
import { act, done, given, type Output, type Target } from './act.ts'
import { type Erasing, eraseIn } from './erase.ts'
import { perform } from './perform.ts'

/** Lets imports overwrite fields again that were set by hand. Nothing is done where none of them is pinned. */
export const unpin = act({
  name: 'directory.unpin',
  subject: 'record',
  button: 'Unpin the ticked fields',
  fields: { fields: given<readonly string[]>() },
  statement: ({ id }, { fields }) =>
    done((sql) => sql`unpin_record(${id}, ${textArray(fields)}::text::text[])`),
})

/**
 * Unpins fields of a record.
 * @param name the record's id, externalId or slug
 * @returns the record's id, and the fields that are pinned still
 * @throws ChangeRefused naming the first field that is not pinned: then nothing is done
 */
export async function unpinFields(
  database: Database,
  by: Actor,
  kind: RecordKind,
  name: string,
  fields: readonly string[],
): Promise<{ id: string; pins: string[] }> {
  const { id } = await findRecord(database, kind, name)
  const pinned = await pinnedFields(database, id)
  const unknown = fields.find((field) => !pinned.includes(field))
  if (unknown !== undefined) {
    throw new ChangeRefused(`not pinned; pinned: ${pinned.join(', ') || 'nothing'}`, unknown)
  }
  await perform(database, by, unpin, id, { fields })
  return { id, pins: await pinnedFields(database, id) }
}

/** The text of a record's field; '' where it has none. */
export const text = (value: unknown): string => (typeof value === 'string' ? value : '')

/** Display name of a record. */
export function nameOfRecord(kind: RecordKind, record: ShownRecord): string {
  const { name, firstName, lastName, company, roundType, roundEventName } = record
  const parts = {
    company: [text(name)],
    person: [text(firstName), text(lastName)],
    round: [text(company), text(roundType) || text(roundEventName)],
  }[kind].filter((part) => part !== '')
  return parts.join(kind === 'round' ? ', ' : ' ') || record.id
}

/** The record that a target names by its id and kind; undefined where it is gone. */
async function recordOf(database: Database, { on, of }: Pick<Target, 'on' | 'of'>) {
  const kind = RECORD_KINDS.find((one) => one === of)
  const record = kind && (await recordIfThere(database, kind, on))
  return record && { kind, record, name: nameOfRecord(kind, record) }
}

/** @returns undefined where it is gone */
export const recordIfThere = (
  database: Database,
  kind: RecordKind,
  name: string,
): Promise<ShownRecord | undefined> => orUndefined(showRecord(database, kind, name))

/** @returns undefined where a record or a change is gone */
async function orUndefined<T>(work: Promise<T>): Promise<T | undefined> {
  return work.catch((error: unknown) => {
    if (error instanceof ChangeRefused) return undefined
    throw error
  })
}

const RECORD = { subject: 'record', noun: 'record', fields: {} } as const

/** Deletes a record, and what goes along with it; the journal brings it back for 30 days. `of` is its kind. */
export const deleteOne = act({
  ...RECORD,
  name: 'directory.delete',
  button: 'Delete',
  isDangerous: true,
  isLast: true,
  isUndoable: true,
  said: 'The record is deleted. The journal can bring it back for 30 days.',
  async ask({ database }, target) {
    const found = await recordOf(database, target)
    return (
      found && {
        title: `Delete ${found.name}`,
        lead: `${goesAlong(found.kind, found.record)} What accounts have unlocked and paid stays as it is. The journal can bring all of it back for 30 days. An import that has the record makes it anew.`,
      }
    )
  },
  async run({ database, by }, target): Promise<number | undefined> {
    const found = await recordOf(database, target)
    if (!found) return undefined
    return (await orUndefined(deleteRecord(database, found.kind, found.record.id, by)))?.change
  },
})

const count = (many: number, one: string) => `${many} ${many === 1 ? one : `${one}s`}`

/** Records that are deleted with this one, and records that lose it. */
function goesAlong(kind: RecordKind, { people, rounds, investments, investors }: ShownRecord) {
  if (kind === 'person') return 'The person goes, with their private channels.'
  const some = (value: unknown) => (typeof value === 'number' ? value : 0)
  if (kind === 'round') {
    const parts = Array.isArray(investors) ? investors.length : 0
    return `The round goes, with ${count(parts, 'investment')} in it. The companies stay.`
  }
  const stay = some(people) === 1 ? '1 person stays' : `${some(people)} people stay`
  return `The company goes, with ${count(some(rounds), 'round')} of its own and ${count(some(investments), 'investment')} in others. ${stay}, without a company.`
}

export const ERASURE =
  'They go from every table and the journal, with everybody who was merged into them, their private channels, notes and places in lists. Imports refuse them from then on. What accounts paid stays in their books, without the person. Backups and files that you made before may still have them.'

/** A person who is erased, and the rewriting of what lies beside the tables. */
export interface ErasedPerson extends Erasing {
  erased: Erased
}

/** Erases a person. `of` is 'person'. */
export const erase = act({
  ...RECORD,
  name: 'directory.erase',
  noun: 'person',
  button: 'Erase',
  command: 'person erase',
  about: 'forget a person at their own request; it can’t be undone',
  confirm: {
    what: 'an erasure',
    undone: 'nothing was erased',
    question: 'Erase this person?',
  },
  async ask({ database }, { on }) {
    const found = await recordOf(database, { on, of: 'person' })
    return found && { title: `Erase ${found.name}`, lead: ERASURE }
  },
  async run({ database, by, desk }, { on }): Promise<ErasedPerson | undefined> {
    const { erased, rewrite } = await eraseIn(desk(), () => erasePerson(database, on, asAuthor(by)))
    return erased ? { erased, rewrite } : undefined
  },
  tell: async ({ result: { erased, rewrite } }) => erasedOutput(erased, await rewrite()),
})

/** The output of a command that erased somebody. @param left steps that failed and are left to do */
export function erasedOutput(erased: Erased, left: readonly string[]): Output {
  const { number, records, marks, alike, companies } = erased
  const text = [
    `erased as ${number}: ${records} records; ${marks} hashes keep imports from bringing them back`,
    ...(alike.length > 0
      ? [`people with one of the same values, to be erased too if it is them: ${alike.join(', ')}`]
      : []),
    ...(companies.length > 0
      ? [`companies that may be theirs or speak of them: ${companies.join(', ')}`]
      : []),
    ...left,
    'what you made before may still have them: backups, exports, reports of imports, files to import',
  ].join('\n')
  const failed = left.length > 0
  const json = { ...erased, ...(failed && { error: left.join('; ') }) }
  return { json, text, exitCode: failed ? 1 : 0 }
}

/** The change of this number; undefined where the journal doesn't have it any more. */
export async function changeOf(database: Database, number: string) {
  if (!/^[1-9]\d{0,14}$/.test(number)) return undefined
  const query = { before: Number(number) + 1, limit: 1 }
  const [change] = await readJournal(database, query)
  return change?.change === Number(number) ? change : undefined
}

/** Takes a change back. */
export const undo = act({
  name: 'directory.undo',
  subject: 'change',
  noun: 'change',
  fields: {},
  button: 'Undo',
  isUndoable: true,
  said: 'The change is taken back.',
  async ask({ database }, { on }) {
    const change = await changeOf(database, on)
    const job = change?.what === 'import' && (await jobOfChange(database, change.change))
    // An import that was given as a file is undone by another process.
    const instead = job ? { act: 'import.undo', on: job } : undefined
    return (
      change && {
        ...(instead && { instead }),
        title: `Undo change ${change.change}`,
        lead: undoLead(change),
      }
    )
  },
  async run({ database, by }, { on }): Promise<number | undefined> {
    const change = await changeOf(database, on)
    return change && undoChange(database, change.change, by)
  },
})

const undoLead = ({ what, records }: JournalChange) =>
  `${
    what === 'import'
      ? `Undo takes all of this import back: ${count(records, 'record')} will be as before it, and those that it brought will be gone.`
      : 'Undo puts every record that it touched back as it was, with its ids, slugs and private channels.'
  } The journal notes the undo as a change, which can be undone too.`
