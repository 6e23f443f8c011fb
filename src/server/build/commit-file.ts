/** Writes the commit into the package, which has no folder of Git. `npm pack` runs this. */
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { COMMIT } from '../../commit.ts'
import { ROOT } from './bundle.ts'

await writeFile(join(ROOT, 'commit'), `${COMMIT ?? ''}\n`)
