/** Work that is done once, and again where it failed. */
import { expect, test } from 'bun:test'
import { once } from '../src/once.ts'
import { rejection } from './helpers/rejection.ts'

test('work is done once for everybody who calls, also while it runs', async () => {
  let runs = 0
  const count = once(async () => ++runs)
  expect(await Promise.all([count(), count()])).toEqual([1, 1])
  expect(await count()).toBe(1)
})

test('a failure reaches those who wait for it, and the next call tries again', async () => {
  let runs = 0
  const work = once(async () => {
    runs += 1
    if (runs === 1) throw new Error('no')
    return runs
  })
  const failures = await Promise.all([rejection(work()), rejection(work())])
  expect([String(failures[0]), failures[0] === failures[1], runs]).toEqual(['Error: no', true, 1])
  expect([await work(), await work()]).toEqual([2, 2])
})
