/** Loaded before a server: SIGUSR2 has it write what its heap holds to `HEAP_FILE`. */
import { renameSync } from 'node:fs'
import { writeHeapSnapshot } from 'node:v8'

const file = process.env.HEAP_FILE ?? ''

process.on('SIGUSR2', () => {
  Bun.gc(true)
  writeHeapSnapshot(`${file}.partial`)
  renameSync(`${file}.partial`, file)
})
