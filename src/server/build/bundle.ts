/** The program as one bundle: what the binary is compiled from, and what its licences are asked of. */
import { join } from 'node:path'

export const ROOT = join(import.meta.dirname, '../../..')

const workers = [...new Bun.Glob('src/**/*-worker.ts').scanSync(ROOT)]

export const BUNDLE = {
  entrypoints: ['src/main.ts', ...workers].map((path) => join(ROOT, path)),
  target: 'bun',
  // Side by side: all sources become one file, in which `./a-worker.ts` must still be a worker's place.
  naming: { entry: '[name].[ext]' },
  format: 'esm',
} as const
