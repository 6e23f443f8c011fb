/** Values of a person as they are kept for answers, which put the names in. */
import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { namedText, namesOf, writeNamed } from '../../../src/directory/records/named-values.ts'
import { ownText, TextPages } from '../../../src/directory/records/text-pages.ts'

const values = fc.oneof(fc.string({ unit: 'binary' }), fc.double(), fc.boolean(), fc.constant(null))

/** The bytes that are written from a page on which other texts stand as well. */
function written(array: unknown[], names: ReturnType<typeof namesOf>): string {
  const pages = new TextPages()
  pages.add('before')
  const { page, start, end } = pages.add(JSON.stringify(array))
  pages.add('after')
  if (typeof page === 'string') throw new Error('a text without a page')
  const to = Buffer.alloc(1 + names.length + end - start)
  const at = writeNamed(names, page.bytes, start, end, to, 1)
  return to.toString('utf8', 1, at)
}

test('each value of an array stands behind its name as the JSON that it is alone', () => {
  const check = (array: unknown[]) => {
    const names = namesOf(array.map((_, position) => `field${position}`))
    const members = array.map((value, position) => `"field${position}":${JSON.stringify(value)}`)
    const place = ownText(JSON.stringify(array))
    expect(namedText({ names, place })).toBe(members.join())
    expect(written(array, names)).toBe(members.join())
  }
  fc.assert(fc.property(fc.array(values, { minLength: 1 }), check))
  check(['"', '\\', '\\"', '","', ']', '', '\n', '\u2028', '比特币', null, -1.5e300, false])
})
