/** Texts on pages are the texts that were put there. */
import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { TextPages, textAt } from '../../../src/directory/records/text-pages.ts'

test('each text is read back, whatever its script and however long', () => {
  const text = fc.oneof(
    fc.string(),
    fc.string({ unit: 'grapheme' }),
    fc.constant('ž'.repeat(2 ** 19)),
  )
  fc.assert(
    fc.property(fc.array(text, { maxLength: 40 }), (texts) => {
      const pages = new TextPages()
      const places = texts.map((text) => pages.add(text))
      expect(places.map(textAt)).toEqual(texts)
    }),
    { numRuns: 30 },
  )
})
