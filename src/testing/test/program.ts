/** Program of `leaves-nothing.test.ts`: it ends by itself, or has left something behind. */
const { setTimeout, clearTimeout } = globalThis
/** Timers that are neither over nor cleared, with their milliseconds. */
const timers = new Map<ReturnType<typeof setTimeout>, number>()
Object.assign(globalThis, {
  setTimeout(work: (...args: unknown[]) => void, ms = 0, ...args: unknown[]) {
    const done = () => {
      timers.delete(timer)
      work(...args)
    }
    const timer = setTimeout(done, ms)
    timers.set(timer, ms)
    return timer
  },
  clearTimeout(timer: ReturnType<typeof setTimeout>) {
    timers.delete(timer)
    clearTimeout(timer)
  },
})

const { fixtures, startDirectory } = await import('../start.ts')

const directories = await Promise.all([
  startDirectory(),
  startDirectory({ companies: [{ name: 'Acme', companyType: 'project' }] }),
  startDirectory({ listen: false }),
])
for (const dir of directories) {
  const { key } = await dir.account({ tier: 'pro', credits: 10 })
  const headers = { authorization: `Bearer ${key}` }
  await (await dir.fetch(`/v1/people/${fixtures.people.ada.slug}`, { headers })).text()
  await (await dir.fetch(`${dir.appUrl}/openapi.json`)).text()
  dir.slow(3_600_000)
  // Nobody waits for this one, nor for the connection that is kept open.
  dir.fetch('/v1/me', { headers }).catch(() => {})
  if (dir !== directories[2]) fetch(`${dir.url}/v1/me`, { headers }).catch(() => {})
}
await Promise.all(directories.map((dir) => dir.stop()))
// Timers that keep the process for a while show here alone. Deno's don't say whether they do.
const kept = [...timers].filter(
  ([timer, ms]) => ms > 1_000 && typeof timer === 'object' && timer.hasRef(),
)
console.log(
  JSON.stringify({ urls: directories.map(({ url }) => url), kept: kept.map(([, ms]) => ms) }),
)

// Makes a module of the file.
export {}
