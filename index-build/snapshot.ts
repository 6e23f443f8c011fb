/**
 * The snapshot file: one JSON value a line. The first is the manifest, the last the counts; between them stand the
 * records, hundreds a line, and then the search index of them in parts and the orders that they are listed in. A file
 * that ends early has no counts and is refused, and so is one whose index was made with other options.
 */
import { createReadStream, createWriteStream } from 'node:fs'
import { rename, rm } from 'node:fs/promises'
import { pipeline } from 'node:stream/promises'
import { OPTIONS_HASH } from './options.ts'
import type { IndexPart } from './term-index.ts'

export interface Manifest {
  /** What the index was made with. */
  options: string
  /** Which database it was read from. */
  database: string
  /** The change-log sequence up to which it holds everything. */
  position: number
}

export type SnapshotKind = 'company' | 'round' | 'person'

/** Records of a kind, in the order of their slots. */
export interface SnapshotRows {
  kind: SnapshotKind
  rows: readonly { id: string }[]
}

/** A part of the index of the records of a kind, all of which come before it. */
export interface SnapshotIndexPart {
  kind: Exclude<SnapshotKind, 'round'>
  index: IndexPart
}

/** One order of the records of a kind, all of which come before it: their slots, as `numbersText` has them. */
export interface SnapshotOrder {
  kind: Exclude<SnapshotKind, 'round'>
  order: string
  slots: string
}

export type SnapshotContent = SnapshotRows | SnapshotIndexPart | SnapshotOrder

/** How many records of each kind, parts of indexes, and orders. */
export type SnapshotCounts = Record<SnapshotKind | 'index' | 'order', number>

const noCounts = (): SnapshotCounts => ({ company: 0, round: 0, person: 0, index: 0, order: 0 })

function count(counts: SnapshotCounts, content: SnapshotContent) {
  if ('index' in content) counts.index++
  else if ('order' in content) counts.order++
  else counts[content.kind] += content.rows.length
}

/** The file can't be started from; the message says why. */
export class SnapshotRefused extends Error {
  constructor(reason: string, options?: ErrorOptions) {
    super(reason, options)
    this.name = 'SnapshotRefused'
  }
}

/** Writes beside `file` and renames, so that no reader ever sees half of it. @throws the system's errors. */
export async function writeSnapshotFile(
  file: string,
  manifest: Omit<Manifest, 'options'>,
  content: AsyncIterable<SnapshotContent>,
): Promise<SnapshotCounts> {
  const partial = `${file}.partial`
  const counts = noCounts()
  async function* lines() {
    yield line({ options: OPTIONS_HASH, ...manifest } satisfies Manifest)
    for await (const value of content) {
      count(counts, value)
      yield line('rows' in value ? { kind: value.kind, columns: columnsOf(value.rows) } : value)
    }
    yield line({ counts })
  }
  try {
    await pipeline(lines, createWriteStream(partial))
    await rename(partial, file)
  } catch (error) {
    await rm(partial, { force: true })
    throw error
  }
  return counts
}

const line = (value: unknown) => `${JSON.stringify(value)}\n`

/** By field, its value in each row. The names of the fields in each row would nearly double the records' text. */
type Columns = Record<string, unknown[]>

function columnsOf(rows: readonly object[]): Columns {
  const columns: Columns = {}
  for (const name of Object.keys(rows[0] ?? {})) {
    columns[name] = rows.map((row) => row[name as keyof typeof row])
  }
  return columns
}

/** @throws SnapshotRefused where its records have no columns, or columns of several lengths. */
function contentOf(
  value: { kind: SnapshotKind; columns: Columns } | SnapshotIndexPart | SnapshotOrder,
): SnapshotContent {
  if ('index' in value || 'order' in value) return value
  try {
    return { kind: value.kind, rows: rowsOf(value.columns) }
  } catch (error) {
    throw new SnapshotRefused(`a line of another shape: ${messageOf(error)}`, { cause: error })
  }
}

const messageOf = (error: unknown) => (error instanceof Error ? error.message : String(error))

function rowsOf(columns: Columns): { id: string }[] {
  const fields = Object.entries(columns)
  const rows: Record<string, unknown>[] = Array.from(columns.id ?? [], () => ({}))
  for (const [name, values] of fields) {
    if (values.length !== rows.length) throw new Error(`${name} of ${values.length} records`)
  }
  for (const [place, row] of rows.entries()) {
    for (const [name, values] of fields) row[name] = values[place]
  }
  return rows as { id: string }[]
}

/**
 * Reads the file from its manifest on. @throws SnapshotRefused before the first record where the
 * options don't match, and instead of the end where the file is not whole.
 */
export async function* readSnapshotFile(
  file: string,
  check: (manifest: Manifest) => void | Promise<void>,
): AsyncGenerator<SnapshotContent> {
  const counts = noCounts()
  let manifest: Manifest | undefined
  let isWhole = false
  try {
    for await (const text of lines(file)) {
      if (isWhole) throw new SnapshotRefused('it goes on after its end')
      const value = JSON.parse(text)
      if (!manifest) {
        manifest = value as Manifest
        if (manifest.options !== OPTIONS_HASH) throw new SnapshotRefused('other index options')
        await check(manifest)
      } else if ('kind' in value) {
        const content = contentOf(value)
        count(counts, content)
        yield content
      } else {
        isWhole = JSON.stringify(value.counts) === JSON.stringify(counts)
      }
    }
  } catch (error) {
    if (error instanceof SnapshotRefused) throw error
    throw new SnapshotRefused(`unreadable: ${messageOf(error)}`, { cause: error })
  }
  if (!isWhole) throw new SnapshotRefused('not whole')
}

/**
 * Lines end with a line feed alone: `node:readline` would also cut at U+2028, which JSON lets stand. They are cut as
 * bytes, so that each is decoded once.
 */
async function* lines(file: string): AsyncGenerator<string> {
  let rest: Buffer[] = []
  for await (const chunk of createReadStream(file, { highWaterMark: 2 ** 20 })) {
    let start = 0
    for (let end = chunk.indexOf(LINE_FEED); end >= 0; end = chunk.indexOf(LINE_FEED, start)) {
      yield Buffer.concat([...rest, chunk.subarray(start, end)]).toString()
      rest = []
      start = end + 1
    }
    rest.push(chunk.subarray(start))
  }
  const last = Buffer.concat(rest).toString()
  if (last) yield last
}
const LINE_FEED = 0x0a
