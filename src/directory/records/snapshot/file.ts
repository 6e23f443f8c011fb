/**
 * The snapshot file: one JSON value a line, and behind the lines the arrays that these name (`byte-area.ts`). The first
 * line is the manifest, the last the counts; between them stand the records, hundreds a line, and then the search index of
 * them in parts and the orders that they are listed in. A file that ends early has no counts and is refused, and so is
 * one whose index was made with other options.
 */
import { createWriteStream } from 'node:fs'
import { type FileHandle, open, rename, rm } from 'node:fs/promises'
import { pipeline } from 'node:stream/promises'
import { INDEX_OPTIONS } from '../../../../index-build/options.ts'
import { AreaWriter, openArea } from './byte-area.ts'
import { contentOf, lineOf, type SnapshotContent, type SnapshotKind } from './lines.ts'

/** Raise it when the file gets another form. */
const FORM = 1
const OPTIONS = `${FORM} ${INDEX_OPTIONS}`

export interface Manifest {
  /** Options of the index, and the format of the file. */
  options: string
  /** Fields of the records. */
  fields: string
  /** Identity of the source database. */
  database: string
  /** The change-log sequence up to which it holds everything. */
  position: number
  /** When that change was made, in seconds since the epoch; without it where the log was empty, and in files of earlier versions. */
  positionAt?: number | undefined
}

/** How many records of each kind, parts of indexes, orders, and bytes of arrays. */
export type SnapshotCounts = Record<SnapshotKind | 'index' | 'order' | 'bytes', number>

const noCounts = (): SnapshotCounts => ({
  company: 0,
  round: 0,
  person: 0,
  index: 0,
  order: 0,
  bytes: 0,
})

function count(counts: SnapshotCounts, content: SnapshotContent) {
  if ('rows' in content) counts[content.kind] += content.rows.length
  else counts['order' in content ? 'order' : 'index']++
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
  content: Iterable<SnapshotContent>,
): Promise<SnapshotCounts> {
  const partial = `${file}.partial`
  const counts = noCounts()
  const area = new AreaWriter()
  let linesEnd = 0
  function line(value: unknown): Buffer {
    const bytes = Buffer.from(`${JSON.stringify(value)}\n`)
    linesEnd += bytes.length
    return bytes
  }
  function* parts() {
    yield line({ options: OPTIONS, ...manifest } satisfies Manifest)
    for (const value of content) {
      count(counts, value)
      yield line(lineOf(value, area))
    }
    counts.bytes = area.length
    yield line({ counts })
    yield* area.bytes(linesEnd)
  }
  try {
    await pipeline(parts, createWriteStream(partial))
    await rename(partial, file)
  } catch (error) {
    await rm(partial, { force: true })
    throw error
  }
  return counts
}

/**
 * Reads the file from its manifest on. @throws SnapshotRefused before the first record where the
 * options don't match, and instead of the end where the file is not whole.
 * @param isMapped where it is one that nobody writes to: a file that is cut short while it is mapped ends the process.
 */
export async function* readSnapshotFile(
  file: string,
  check: (manifest: Manifest) => void | Promise<void>,
  isMapped = false,
): AsyncGenerator<SnapshotContent> {
  const counts = noCounts()
  let manifest: Manifest | undefined
  let isWhole = false
  try {
    await using handle = await open(file)
    const { area, linesEnd } = await openArea(handle, file, isMapped)
    counts.bytes = area.length
    for await (const text of lines(handle, linesEnd)) {
      if (isWhole) throw new SnapshotRefused('it goes on after its end')
      const value = JSON.parse(text)
      if (!manifest) {
        manifest = value as Manifest
        if (manifest.options !== OPTIONS) throw new SnapshotRefused('other index options')
        await check(manifest)
      } else if ('kind' in value) {
        const content = shaped(() => contentOf(value, area))
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

function shaped(make: () => SnapshotContent): SnapshotContent {
  try {
    return make()
  } catch (error) {
    throw new SnapshotRefused(`a line of another shape: ${messageOf(error)}`, { cause: error })
  }
}

const messageOf = (error: unknown) => (error instanceof Error ? error.message : String(error))

/**
 * Lines end with a line feed alone: `node:readline` would also cut at U+2028, which JSON lets stand. They are cut as
 * bytes, so that each is decoded once.
 */
async function* lines(handle: FileHandle, end: number): AsyncGenerator<string> {
  let rest: Buffer[] = []
  const chunk = Buffer.from(new ArrayBuffer(CHUNK))
  for (let position = 0; position < end; ) {
    const { bytesRead } = await handle.read(chunk, 0, Math.min(CHUNK, end - position), position)
    if (bytesRead === 0) break
    position += bytesRead
    const read = chunk.subarray(0, bytesRead)
    let start = 0
    for (let to = read.indexOf(LINE_FEED); to >= 0; to = read.indexOf(LINE_FEED, start)) {
      yield Buffer.concat([...rest, read.subarray(start, to)]).toString()
      rest = []
      start = to + 1
    }
    rest.push(Buffer.from(read.subarray(start)))
  }
  const last = Buffer.concat(rest).toString()
  if (last) yield last
}
const LINE_FEED = 0x0a
const CHUNK = 2 ** 20
