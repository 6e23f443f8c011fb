/** D180: the server over HTTP is stopped while it is used. */
import { expect, test } from 'bun:test'
import { startDirectory } from '../../src/testing/start.ts'
import { shared } from '../helpers/shared.ts'
import { httpServer, told } from './clients.ts'

const dir = shared(
  () => startDirectory({ listen: false }),
  (started) => started.stop(),
)

test('a server that stops lets a call that it has begun finish, and its answer arrives', async () => {
  const [asked, answered] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  const server = httpServer(dir, {
    async fetch(url, init) {
      if (url.includes('/v1/search')) {
        asked.resolve()
        await answered.promise
      }
      return dir.fetch(url, init)
    },
  })
  const { key } = await dir.account({ tier: 'pro', credits: 100 })
  const client = await server.connect(key)
  const search = told(client, 'search', { q: 'aurora' })
  await asked.promise
  const stopped = server[Symbol.asyncDispose]()
  // It takes no more calls by then.
  while (await fetch(server.url, { keepalive: false }).catch(() => undefined)) await Bun.sleep(5)
  answered.resolve()
  expect((await search).body.projects[0].slug).toBe('aurora-protocol')
  await stopped
})
