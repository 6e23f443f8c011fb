/** `bun run build`: makes `dist/chainkin`, everything in one file, for this machine's system and processor. */
import { rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { COMMIT } from '../../commit.ts'
import { BUNDLE, ROOT } from './bundle.ts'
import { writeNotices } from './notices.ts'

const OUT = join(ROOT, 'dist/chainkin')

await rm(join(ROOT, 'dist'), { recursive: true, force: true })
await Bun.build({
  ...BUNDLE,
  define: {
    BUILD_COMMIT: JSON.stringify(COMMIT ?? ''),
    BUNDLED_NOTICES: JSON.stringify(await writeNotices()),
  },
  // Shorter names have broken Elysia, which reads the source of handlers.
  minify: { syntax: true, whitespace: true, identifiers: false },
  sourcemap: 'linked',
  // Parsed sources in the file, an eighth of its size: to parse them is a third of what a start computes.
  bytecode: true,
  compile: {
    outfile: OUT,
    // The environment is the configuration, and files that lie around are not.
    autoloadDotenv: false,
    autoloadBunfig: false,
  },
})
console.log(`${OUT}: ${((await stat(OUT)).size / 1e6).toFixed(1)} MB`)
