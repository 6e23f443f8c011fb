/** `bun run bench NAME [OPTIONS]`: runs a bench of this folder in a process of its own; its first lines name its options. */
const BENCHES = ['http', 'ledger', 'meter', 'pages', 'search', 'start']
/**
 * The search bench counts the garbage collector's work once, on the thread that searches, and not on as many threads as there
 * are cores.
 */
const ONE_THREAD = { BUN_JSC_numberOfGCMarkers: '1', BUN_JSC_useConcurrentGC: '0' }

const [name = '', ...options] = process.argv.slice(2)
if (!BENCHES.includes(name)) {
  console.error(`bun run bench NAME [OPTIONS]: ${BENCHES.join(', ')}`)
  process.exit(2)
}
const bench = Bun.spawn([process.execPath, `${import.meta.dirname}/${name}.ts`, ...options], {
  env: { ...process.env, ...(name === 'search' && ONE_THREAD) },
  stdio: ['inherit', 'inherit', 'inherit'],
})
process.exit(await bench.exited)
