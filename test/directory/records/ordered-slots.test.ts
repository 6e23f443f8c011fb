/** The order of a list after any changes is that of sorting its records anew. */
import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { OrderedSlots } from '../../../src/directory/records/ordered-slots.ts'
import { alphabetical, largestFirst, type Ordering } from '../../../src/directory/records/orders.ts'

interface Shown {
  id: string
  nameKey: string
  value: number | null
}

const ORDERINGS: readonly Ordering<Shown>[] = [alphabetical(), largestFirst(({ value }) => value)]

const LONG = 'Ångström Partners'
const names = fc.constantFrom(
  ...[
    '',
    'a',
    'A',
    'á',
    'a\u0301',
    'ab',
    'ss',
    'ß',
    'æ',
    'ae',
    '-',
    '$a',
    "'",
    '\0',
    'a\0b',
    'l·l',
    'll',
  ],
  ...[
    '=',
    '=\u0338',
    '👩‍🚀 Ann',
    '👩 Ann',
    'אבג',
    'עברית',
    '\u202ebA',
    '王伟',
    'Żółć',
    'Zolc',
    '\u200bab',
  ],
  ...[LONG, `${LONG} International`, `${LONG} international II`, `${LONG} 王`, `Angstrom Partners`],
)
const values = fc.constantFrom(
  ...[null, 0, -0, 1, -1, 0.5, 5e-324, 1e300, -1e300],
  ...[Number.NaN, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY],
)
const SLOTS = 300
const change = fc.record({
  slot: fc.nat(SLOTS - 1),
  /** Another record takes the slot of one that went. */
  kind: fc.constantFrom('put', 'put', 'put', 'go', 'another'),
  nameKey: names,
  value: values,
})
/** Few changes and, because more than a hundred go another way, many. */
const batch = fc.oneof(
  fc.array(change, { maxLength: 6 }),
  fc.array(change, { minLength: 150, maxLength: 250, size: 'max' }),
)

const idOf = (slot: number, version: number) =>
  `0193c000-${String((slot * 7) % 5).padStart(4, '0')}-7000-8000-${String(version * 1_000 + slot).padStart(12, '0')}`

/** The change in the records and in all that follow them, as a collection makes it. */
function apply(
  records: (Shown | undefined)[],
  followers: readonly OrderedSlots<Shown>[],
  { slot, kind, nameKey, value }: typeof change extends fc.Arbitrary<infer C> ? C : never,
  version: number,
) {
  const set = (after: Shown | null) => {
    const before = records[slot] ?? null
    records[slot] = after ?? undefined
    if (before || after) for (const order of followers) order.change(slot, before, after)
  }
  if (kind !== 'put') set(null)
  if (kind !== 'go') set({ id: records[slot]?.id ?? idOf(slot, version), nameKey, value })
}

for (const [place, ordering] of ORDERINGS.entries()) {
  test(`whatever comes, changes and goes, few or many at once (${place ? 'numbers' : 'names'})`, () => {
    fc.assert(
      fc.property(fc.array(batch, { minLength: 1, maxLength: 8 }), (batches) => {
        const records: (Shown | undefined)[] = Array.from({ length: SLOTS }, () => undefined)
        const followers = [new OrderedSlots(ordering)]
        let version = 0
        for (const changes of batches) {
          for (const one of changes) apply(records, followers, one, version++)
          const sorted = [...records.keys()]
            .filter((slot) => records[slot])
            .sort((a, b) => ordering.compare(records[a] as Shown, records[b] as Shown))
          for (const order of followers) {
            order.commit(records)
            expect([...order.slots]).toEqual(sorted)
          }
        }
      }),
      { numRuns: 25 },
    )
  })
}
