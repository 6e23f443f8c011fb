/** The fixed directory's database, prepared by `bun run image`: to import its records takes longer than all the rest of a start. */
import { engine } from '../database/engine.ts'
import { unpacked } from '../database/image.ts'
import { imageFiles, type MemoryFile } from '../database/memory.ts'
import { once } from '../once.ts'
import { differsFrom, withDifferences } from './differences.ts'
import prepared from './fixtures.pages.br' with { type: 'bytes' }

/** The files of the database that `seedFixed` made (`seed.ts`), unpacked once a process. Nobody writes to them. */
export const fixedFiles = once(async (): Promise<readonly MemoryFile[]> => {
  const [base, differences] = await Promise.all([imageFiles(), decompressed()])
  return withDifferences(differences, base)
})

const decompressed = () => unpacked('src/testing/fixtures.pages.br', prepared)

/** The SHA-256 of the image's archive that these files differ from: a test holds that it is this build's. */
export const baseHash = async () => differsFrom(await decompressed())

/** Begins to load what a start needs, on other threads: for whoever has more to import before it. */
export function loadAhead(): void {
  // A start tells of what failed.
  Promise.all([engine(), fixedFiles()]).catch(() => {})
}
