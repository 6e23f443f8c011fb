/** Lists that records share in memory. */
import { expect, test } from 'bun:test'
import { SharedLists } from '../../../src/directory/records/shared-lists.ts'

test('equal lists are one list, and no list stands for another', () => {
  const lists = new SharedLists()
  const first = lists.of(['a', 'b'])
  expect(lists.of(['a', 'b'])).toBe(first)
  for (const other of [[], [''], ['a'], ['b', 'a'], ['a', 'b', ''], ['a\nb'], ['a","b']]) {
    expect(lists.of(other)).toEqual(other)
  }
})
