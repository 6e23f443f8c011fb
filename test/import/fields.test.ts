/** The tables of fields: by them rows are cleaned and columns named, and documentation is made of them. */
import { describe, expect, test } from 'bun:test'
import { PRIVATE_FIELDS } from '../../src/import/fields/people.ts'
import { FIELDS } from '../../src/import/fields/tables.ts'

/** Names of columns as they are compared. */
const folded = (name: string) => name.toLowerCase().replace(/[^\p{L}\p{N}]/gu, '')

for (const [kind, fields] of Object.entries(FIELDS)) {
  describe(kind, () => {
    test('every field says what it is, what it means and what cleans it', () => {
      const bare = Object.entries(fields).filter(
        ([, { type, meaning, cleans, aliases }]) =>
          !type || !/^[A-Z].*\.$/.test(meaning) || !/\.$/.test(cleans) || aliases.length === 0,
      )
      expect(bare.map(([name]) => name)).toEqual([])
    })

    test('every example passes its own cleaner, which gives it as something', () => {
      const stored = Object.entries(fields).map(([name, { clean, example }]) => [
        name,
        clean(example) ?? null,
      ])
      expect(stored.filter(([, value]) => value === null)).toEqual([])
    })

    test('no name of a column means two fields', () => {
      const meant = new Map<string, string[]>()
      for (const [field, { aliases }] of Object.entries(fields)) {
        for (const name of new Set([field, ...aliases].map(folded))) {
          meant.set(name, [...(meant.get(name) ?? []), field])
        }
      }
      expect([...meant].filter(([, of]) => of.length > 1)).toEqual([])
    })
  })
}

test('the private fields are the private channels, and no other', () => {
  const marked = Object.values(FIELDS).flatMap((fields) =>
    Object.entries(fields).flatMap(([name, { isPrivate }]) => (isPrivate ? [name] : [])),
  )
  expect(marked).toEqual(Object.keys(PRIVATE_FIELDS))
})
