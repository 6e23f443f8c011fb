/** `sql`: one statement that reads, as a table or as JSON. */
import type { Command } from 'commander'
import { onCopyOfDatabase } from '../../database/backup/base-backup.ts'
import type { Database } from '../../database/client.ts'
import { serverErrorIn } from '../../database/failures.ts'
import { type Context, Refusal, type Result, subcommand, withDatabase } from './command.ts'

/** A report may take longer than other commands' statements. */
const DEADLINE_MS = 600_000

const HELP = `
One statement, in a transaction that only reads. A server on the embedded database answers calls meanwhile: the
statement runs on a copy of it in DATA_DIR, which takes twice its size there while it lasts.
`

export function registerSql(program: Command) {
  subcommand(program, 'sql', 'run one SQL statement that reads, and print its rows')
    .argument('<statement>', 'like "select tier, count(*) from accounts group by tier"')
    .addHelpText('after', HELP)
    .action(withDatabase(runSql))
}

async function runSql({ config, database, isAlone }: Context, statement: string): Promise<Result> {
  const isShared = !config.databaseUrl && !isAlone
  const read = (from: Database) => readRows(from, statement)
  const { columns, rows } = isShared
    ? await onCopyOfDatabase(database, config.dataDir, read)
    : await read(database)
  const text = table(columns, rows)
  const json = rows.map((row) => Object.fromEntries(row.map((cell, at) => [columns[at], cell])))
  return { json: { rows: json }, text }
}

type Cell = unknown

async function readRows(database: Database, statement: string) {
  try {
    return await database.use(
      ({ sql }) =>
        sql.begin('read only', async (transaction) => {
          // Both are sent at once: a connection that broke between them would come back without the transaction.
          const [, rows] = await Promise.all([
            transaction.unsafe(`set local statement_timeout = ${DEADLINE_MS}`),
            transaction.unsafe(statement, [], PREPARED).values(),
          ])
          // COPY gives a stream.
          if (!Array.isArray(rows) || rows.columns.length === 0) {
            throw new Refusal('the statement returns no rows: one like SELECT does')
          }
          return { columns: rows.columns.map(({ name }) => name), rows: [...rows] }
        }),
      { deadlineMs: DEADLINE_MS },
    )
  } catch (error) {
    const refusal = serverErrorIn(error)
    if (!refusal) throw error
    throw new Refusal(`${refusal.message} (${refusal.code})`)
  }
}

/** PostgreSQL takes no second statement where it prepares one. */
const PREPARED = { prepare: true, simple: false }

/** Rows as psql shows them. */
function table(columns: readonly string[], rows: readonly Cell[][]): string {
  const lines = [columns.map(shown), ...rows.map((row) => row.map(shown))]
  const widths = columns.map((_, at) => Math.max(...lines.map((line) => line[at]?.length ?? 0)))
  const [head, ...body] = lines.map((line) =>
    line
      .map((cell, at) => cell.padEnd(widths[at] ?? 0))
      .join(' | ')
      .trimEnd(),
  )
  const rule = widths.map((width) => '-'.repeat(width)).join('-+-')
  const count = `(${rows.length} ${rows.length === 1 ? 'row' : 'rows'})`
  return columns.length > 0 ? [head, rule, ...body, count].join('\n') : count
}

/** A value on one line, without characters that control a terminal. */
function shown(cell: Cell): string {
  if (cell === null || cell === undefined) return ''
  const text = typeof cell === 'object' ? JSON.stringify(cell) : String(cell)
  return text.replaceAll(/\p{Cc}/gu, (character) => JSON.stringify(character).slice(1, -1))
}
