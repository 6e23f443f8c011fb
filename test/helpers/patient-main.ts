/** The command line, which waits as long as a test's own service does. Its workers are started from this file, too. */
import { WAITS } from '../../src/database/waits.ts'
import { PATIENCE_MS } from './limit.ts'

for (const wait of Object.keys(WAITS) as (keyof typeof WAITS)[]) WAITS[wait] = PATIENCE_MS
await import('../../src/main.ts')
