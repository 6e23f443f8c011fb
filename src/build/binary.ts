/** `bun run build`: makes `dist/chainkin`, everything in one file, for this machine's system and processor. */
import { rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { COMMIT } from '../commit.ts'

const ROOT = join(import.meta.dirname, '../..')

const OUT = join(ROOT, 'dist/chainkin')

const workers = [...new Bun.Glob('src/**/*-worker.ts').scanSync(ROOT)]

await rm(join(ROOT, 'dist'), { recursive: true, force: true })
await Bun.build({
  entrypoints: ['src/main.ts', ...workers].map((path) => join(ROOT, path)),
  target: 'bun',
  // Side by side: all sources become one file, in which `./a-worker.ts` must still be a worker's place.
  naming: { entry: '[name].[ext]' },
  define: { BUILD_COMMIT: JSON.stringify(COMMIT ?? '') },
  // Shorter names have broken Elysia, which reads the source of handlers.
  minify: { syntax: true, whitespace: true, identifiers: false },
  sourcemap: 'linked',
  // Parsed sources in the file, an eighth of its size: to parse them is a third of what a start computes.
  bytecode: true,
  format: 'esm',
  compile: {
    outfile: OUT,
    // The environment is the configuration, and files that lie around are not.
    autoloadDotenv: false,
    autoloadBunfig: false,
  },
})
console.log(`${OUT}: ${((await stat(OUT)).size / 1e6).toFixed(1)} MB`)
