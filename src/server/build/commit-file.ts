/** Writes the commit into the package, which has no folder of Git. `npm pack` runs this. */
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { COMMIT } from '../../commit.ts'

await writeFile(join(import.meta.dirname, '../../commit'), `${COMMIT ?? ''}\n`)
