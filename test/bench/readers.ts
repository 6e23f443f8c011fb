/**
 * People who browse, in a process that `browsing.ts` starts and ends: reading their pages in its own process would delay
 * the calls that it measures. Sends a message for each page, and ends at one that is no 200.
 */
import { setTimeout as pause } from 'node:timers/promises'
import { Chance } from '../../src/server/demo/random.ts'

/** The only message to this process. */
export interface Browsing {
  appUrl: string
  /** One for each reader. */
  cookies: readonly string[]
  /** Addresses of each kind of page; each kind is opened equally often. */
  kinds: readonly (readonly string[])[]
  /** Time that each reader stays on a page. */
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
