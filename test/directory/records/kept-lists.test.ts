/** Lists are kept for their next page, however many records there are. */
import { expect, test } from 'bun:test'
import { KeptLists } from '../../../src/directory/records/collection.ts'
import { Ranking } from '../../../src/directory/search/rank.ts'
import { unfollowed } from '../search/followers.ts'

const RECORDS = 3_000_000

test('a list of nearly all of millions is kept for its next page, and so is what a query finds', () => {
  const lists = new KeptLists()
  lists.clear(RECORDS)
  let made = 0
  const slots = new Uint32Array(RECORDS - 1)
  const matches = { slots, scores: new Uint16Array(slots.length) }
  const followers = unfollowed(0)
  for (let page = 1; page <= 3; page++) {
    lists.slots('founders', () => {
      made++
      return slots
    })
    lists.ranking('a', () => {
      made++
      return new Ranking(matches, followers)
    })
  }
  expect(made).toBe(2)
  lists.clear(RECORDS)
  expect(lists.slots('founders', () => new Uint32Array(0))).toHaveLength(0)
})
