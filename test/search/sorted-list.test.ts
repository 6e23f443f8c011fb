/** A list that stays in order whatever comes and goes. */
import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { sortedInSteps } from '../../index-build/sorted-in-steps.ts'
import { SortedList } from '../../index-build/sorted-list.ts'

const descending = (a: number, b: number) => b - a

/** Runs through. @returns its steps and its result. */
function finished<T>(steps: Generator<void, T>): { steps: number; result: T } {
  for (let count = 0; ; count++) {
    const step = steps.next()
    if (step.done) return { steps: count, result: step.value }
  }
}

test('holds what was put in and not taken out, in order', () => {
  const values = fc.uniqueArray(fc.nat(99), { maxLength: 60 })
  fc.assert(
    fc.property(fc.array(fc.record({ come: values, go: values })), (changes) => {
      const list = new SortedList()
      const held = new Set<number>()
      for (const { come, go } of changes) {
        const isGone = new Uint8Array(100)
        for (const value of go) isGone[value] = 1
        list.remove(isGone)
        for (const value of go) held.delete(value)
        const added = come.filter((value) => !held.has(value))
        finished(list.insert(added, descending))
        for (const value of added) held.add(value)
        expect([...list.values]).toEqual([...held].sort(descending))
      }
    }),
  )
})

test('many are sorted in steps, none of which sorts or merges more than a few thousand', () => {
  const count = 50_001
  const mixed = Uint32Array.from({ length: count }, (_, i) => (i * 7_919) % count)
  let compared = 0
  let most = 0
  const compare = (a: number, b: number) => {
    compared++
    return b - a
  }
  const sorting = sortedInSteps(mixed, compare, (few) => few.sort(compare))
  const watched = (function* () {
    for (;;) {
      compared = 0
      const step = sorting.next()
      most = Math.max(most, compared)
      if (step.done) return step.value
      yield
    }
  })()
  const { steps, result } = finished(watched)
  expect(result).toEqual(Uint32Array.from({ length: count }, (_, i) => count - 1 - i))
  expect(steps).toBeGreaterThan(50)
  expect(most).toBeLessThan(100_000)
})
