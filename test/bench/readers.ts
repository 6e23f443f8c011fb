/**
 * People who browse, in the process that `browsing.ts` starts and ends: reading and unpacking their pages
 * would delay the calls that are measured. Tells of each page that came.
 * @throws where one is no 200, which ends the process
 */
import { setTimeout as pause } from 'node:timers/promises'
import { Chance } from '../../src/server/demo/random.ts'

/** What this is told once. */
export interface Browsing {
  appUrl: string
  /** One for each who browses. */
  cookies: readonly string[]
  /** Addresses of each kind of page; kinds are looked at equally often. */
  kinds: readonly (readonly string[])[]
  /** How long each looks at a page before going to another. */
  lookMs: number
}

const chance = new Chance(11)

process.once('message', async ({ appUrl, cookies, kinds, lookMs }: Browsing) => {
  async function read(cookie: string, number: number) {
    // Not all at the same moment.
    await pause((number * lookMs) / cookies.length)
    for (;;) {
      const from = performance.now()
      const address = appUrl + chance.pick(chance.pick(kinds))
      const response = await fetch(address, { headers: { cookie } })
      await response.arrayBuffer()
      if (response.status !== 200) throw new Error(`${address}: ${response.status}`)
      process.send?.('pages')
      await pause(Math.max(0, lookMs - (performance.now() - from)))
    }
  }
  await Promise.all(cookies.map(read))
})
