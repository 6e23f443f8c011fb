/** No test may wait in a way that its timeout can't end. */
import { expect, test } from 'bun:test'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { PROJECT_ROOT, testFiles } from './command.ts'
import { expectRejection, rejection } from './rejection.ts'

test('a rejection is compared as toThrow does, and a fulfilled promise is no rejection', async () => {
  const failing = () => Promise.reject(new RangeError('too far'))
  await expectRejection(failing())
  await expectRejection(failing(), 'far')
  await expectRejection(failing(), RangeError)
  await expectRejection(expectRejection(failing(), 'near'), 'near')
  expect(await rejection(failing())).toMatchObject({ name: 'RangeError' })
  await expectRejection(rejection(Promise.resolve(1)), 'fulfilled')
})

test('no test waits with .rejects or .resolves, which no timeout ends', async () => {
  const root = PROJECT_ROOT
  const names = (await testFiles()).filter(
    (name) => !/^test\/(example|clients\/test-server)\//.test(name),
  )
  const waiting = await Promise.all(
    names.map(async (name) => {
      const text = await readFile(join(root, name), 'utf8')
      return /^\s*[^/*\s].*\)\.(rejects|resolves)\.|^\s*\)\.(rejects|resolves)\./m.test(text)
        ? name
        : []
    }),
  )
  expect(waiting.flat()).toEqual([])
})
