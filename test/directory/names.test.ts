/** The order by name, compared without the collator where that can be. */
import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { compareNames } from '../../src/directory/names.ts'

const collator = new Intl.Collator('en', { sensitivity: 'base', ignorePunctuation: false })

test('D31: plain names are compared as the collator would', () => {
  const unit = fc.constantFrom(..."  aAbBzZ019éÉß-'.\u0301\u200b\u00adżж王ñÆ")
  const name = fc.oneof(
    fc.string({ unit, maxLength: 6 }),
    fc.string({ unit: 'grapheme', maxLength: 6 }),
    fc.string({ unit: 'binary-ascii', maxLength: 4 }),
  )
  fc.assert(
    fc.property(name, name, (a, b) => {
      expect(Math.sign(compareNames(a, b))).toBe(Math.sign(collator.compare(a, b)))
    }),
    { numRuns: 20_000 },
  )
})
