/**
 * `bun run scripts`: makes `src/site/client/docs-search.client.js`, the documentation's search for browsers, in one file
 * with MiniSearch. It is kept with the sources, because Deno and the package have no step that would make it.
 */
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'

const WEB = join(import.meta.dirname, '../../site')

export const SCRIPT = join(WEB, 'client/docs-search.client.js')

/** The notice that the library's licence asks for. */
const BANNER =
  '/*! With MiniSearch, Copyright 2022 Luca Ongaro, MIT: github.com/lucaong/minisearch */'

/** Returns the script's text. */
export async function makeScript(): Promise<string> {
  const { outputs } = await Bun.build({
    entrypoints: [join(WEB, 'docs/search-browser.ts')],
    target: 'browser',
    format: 'esm',
    minify: true,
    banner: BANNER,
  })
  const [script] = outputs
  if (!script) throw new Error('docs/search-browser.ts made no script')
  return script.text()
}

if (import.meta.main) {
  const text = await makeScript()
  await writeFile(SCRIPT, text)
  console.log(`${SCRIPT}: ${text.length} characters`)
}
