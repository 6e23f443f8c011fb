/** Lists in shared pages hold what arrays would, whatever order they grow and shrink in. */
import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { NumberLists } from '../../../index-build/number-lists.ts'

const LISTS = 4

/** Some numbers added to a list, or its first ones taken out. */
const step = fc.record({
  list: fc.nat(LISTS - 1),
  count: fc.oneof(fc.nat(20), fc.nat(9_000)),
  isRemoval: fc.boolean(),
})

const read = (lists: NumberLists, list: number) => {
  expect(lists.numbers(list).length).toBe(lists.length(list))
  return [...lists.numbers(list)].sort((a, b) => a - b)
}

test('lists hold what was added and not removed, and nothing of each other', () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 12 }), (steps) => {
      const lists = new NumberLists()
      const expected: number[][] = Array.from({ length: LISTS }, () => [])
      let next = 2 ** 31
      for (const { list, count, isRemoval } of steps) {
        const numbers = expected[list] ?? []
        for (const gone of isRemoval ? numbers.splice(0, Math.min(count, 300)) : []) {
          lists.remove(list, gone)
        }
        for (let left = isRemoval ? 0 : count; left > 0; left--) {
          numbers.push(next)
          lists.add(list, next++)
        }
      }
      for (const [list, numbers] of expected.entries()) expect(read(lists, list)).toEqual(numbers)
    }),
    { numRuns: 50 },
  )
})

test('a number that a list does not have changes nothing when it is removed', () => {
  const lists = new NumberLists()
  lists.remove(3, 1)
  lists.add(3, 1)
  lists.remove(3, 2)
  expect(read(lists, 3)).toEqual([1])
})

test('a list that shrinks and grows a thousand times takes no more than it did once', () => {
  const lists = new NumberLists()
  const fill = () => {
    for (let number = 0; number < 500; number++) lists.add(7, number)
  }
  fill()
  const pages = () => lists.whole.arrays.slice(1).map(({ length }) => length)
  const before = pages()
  for (let round = 0; round < 1_000; round++) {
    for (let number = 0; number < 500; number++) lists.remove(7, number)
    fill()
  }
  expect(pages()).toEqual(before)
})
