/** What `leaves-nothing.test.ts` runs in a process of its own: it ends by itself, or has left something behind. */
import { fixtures, startDirectory } from '../../src/testing/start.ts'

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
console.log(JSON.stringify(directories.map(({ url }) => url)))
