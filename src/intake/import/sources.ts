/**
 * Sources of imports, and the columns of their files. A file in which a column is missing or new since the last is
 * refused, because a renamed one would go stale unnoticed. In JSON, whose rows may leave fields out, a field is missing
 * where no row of a sync has it, and new is a key that means no field.
 */
import type { Database } from '../../database/client.ts'
import { ColumnMap, type Columns, lettersOf, targetOf, targetText } from './column-meanings.ts'
import type { OpenedFile, SourceRow } from './read.ts'
import type { SourceOptions } from './source-run.ts'
import { KINDS, type KindName, NOT_SHOWN, shownName } from './summary.ts'

/** Field of each column, with its unit as in `amountUsd*1e6`; null without a field. */
type Targets = Readonly<Record<string, string | null>>

export interface FileColumns {
  columns: Targets
  /** Columns that the operator gave a meaning. */
  map: Targets
}

/** Change of columns for which a file was refused. */
export interface ColumnChange {
  missing: { column: string; target: string }[]
  added: string[]
  /** Columns of the source once the operator confirms the file's. */
  columns: FileColumns
}

export interface RefusedColumns {
  source: string
  /** ISO 8601 in UTC. */
  at: string
  kinds: Partial<Record<KindName, ColumnChange>>
}

/** Limit of columns, because keys of JSON may be data; a source at the limit has no new ones. */
const MOST_COLUMNS = 1_000
const MOST_NAMED = 10
const NO_COLUMNS: FileColumns = { columns: {}, map: {} }

/** Watches the columns of one import's files. */
export class SourceColumns {
  readonly #database: Database
  readonly #source: SourceOptions
  readonly #isDryRun: boolean
  readonly #before: Partial<Record<KindName, FileColumns>>

  private constructor(
    database: Database,
    source: SourceOptions,
    isDryRun: boolean,
    before: Partial<Record<KindName, FileColumns>>,
  ) {
    this.#database = database
    this.#source = source
    this.#isDryRun = isDryRun
    this.#before = before
  }

  static async read(database: Database, source: SourceOptions, isDryRun: boolean) {
    const [row] = await database.use(
      ({ sql }) => sql<{ columns: Partial<Record<KindName, FileColumns>> }[]>`
        select columns from import_sources where source = ${source.name}`,
    )
    return new SourceColumns(database, source, isDryRun, row?.columns ?? {})
  }

  /** Mappings of a kind's columns: the given ones first, then those of earlier files. */
  mapFor(kind: KindName, given: ColumnMap | undefined): ColumnMap {
    const mappings = Object.entries(this.#before[kind]?.map ?? {}).map(([column, target]) => ({
      column,
      given: `column "${column}"`,
      ...(target === null ? { field: null } : targetOf(target)),
    }))
    return new ColumnMap(mappings, given)
  }

  /** Checks the headers of all files before a row of any is stored. @throws Error naming missing and new columns */
  async expectHeaders(files: readonly OpenedFile[]) {
    await this.#expect(
      files.filter(({ hasHeader }) => hasHeader),
      ({ kind }) => `${kind}: `,
    )
  }

  /**
   * Passes a file's rows on; at their end its columns become the source's. @throws Error naming missing and new columns
   */
  async *watched(file: OpenedFile): AsyncGenerator<SourceRow> {
    let known = 0
    let isRefused = false
    for await (const row of file.rows) {
      if (!file.hasHeader && file.columns.met.size > known) {
        known = file.columns.met.size
        // From here on rows are read for their columns alone.
        isRefused ||= this.#added(file).length > 0
      }
      if (!isRefused) yield row
    }
    if (!file.hasHeader) await this.#expect([file])
    if (this.#isDryRun || file.columns.met.size === 0) return
    const { kind, columns } = file
    const accepted = joined(this.#before[kind], columnsOf(columns), this.#missing(file))
    await this.#database.use(
      ({ sql }) => sql`
        insert into import_sources as s (source, columns)
        values (${this.#source.name}, ${JSON.stringify({ [kind]: accepted })}::text::jsonb)
        on conflict (source) do update
           set columns = s.columns || excluded.columns,
               refused = case when (s.refused->'kinds') - ${kind}::text <> '{}'
                              then jsonb_set(s.refused, '{kinds}', (s.refused->'kinds') - ${kind}::text) end`,
    )
  }

  async #expect(files: readonly OpenedFile[], place: (file: OpenedFile) => string = () => '') {
    const changes = files.flatMap((file) => {
      const before = this.#before[file.kind]
      const [missing, added] = [this.#missing(file), this.#added(file)]
      if (this.#source.areColumnsConfirmed || missing.length + added.length === 0) return []
      const columns = joined(before, columnsOf(file.columns), missing)
      return [{ file, change: { missing, added, columns } }]
    })
    if (changes.length === 0) return
    const { name } = this.#source
    const kinds = Object.fromEntries(changes.map(({ file, change }) => [file.kind, change]))
    if (!this.#isDryRun) {
      await this.#database.use(
        ({ sql }) => sql`
          update import_sources set refused = jsonb_build_object(
              'at', meter_now(), 'kinds', coalesce(refused->'kinds', '{}') || ${JSON.stringify(kinds)}::text::jsonb)
           where source = ${name}`,
      )
    }
    const said = changes.map(({ file, change }) => `${place(file)}${changeText(change)}`)
    const cure = cureOf(changes.map(({ change }) => change))
    throw new Error(`the columns of source ${name} changed: ${said.join('; ')}. ${cure}`)
  }

  /** New columns without a mapping. */
  #added({ kind, columns, hasHeader }: OpenedFile): string[] {
    const before = this.#before[kind]?.columns
    if (!before || this.#source.areColumnsConfirmed) return []
    if (Object.keys(before).length >= MOST_COLUMNS) return []
    const now = columnsOf(columns)
    const letters = new Set(Object.keys(before).map(lettersOf))
    const targets = new Set(Object.values(before))
    return Object.entries(now.columns).flatMap(([column, target]) => {
      const isSaid = Object.hasOwn(now.map, column)
      if (isSaid || letters.has(lettersOf(column))) return []
      return target === null || (hasHeader && !targets.has(target)) ? [column] : []
    })
  }

  /** Columns whose field no column of the file means any more. */
  #missing({ kind, columns, hasHeader }: OpenedFile): ColumnChange['missing'] {
    // A file without rows has no keys either; `endRun` reports that of a sync.
    if (!hasHeader && (!this.#source.isSync || columns.met.size === 0)) return []
    const targets = new Set(Object.values(columnsOf(columns).columns))
    return Object.entries(this.#before[kind]?.columns ?? {}).flatMap(([column, target]) =>
      target === null || targets.has(target) ? [] : [{ column, target }],
    )
  }
}

function columnsOf(columns: Columns): FileColumns {
  const met = [...columns.met].flatMap(([name, meaning]) => {
    if (name.trim() === '') return []
    const target = typeof meaning === 'object' ? targetText(meaning) : null
    const isText = name.isWellFormed() && !name.includes('\0')
    return [{ name: meaning !== 'unknown' && isText ? name : shownName(name), target, meaning }]
  })
  const said = met.filter(
    ({ meaning }) => meaning === 'ignored' || (typeof meaning === 'object' && meaning.isMapped),
  )
  const targetsOf = (some: typeof met) =>
    Object.fromEntries(some.slice(0, MOST_COLUMNS).map(({ name, target }) => [name, target]))
  return { columns: targetsOf(met), map: targetsOf(said) }
}

/** Joins the columns of earlier files, without missing ones, with the new file's. */
function joined(
  before: FileColumns = NO_COLUMNS,
  now: FileColumns,
  missing: ColumnChange['missing'],
): FileColumns {
  const isLeft = ([column]: readonly [string, unknown]) =>
    !missing.some((one) => one.column === column)
  const both = (name: keyof FileColumns) =>
    Object.fromEntries(
      [...Object.entries(before[name]).filter(isLeft), ...Object.entries(now[name])].slice(
        -MOST_COLUMNS,
      ),
    )
  return { columns: both('columns'), map: both('map') }
}

/**
 * Columns of a refused file with the operator's meanings of new ones; `isSaid` where they differ from what their names
 * say.
 */
export function confirmedColumns(
  { columns: { columns, map } }: ColumnChange,
  targets: readonly { column: string; target: string | null; isSaid: boolean }[],
): FileColumns {
  const entriesOf = (some: typeof targets) =>
    Object.fromEntries(some.map(({ column, target }) => [column, target]))
  return {
    columns: { ...columns, ...entriesOf(targets) },
    map: { ...map, ...entriesOf(targets.filter(({ isSaid }) => isSaid)) },
  }
}

/** `"Email" (email) is missing, "Contact address" is new` */
export function changeText({ missing, added }: ColumnChange): string {
  const list = (names: readonly string[], one: string, many: string) => {
    if (names.length === 0) return []
    const more = names.length > MOST_NAMED ? ` and ${names.length - MOST_NAMED} more` : ''
    const verb = names.length === 1 ? one : many
    return [`${names.slice(0, MOST_NAMED).join(', ')}${more} ${verb}`]
  }
  const quoted = (name: string) =>
    name === NOT_SHOWN ? name : `"${name.replace(/\p{Cc}+/gu, ' ')}"`
  return [
    ...list(
      missing.map(({ column, target }) =>
        column === target ? quoted(column) : `${quoted(column)} (${target})`,
      ),
      'is missing',
      'are missing',
    ),
    ...list(added.map(quoted), 'is new', 'are new'),
  ].join(', ')
}

function cureOf(changes: readonly ColumnChange[]): string {
  const confirm = 'as they are from now on by --confirm-columns'
  const named = changes.flatMap(({ added, missing }) =>
    added.flatMap((column) =>
      column === NOT_SHOWN ? [] : [mapOption(`${column}=${missing[0]?.target ?? ''}`)],
    ),
  )
  if (named[0] === undefined) return `Take them ${confirm}`
  return `Say what a new one means, as in ${named[0]} (nothing behind = leaves it out), or take them ${confirm}`
}

/** Quotes an option to be pasted: in double quotes a name with `$(…)` would be a command of whoever made the file. */
function mapOption(mapping: string): string {
  const quote = /[$`\\"]/.test(mapping) ? "'" : '"'
  return `--map ${quote}${mapping.replace(/\p{Cc}+/gu, ' ')}${quote}`
}

/** Lists sources whose last files were refused for their columns, by name. */
export async function refusedColumns(database: Database): Promise<RefusedColumns[]> {
  return database.use(async ({ sql }) => [
    ...(await sql<RefusedColumns[]>`
        select source, refused->>'at' as at, refused->'kinds' as kinds
          from import_sources where refused is not null order by source`),
  ])
}

/** `people: "Email" (email) is missing` */
export const refusedText = ({ kinds }: Pick<RefusedColumns, 'kinds'>): string[] =>
  KINDS.flatMap((kind) => (kinds[kind] ? [`${kind}: ${changeText(kinds[kind])}`] : []))

export interface ListedSource extends Record<KindName, number> {
  source: string
  /** Files refused since the last run for missing or new columns; null for none. */
  refusedColumns: Omit<RefusedColumns, 'source'> | null
  lastRun: {
    run: number
    /** ISO 8601 in UTC. */
    at: string
    /** Null for a run that broke off, is under way, or was refused its removal. */
    endedAt: string | null
    /** Number in the journal, for `undo`. */
    change: number
    files: Partial<Record<KindName, string>>
    /** Kinds of records (`company`, `person`, `round`) that its files held completely. */
    synced: string[]
  }
}

/** Lists all sources by name, with the number of their records of each kind. */
export async function listSources(database: Database): Promise<ListedSource[]> {
  const rows = await database.use(
    ({ sql }) => sql<(Omit<ListedSource, 'lastRun'> & ListedSource['lastRun'])[]>`
      select s.source, i.refused as "refusedColumns", n.companies::float8 as companies, n.people::float8 as people, n.rounds::float8 as rounds,
             r.run::float8 as run, r.at, r.ended_at as "endedAt", r.change::float8 as change, r.files, to_json(r.synced) as synced
        from (select source, max(run) as run from import_runs group by source) s
        join import_runs r using (run)
        left join import_sources i on i.source = s.source
       cross join lateral (
         select source_records(s.source, r.run + 1, 'company') as companies,
                source_records(s.source, r.run + 1, 'person') as people,
                source_records(s.source, r.run + 1, 'round') as rounds) n
       order by s.source`,
    { deadlineMs: 30_000 },
  )
  return rows.map(({ source, refusedColumns, companies, people, rounds, ...lastRun }) => {
    return { source, refusedColumns, companies, people, rounds, lastRun }
  })
}
