/** The order by name: the collator's, then by id. */
import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { byName } from '../../src/directory/names.ts'

const collator = new Intl.Collator('en', { sensitivity: 'base', ignorePunctuation: false })

test('D31: names are compared as the collator does, equal ones by id', () => {
  const unit = fc.constantFrom(..."  aAbBzZ019éÉß-'.\u0301\u200b\u00adżж王ñÆ")
  const name = fc.oneof(
    fc.string({ unit, maxLength: 6 }),
    fc.string({ unit: 'grapheme', maxLength: 6 }),
    fc.string({ unit: 'binary-ascii', maxLength: 4 }),
  )
  fc.assert(
    fc.property(name, name, (a, b) => {
      const order = byName({ nameKey: a, id: '1' }, { nameKey: b, id: '2' })
      expect(Math.sign(order)).toBe(Math.sign(collator.compare(a, b)) || -1)
    }),
    { numRuns: 20_000 },
  )
})
