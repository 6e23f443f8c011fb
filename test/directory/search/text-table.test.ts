/** A table without an object for each text holds what a Map would, whatever comes and goes. */
import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { TextTable } from '../../../index-build/text-table.ts'
import { WordTable } from '../../../index-build/word-table.ts'

const text = fc.oneof(
  fc.constantFrom('', 'a', 'b', 'ab', 'ba', '王', 'a\u0000', '\ud83d\ude00', '\ud83d'),
  fc.string({ maxLength: 3 }),
)

test('a text finds the number that it was added or put with last, and none once it was deleted', () => {
  fc.assert(
    fc.property(
      fc.array(fc.record({ text, how: fc.constantFrom('add', 'put', 'delete') }), {
        maxLength: 300,
      }),
      (steps) => {
        const texts: string[] = []
        const table = new TextTable((one, number) => texts[number] === one)
        const expected = new Map<string, number>()
        for (const { text, how } of steps) {
          if (how === 'put') {
            expected.set(text, texts.push(text) - 1)
            table.put(text, texts.length - 1)
          } else if (how === 'delete') {
            table.delete(text)
            expected.delete(text)
          } else if (!expected.has(text)) {
            expected.set(text, texts.push(text) - 1)
            table.add(text, texts.length - 1)
          }
        }
        expect(table.size).toBe(expected.size)
        for (const one of [...texts, 'never added']) expect(table.get(one)).toBe(expected.get(one))
      },
    ),
    { numRuns: 100 },
  )
})

test('many texts are found while the table grows, and after most were deleted', () => {
  const table = new TextTable((text, number) => Number(text) === number)
  for (let number = 0; number < 20_000; number++) table.add(String(number), number)
  for (let number = 0; number < 20_000; number += 2) table.delete(String(number))
  const found = Array.from({ length: 20_000 }, (_, number) => table.get(String(number)))
  expect(found).toEqual(found.map((_, number) => (number % 2 === 0 ? undefined : number)))
  expect(table.size).toBe(10_000)
})

test('words come back by their numbers, however long', () => {
  fc.assert(
    fc.property(fc.uniqueArray(text, { maxLength: 30 }), (some) => {
      const words = [...some, 'x'.repeat(70_000), 'behind it']
      const table = new WordTable()
      expect(words.map((word) => table.add(word))).toEqual([...words.keys()])
      expect(table.size).toBe(words.length)
      for (const [number, word] of words.entries()) {
        expect(table.get(word)).toBe(number)
        expect(table.word(number)).toBe(word)
        for (const prefix of words) {
          expect(table.beginsWith(number, prefix)).toBe(word.startsWith(prefix))
        }
      }
    }),
    { numRuns: 20 },
  )
})
