/** The order by name: the collator's, then by id; and numbers that agree with both. */
import { expect, test } from 'bun:test'
import fc from 'fast-check'
import {
  byId,
  byName,
  compareNames,
  idNumber,
  nameNumbers,
} from '../../../src/directory/records/names.ts'

/** Beside other tests twenty thousand runs of a property take longer than usual. */

const collator = new Intl.Collator('en', { sensitivity: 'base', ignorePunctuation: false })

const unit = fc.constantFrom(..."  aAbBzZ019éÉß-'.\u0301\u200b\u00adżж王ñÆ")

const latin = fc.oneof(
  unit,
  fc.integer({ min: 0xa0, max: 0x17f }).map((n) => String.fromCharCode(n)),
)

test('names are compared as the collator does, equal ones by id', () => {
  const name = fc.oneof(
    fc.string({ unit, maxLength: 6 }),
    fc.string({ unit: 'grapheme', maxLength: 6 }),
    fc.string({ unit: 'binary-ascii', maxLength: 4 }),
    fc.string({ unit: latin, maxLength: 4 }),
  )
  fc.assert(
    fc.property(name, name, (a, b) => {
      const order = byName({ nameKey: a, id: '1' }, { nameKey: b, id: '2' })
      expect(Math.sign(order)).toBe(Math.sign(collator.compare(a, b)) || -1)
    }),
    { numRuns: 20_000 },
  )
})

test('ASCII and Latin letters with accents stand where the collator has them, each beside each', () => {
  const codes = [
    ...Array(0x80).keys(),
    ...Array(0x180 - 0xa0)
      .keys()
      .map((n) => n + 0xa0),
  ]
  const characters = codes.map((code) => String.fromCharCode(code))
  for (const a of characters) {
    for (const b of characters) {
      if (Math.sign(compareNames(a, b)) === Math.sign(collator.compare(a, b))) continue
      expect([a, b, compareNames(a, b)]).toEqual([a, b, collator.compare(a, b)])
    }
  }
})

test('names whose numbers differ are in the order of their numbers', () => {
  const prefix = fc.string({ unit: fc.constantFrom('a', 'B'), maxLength: 12 })
  const name = fc
    .tuple(prefix, fc.string({ unit: latin, maxLength: 4 }))
    .map((parts) => parts.join(''))
  let decided = 0
  fc.assert(
    fc.property(name, name, (a, b) => {
      const [left, right] = [nameNumbers(a), nameNumbers(b)]
      const difference = left[0] - right[0] || left[1] - right[1]
      if (!difference) return
      decided++
      expect(Math.sign(difference)).toBe(Math.sign(collator.compare(a, b)))
    }),
    { numRuns: 20_000 },
  )
  expect(decided).toBeGreaterThan(1_000)
})

test('ids whose numbers differ are in the order of their numbers; what is no UUID has none', () => {
  fc.assert(
    fc.property(fc.uuid(), fc.uuid(), (a, b) => {
      const difference = idNumber(a) - idNumber(b)
      if (difference) expect(Math.sign(difference)).toBe(byId({ id: a }, { id: b }))
    }),
  )
  expect(idNumber('17')).toBeNaN()
})
