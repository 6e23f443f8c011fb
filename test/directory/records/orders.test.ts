/** Sorting by an order. */
import { expect, test } from 'bun:test'
import {
  alphabetical,
  largestFirst,
  type Ordering,
  sortedPlaces,
} from '../../../src/directory/records/orders.ts'

const record = (number: number) => ({
  id: `0193c000-${((number * 7) % 10).toString().padStart(4, '0')}-7000-8000-${String((number * 977) % 2_999).padStart(12, '0')}`,
  nameKey: `${['Ann', 'ann', 'Änn', 'Bo Example', 'Bo Example Longest'][number % 5]} ${number % 7}`,
  value: number % 3 === 0 ? null : (number * 31) % 11,
})
type Shown = ReturnType<typeof record>

const ORDERINGS: Record<string, Ordering<Shown>> = {
  'by name': alphabetical(),
  'largest first': largestFirst(({ value }) => value),
}

for (const [name, ordering] of Object.entries(ORDERINGS)) {
  test(`records sorted ${name} are where comparing each two of them puts them`, () => {
    for (const count of [0, 1, 499, 500, 501, 2_999]) {
      const records = Array.from({ length: count }, (_, number) => record(number))
      const places = sortedPlaces(records, ordering)
      const sorted = Array.from(places, (place) => records[place])
      expect(sorted).toEqual(records.toSorted(ordering.compare))
    }
  })
}

test('records without a number come last, equal ones by id', () => {
  const { compare } = largestFirst<{ id: string; value: number | null }>(({ value }) => value)
  const values = [null, -3, 0, 7, 7, null, Number.NaN, Number.POSITIVE_INFINITY]
  const records = values.map((value, place) => ({ id: `${9 - place}`, value }))
  const sorted = records.sort(compare).map(({ id }) => id)
  expect(sorted).toEqual(['5', '6', '7', '8', '2', '3', '4', '9'])
})
