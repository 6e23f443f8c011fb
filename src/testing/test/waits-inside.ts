/**
 * Program of `awake.test.ts`, run by `bun test` with no timer of Bun's own: a promise that an assertion waits for is settled
 * by the kit's timer, or never. A listener keeps the process, as that of any test of a client does.
 */
import { expect, test } from 'bun:test'
import { createServer } from 'node:net'
import { awake } from '../awake.ts'

const server = createServer().listen(0, '127.0.0.1')

const turn = () => new Promise<void>((resolve) => setImmediate(resolve))

async function failing() {
  for (let turns = 0; turns < 3; turns++) await turn()
  throw new Error('three turns later')
}

test('an assertion that waits inside itself ends', async () => {
  const { rejects } = expect(process.env.ASLEEP ? failing() : awake(failing))
  await rejects.toThrow('three turns later')
  server.close()
})
