/** Files of the archived ledger: gzipped CSV for each month, and a manifest with their sums and hashes. */
import { createHash } from 'node:crypto'
import { createWriteStream, existsSync } from 'node:fs'
import { mkdir, readFile, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { createGzip } from 'node:zlib'
import { syncPath } from '../../database/archive.ts'
import { writePrivateFile } from '../../database/private-file.ts'

/** A month in the manifest. Numbers that may exceed 2^53 are text. */
export interface Month {
  file: string
  /** ISO 8601; null where the file begins with the first entry of all. */
  since: string | null
  until: string
  entries: number
  /** Sum of the entries' credits. */
  credits: string
  /** Sum of the sequence numbers. */
  numbers: string
  /** Hash of the file. */
  sha256: string
  bytes: number
}

interface Manifest {
  format: typeof FORMAT
  version: 1
  columns: readonly string[]
  /** Oldest first. */
  months: Month[]
}

/** Part of a month: lines of CSV with their sums. */
interface Bite {
  entries: number
  credits: string
  numbers: string
  lines: string
}

const FORMAT = 'chainkin ledger'
const MANIFEST = 'manifest.json'
const COLUMNS = [
  'sequence',
  'account_id',
  'at',
  'kind',
  'credits',
  'balance_after',
  'request_id',
  'endpoint',
  'key_id',
  'grant_id',
] as const

/** The folder holds other files than those that would be written. */
export class FilesRefused extends Error {
  override name = 'FilesRefused'
}

export class LedgerFiles {
  readonly #folder: string
  readonly #months: Map<string, Month>

  private constructor(folder: string, months: readonly Month[]) {
    this.#folder = folder
    this.#months = new Map(months.map((month) => [month.file, month]))
  }

  /** Opens a folder, and makes it if needed. @throws FilesRefused, or an error of the system */
  static async in(folder: string): Promise<LedgerFiles> {
    await mkdir(folder, { recursive: true, mode: 0o700 })
    return new LedgerFiles(folder, await monthsIn(join(folder, MANIFEST)))
  }

  /**
   * Writes a month's file and its line in the manifest. After a crash at any point the next run writes the file again.
   * @param bites reads the entries from the start at each call
   * @throws FilesRefused where the folder has another file of that name
   */
  async write(
    { name, since, until }: { name: string; since: string | null; until: string },
    bites: () => AsyncIterable<Bite>,
  ): Promise<Month> {
    const file = fileOf(name, until)
    const path = join(this.#folder, file)
    const known = this.#months.get(file)
    if (!known && existsSync(path)) {
      throw new FilesRefused(`${path} is there already, and ${MANIFEST} doesn't name it`)
    }
    const partial = `${path}.partial`
    try {
      const month = { file, since, until, ...(await writeCsv(partial, bites())) }
      if (
        known &&
        (['entries', 'credits', 'numbers'] as const).some((sum) => known[sum] !== month[sum])
      ) {
        throw new FilesRefused(
          `${path} holds other entries than the database has of that month: choose another folder`,
        )
      }
      this.#months.set(file, month)
      // The line comes first, because a file without one counts as somebody else's.
      await this.#writeManifest()
      await rename(partial, path)
      await syncPath(this.#folder)
      return month
    } catch (error) {
      await rm(partial, { force: true })
      throw error
    }
  }

  async #writeManifest(): Promise<void> {
    const months = [...this.#months.values()].sort((one, other) =>
      one.until < other.until ? -1 : 1,
    )
    const manifest: Manifest = { format: FORMAT, version: 1, columns: COLUMNS, months }
    await writePrivateFile(join(this.#folder, MANIFEST), `${JSON.stringify(manifest, null, 2)}\n`)
  }
}

/** `ledger-2026-01.csv.gz`, or `ledger-until-2026-01.csv.gz` for the partition without a beginning. */
function fileOf(name: string, until: string): string {
  const month = /^ledger_(\d{4})_(\d\d)$/.exec(name)
  if (month) return `ledger-${month[1]}-${month[2]}.csv.gz`
  const last = new Date(Date.parse(until) - 1).toISOString().slice(0, 7)
  return `ledger-until-${last}.csv.gz`
}

async function monthsIn(path: string): Promise<readonly Month[]> {
  if (!existsSync(path)) return []
  try {
    const manifest: Manifest = JSON.parse(await readFile(path, 'utf8'))
    if (manifest.format === FORMAT && manifest.version === 1) return manifest.months
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error
  }
  throw new FilesRefused(`${path} is no manifest of this version`)
}

/** Writes and syncs a file. @returns its sums. */
async function writeCsv(path: string, bites: AsyncIterable<Bite>) {
  const hash = createHash('sha256')
  let [entries, credits, numbers, bytes] = [0, 0n, 0n, 0]
  async function* lines() {
    yield `${COLUMNS.join()}\r\n`
    for await (const bite of bites) {
      entries += bite.entries
      credits += BigInt(bite.credits)
      numbers += BigInt(bite.numbers)
      yield bite.lines
    }
  }
  async function* counted(chunks: AsyncIterable<Uint8Array>) {
    for await (const chunk of chunks) {
      hash.update(chunk)
      bytes += chunk.length
      yield chunk
    }
  }
  // A file left by a killed run would keep its mode.
  await rm(path, { force: true })
  await pipeline(
    Readable.from(lines()),
    createGzip(),
    counted,
    createWriteStream(path, { flags: 'wx', mode: 0o600 }),
  )
  await syncPath(path)
  return {
    entries,
    credits: String(credits),
    numbers: String(numbers),
    sha256: hash.digest('hex'),
    bytes,
  }
}
