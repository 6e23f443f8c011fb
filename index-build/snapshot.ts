/**
 * The snapshot file: one JSON value a line. The first is the manifest, the last the counts; between
 * them stand the records, each with its search document. A file that ends early has no counts and is
 * refused, and so is one whose documents were made with other options.
 */
import { createReadStream, createWriteStream } from 'node:fs'
import { rename, rm } from 'node:fs/promises'
import { pipeline } from 'node:stream/promises'
import type { SearchDocument } from './documents.ts'
import { OPTIONS_HASH } from './options.ts'

export interface Manifest {
  /** What the documents were made with. */
  options: string
  /** Which database it was read from. */
  database: string
  /** The change-log sequence up to which it holds everything. */
  position: number
}

export type SnapshotKind = 'company' | 'round' | 'person'

/** A record's row and, where it is searched, its document. */
export interface SnapshotRecord {
  kind: SnapshotKind
  row: { id: string }
  document: SearchDocument | null
}

export type SnapshotCounts = Record<SnapshotKind, number>

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
  records: AsyncIterable<SnapshotRecord>,
): Promise<SnapshotCounts> {
  const partial = `${file}.partial`
  const counts: SnapshotCounts = { company: 0, round: 0, person: 0 }
  async function* content() {
    yield line({ options: OPTIONS_HASH, ...manifest } satisfies Manifest)
    for await (const { kind, row, document } of records) {
      counts[kind]++
      yield line([kind, row, document && encode(document)])
    }
    yield line({ counts })
  }
  try {
    await pipeline(content, createWriteStream(partial))
    await rename(partial, file)
  } catch (error) {
    await rm(partial, { force: true })
    throw error
  }
  return counts
}

const line = (value: unknown) => `${JSON.stringify(value)}\n`

/**
 * Reads the file from its manifest on. @throws SnapshotRefused before the first record where the
 * options don't match, and instead of the end where the file is not whole.
 */
export async function* readSnapshotFile(
  file: string,
  check: (manifest: Manifest) => void | Promise<void>,
): AsyncGenerator<SnapshotRecord> {
  const counts: SnapshotCounts = { company: 0, round: 0, person: 0 }
  let manifest: Manifest | undefined
  let isWhole = false
  try {
    for await (const text of lines(file)) {
      const value = JSON.parse(text)
      if (!manifest) {
        manifest = value as Manifest
        if (manifest.options !== OPTIONS_HASH) throw new SnapshotRefused('other index options')
        await check(manifest)
      } else if (Array.isArray(value)) {
        const [kind, row, document] = value
        counts[kind as SnapshotKind]++
        yield { kind, row, document: document && decode(document) }
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

type EncodedDocument = [name: string, handle: string, words: string]

/** Words hold no white space, so the list of words and their fields is one string. */
function encode({ name, handle, words }: SearchDocument): EncodedDocument {
  return [name, handle, [...words].flat().join(' ')]
}

function decode([name, handle, list]: EncodedDocument): SearchDocument {
  const words = new Map<string, number>()
  const parts = list === '' ? [] : list.split(' ')
  for (let i = 0; i < parts.length; i += 2) words.set(parts[i] ?? '', Number(parts[i + 1]))
  return { name, handle, words }
}
