/** The tables of fields: by them rows are cleaned and columns named, and documentation is made of them. */
import { describe, expect, test } from 'bun:test'
import { PRIVATE_FIELDS, withNames } from '../../../src/intake/import/fields/people.ts'
import { withLeads } from '../../../src/intake/import/fields/rounds.ts'
import { FIELDS } from '../../../src/intake/import/kinds.ts'

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
  })
}

test('the private fields are the private channels, and no other', () => {
  const marked = Object.values(FIELDS).flatMap((fields) =>
    Object.entries(fields).flatMap(([name, { isPrivate }]) => (isPrivate ? [name] : [])),
  )
  expect(marked).toEqual(Object.keys(PRIVATE_FIELDS))
})

describe('fields that stand for others', () => {
  test.each([
    [{ fullName: 'Ada King Lovelace' }, { firstName: 'Ada King', lastName: 'Lovelace' }],
    [{ fullName: 'Lovelace, Ada King' }, { firstName: 'Ada King', lastName: 'Lovelace' }],
    [{ fullName: 'Martin King Jr.' }, { firstName: 'Martin', lastName: 'King Jr.' }],
    [{ fullName: 'Grace Hopper, PhD, MBA' }, { firstName: 'Grace', lastName: 'Hopper, PhD, MBA' }],
    [{ fullName: 'Bob Stone 🚀' }, { firstName: 'Bob', lastName: 'Stone 🚀' }],
    [{ fullName: 'Stone, Jr.' }, { firstName: 'Stone, Jr.', lastName: null }],
    [{ fullName: '0x 4156' }, { firstName: '0x 4156', lastName: null }],
    [{ fullName: 'Ada' }, { firstName: 'Ada', lastName: null }],
    [{ fullName: 'Ada Lovelace', firstName: 'Augusta' }, { firstName: 'Augusta' }],
    [
      { fullName: 'Ada Lovelace', firstName: 'Ada', lastName: null },
      { firstName: 'Ada', lastName: null },
    ],
    [
      { fullName: 'Ada Lovelace', firstName: null, lastName: null },
      { firstName: 'Ada', lastName: 'Lovelace' },
    ],
  ])('names of %j', (given, wanted) => expect(withNames(given)).toEqual(wanted))

  test('a full name whose comma reads two ways is refused', () => {
    for (const written of ['Ada Lovelace, CTO', 'de la Cruz, Maria', 'Lovelace, Ada, King']) {
      expect(() => FIELDS.people.fullName?.clean(written)).toThrow('give firstName and lastName')
    }
  })

  test('the legal form behind a company’s name begins no other name', () => {
    expect(FIELDS.rounds.investors?.clean('Acme, Inc., Beta Capital, L.P., Gamma')).toEqual(
      ['Acme, Inc.', 'Beta Capital, L.P.', 'Gamma'].map((investor) => ({
        investor,
        isLead: false,
      })),
    )
  })

  test('leads are investors, whether they stand in both lists or in one', () => {
    const a = { investor: 'a', isLead: false }
    const lead = { investor: 'b', isLead: true }
    expect(withLeads({ investors: [a] })).toEqual({ investors: [a] })
    expect(withLeads({ investors: [a], leadInvestors: [lead] })).toEqual({ investors: [a, lead] })
    expect(withLeads({ leadInvestors: [lead] })).toEqual({ investors: [lead] })
  })
})
