/**
 * The command line with the waits of tests. Its workers are started from this file, too. Built by `built-program.ts` it has the
 * service's own waits, unless it is called by its second name.
 */
import { WAITS } from '../../src/database/waits.ts'
import { PATIENCE_MS } from './limit.ts'

const isBuilt = Bun.main.includes('$bunfs')
if (!isBuilt || process.execPath.endsWith('-patient')) {
  for (const wait of Object.keys(WAITS) as (keyof typeof WAITS)[]) WAITS[wait] = PATIENCE_MS
}
await import('../../src/main.ts')
