/** The embedded database that gives up: it is started again, also where it gives up once more before it is whole, and two never run on one folder. */
import { afterAll, expect, test } from 'bun:test'
import { once } from 'node:events'
import { mkdir, writeFile } from 'node:fs/promises'
import { createConnection } from 'node:net'
import { join } from 'node:path'
import type { EmbeddedEngine } from '../../src/database/embedded.ts'
import { startDatabase } from '../../src/database/embedded.ts'
import { temporaryDirectory } from '../helpers/command.ts'

const directory = await temporaryDirectory()
afterAll(() => directory.remove())

/** PostgreSQL as a double that runs nothing, and gives up when it is told. */
function engines(givesUpAtOnce: (start: number) => boolean) {
  const alive = new Set<number>()
  const panics: (() => void)[] = []
  let most = 0
  const engineOf = async (_folder: string, onPanic: () => void): Promise<EmbeddedEngine> => {
    const start = panics.push(onPanic)
    alive.add(start)
    most = Math.max(most, alive.size)
    const stop = async () => {
      alive.delete(start)
    }
    // A thread that gives up may say so twice, and the second time is heard when its port is closed.
    const kill = () => {
      onPanic()
      return stop()
    }
    if (givesUpAtOnce(start)) onPanic()
    return { run: async () => {}, stop, kill }
  }
  return { engineOf, panics, alive, most: () => most }
}

const place = (name: string) => ({
  folder: directory.path,
  socketPath: join(directory.path, name),
})

test('one that gives up before its start is over is not taken for running: it is started once more', async () => {
  const trouble: string[] = []
  const started = Promise.withResolvers<void>()
  const { engineOf, panics, alive, most } = engines((start) => {
    if (start === 3) started.resolve()
    return start === 2
  })
  const database = await startDatabase(place('again'), (what) => trouble.push(what), engineOf)
  panics[0]?.()
  await started.promise
  await database.stop()
  expect(trouble).toEqual([
    expect.stringContaining('started again'),
    expect.stringContaining('did not start: PostgreSQL gave up'),
  ])
  expect([most(), alive.size]).toEqual([1, 0])
})

test('one that says twice that it gives up is started again once: two on one folder would lose what was answered', async () => {
  const trouble: string[] = []
  const started = Promise.withResolvers<void>()
  const { engineOf, panics, most } = engines((start) => {
    if (start === 2) started.resolve()
    return false
  })
  const database = await startDatabase(place('twice'), (what) => trouble.push(what), engineOf)
  panics[0]?.()
  await started.promise
  await database.stop()
  expect(trouble).toEqual([expect.stringContaining('started again')])
  expect([panics.length, most()]).toEqual([2, 1])
})

test('what stands in the socket’s place when PostgreSQL runs does not keep it from being reached', async () => {
  const { engineOf, alive } = engines(() => false)
  const there = place('left-over')
  const database = await startDatabase(there, undefined, async (...of) => {
    await writeFile(there.socketPath, '')
    return engineOf(...of)
  })
  const client = createConnection(there.socketPath)
  await once(client, 'connect')
  client.destroy()
  await database.stop()
  expect(alive.size).toBe(0)
})

test('a first start that gives up, or whose socket cannot be made, is refused and leaves nothing running', async () => {
  const early = engines(() => true)
  const refusal = (of: typeof early, name: string) =>
    startDatabase(place(name), undefined, of.engineOf).catch(String)
  expect(await refusal(early, 'early')).toContain('did not start: PostgreSQL gave up')
  const inTheWay = engines(() => false)
  await mkdir(join(directory.path, 'none'))
  expect(await refusal(inTheWay, 'none/there/socket')).toContain('did not start: ')
  expect([early.alive.size, inTheWay.alive.size]).toEqual([0, 0])
})
