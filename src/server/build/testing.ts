/**
 * Makes `src/testing/dist`, the kit as plain JavaScript for Node: `start.js`, which `chainkin/testing` names there, with its thread, and
 * `index.js`, which is the package `@chainkin/testing`. `npm pack` runs this.
 */
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { ROOT } from './bundle.ts'

const KIT = join(ROOT, 'src/testing')
const OUT = join(KIT, 'dist')

await Bun.build({
  entrypoints: [join(KIT, 'node/start.ts'), join(KIT, 'node/sender.ts')],
  outdir: OUT,
  target: 'node',
  format: 'esm',
})
for (const file of ['index.js', 'index.d.ts']) {
  await writeFile(join(OUT, file), "export * from 'chainkin/testing'\n")
}
