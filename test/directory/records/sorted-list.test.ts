/** A list that stays in order whatever comes and goes. */
import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { SortedList } from '../../../src/directory/records/ordered-slots.ts'

const descending = (a: number, b: number) => b - a

test('holds what was put in and not taken out, in order', () => {
  const values = fc.uniqueArray(fc.nat(99), { maxLength: 60 })
  fc.assert(
    fc.property(fc.array(fc.record({ come: values, go: values })), (changes) => {
      const list = new SortedList()
      const held = new Set<number>()
      for (const { come, go } of changes) {
        list.remove(go, descending)
        for (const value of go) held.delete(value)
        const added = come.filter((value) => !held.has(value))
        list.insert(Uint32Array.from(added).sort(descending), descending)
        for (const value of added) held.add(value)
        expect([...list.values]).toEqual([...held].sort(descending))
      }
    }),
  )
})

test('what goes is gone, whether few or many go at once, and what is not there takes nothing along', () => {
  for (const count of [1, 100, 101, 700]) {
    const list = new SortedList()
    const values = Uint32Array.from({ length: 1_000 }, (_, i) => i * 2).sort(descending)
    list.insert(values, descending)
    const gone = Array.from({ length: count }, (_, i) => 2 * ((i * 37) % 1_000))
    for (const absent of [[], [1], [2_001]]) list.remove([...gone, ...absent], descending)
    const left = values.filter((value) => !gone.includes(value))
    expect(list.values).toEqual(left)
  }
})
