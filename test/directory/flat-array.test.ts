/** Values of a person as they are kept for answers. */
import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { cutFlatArray } from '../../src/directory/flat-array.ts'

const values = fc.oneof(fc.string({ unit: 'binary' }), fc.double(), fc.boolean(), fc.constant(null))

test('each value of a flat array is cut out as the JSON that it is alone', () => {
  const cut = (array: unknown[]) =>
    expect(cutFlatArray(JSON.stringify(array))).toEqual(array.map((it) => JSON.stringify(it)))
  fc.assert(fc.property(fc.array(values, { minLength: 1 }), cut))
  cut(['"', '\\', '\\"', '","', ']', '', '\n', '\u2028', '比特币', null, -1.5e300, false])
})
