/** The program as one bundle, for the binary and its licences. */
import { join } from 'node:path'

export const ROOT = join(import.meta.dirname, '../../..')

const workers = [...new Bun.Glob('src/**/*-worker.ts').scanSync(ROOT)]

export const BUNDLE = {
  entrypoints: ['src/main.ts', ...workers].map((path) => join(ROOT, path)),
  target: 'bun',
  // Outputs lie side by side, because all sources become one file that starts its workers as `./a-worker.ts`.
  naming: { entry: '[name].[ext]' },
  format: 'esm',
} as const
