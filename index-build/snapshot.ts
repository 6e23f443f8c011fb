/**
 * The snapshot file: one JSON value a line. The first is the manifest, the last the counts; between
 * them stand the records, and then the search index of them in parts. A file that ends early has no
 * counts and is refused, and so is one whose index was made with other options.
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

export interface SnapshotRecord {
  kind: SnapshotKind
  row: { id: string }
}

/** A part of the index of the records of a kind, which come before it in the order of their slots. */
export interface SnapshotIndexPart {
  kind: Exclude<SnapshotKind, 'round'>
  index: IndexPart
}

type Content = SnapshotRecord | SnapshotIndexPart

/** How many records of each kind, and how many parts of indexes. */
export type SnapshotCounts = Record<SnapshotKind | 'index', number>

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
  content: AsyncIterable<Content>,
): Promise<SnapshotCounts> {
  const partial = `${file}.partial`
  const counts: SnapshotCounts = { company: 0, round: 0, person: 0, index: 0 }
  async function* lines() {
    yield line({ options: OPTIONS_HASH, ...manifest } satisfies Manifest)
    for await (const value of content) {
      counts[kindOf(value)]++
      yield line(value)
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

const kindOf = (value: Content) => ('index' in value ? 'index' : value.kind)

const line = (value: unknown) => `${JSON.stringify(value)}\n`

/**
 * Reads the file from its manifest on. @throws SnapshotRefused before the first record where the
 * options don't match, and instead of the end where the file is not whole.
 */
export async function* readSnapshotFile(
  file: string,
  check: (manifest: Manifest) => void | Promise<void>,
): AsyncGenerator<Content> {
  const counts: SnapshotCounts = { company: 0, round: 0, person: 0, index: 0 }
  let manifest: Manifest | undefined
  let isWhole = false
  try {
    for await (const text of lines(file)) {
      const value = JSON.parse(text)
      if (!manifest) {
        manifest = value as Manifest
        if (manifest.options !== OPTIONS_HASH) throw new SnapshotRefused('other index options')
        await check(manifest)
      } else if ('kind' in value) {
        counts[kindOf(value)]++
        yield value
      } else {
        isWhole = JSON.stringify(value.counts) === JSON.stringify(counts)
      }
    }
  } catch (error) {
    if (error instanceof SnapshotRefused) throw error
    const reason = error instanceof Error ? error.message : String(error)
    throw new SnapshotRefused(`unreadable: ${reason}`, { cause: error })
  }
  if (!isWhole) throw new SnapshotRefused('not whole')
}

/** Lines end with a line feed alone: `node:readline` would also cut at U+2028, which JSON lets stand. */
async function* lines(file: string): AsyncGenerator<string> {
  let rest = ''
  for await (const chunk of createReadStream(file, { encoding: 'utf8', highWaterMark: 2 ** 18 })) {
    const parts = `${rest}${chunk}`.split('\n')
    rest = parts.pop() ?? ''
    yield* parts
  }
  if (rest) yield rest
}
