/** The beginning of a filtered list is what selecting all of it gives, and so is its total. */
import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { FacetCells, type Filter } from '../../../src/directory/records/facet-cells.ts'

const isEven: Filter<number> = { key: 'even', accepts: (cell) => cell % 2 === 0 }

/** Cells of records, by slot, in any order of the slots. */
function filled(cellOf: readonly number[]) {
  const cells = new FacetCells<number>()
  for (const [slot, cell] of cellOf.entries()) cells.enter(slot, String(cell), cell)
  return cells
}

test('a page found from the beginning of its order is that of the whole list, with its total', () => {
  const records = fc.array(fc.nat(5), { maxLength: 60 })
  fc.assert(
    fc.property(records, fc.integer({ min: 1, max: 80 }), fc.boolean(), (cellOf, count, turns) => {
      const cells = filled(cellOf)
      cells.first(new Uint32Array(0), isEven, count)
      // One moves to another cell: what it left counts it no more.
      if (cellOf.length > 0) {
        cells.leave(0)
        cells.enter(0, '4', 4)
      }
      const slots = cellOf.map((_cell, slot) => slot)
      const order = Uint32Array.from(turns ? slots.reverse() : slots)
      const whole = cells.selected(order, null, isEven)
      expect(cells.first(order, isEven, count)).toEqual({
        slots: whole.slice(0, count),
        total: whole.length,
      })
    }),
  )
})

test('what stands far back in its order is left to who selects the whole list', () => {
  const cells = filled([...new Array<number>(30_000).fill(1), 2])
  const order = Uint32Array.from({ length: 30_001 }, (_value, slot) => slot)
  expect(cells.first(order, isEven, 1)).toBeNull()
  expect(cells.selected(order, null, isEven)).toEqual(Uint32Array.of(30_000))
  expect(cells.first(order, { key: 'odd', accepts: (cell) => cell === 1 }, 1_000_000)).toBeNull()
  // An order that is not made yet.
  expect(cells.first(new Uint32Array(0), isEven, 1)).toBeNull()
})

test('a filter that is kept decides on a cell once, however many come later, and lists as a new one would', () => {
  fc.assert(
    fc.property(fc.array(fc.array(fc.nat(40), { minLength: 1 }), { maxLength: 8 }), (batches) => {
      const cells = new FacetCells<number>()
      const asked: number[] = []
      const kept: Filter<number> = {
        key: 'even',
        accepts(cell) {
          asked.push(cell)
          return cell % 2 === 0
        },
      }
      let slot = 0
      for (const batch of batches) {
        for (const cell of batch) cells.enter(slot++, String(cell), cell)
        const order = Uint32Array.from({ length: slot }, (_value, place) => place)
        const fresh = { ...isEven, key: `even, asked with ${slot} records` }
        expect(cells.first(order, kept, slot)).toEqual(cells.first(order, fresh, slot))
        expect(cells.selected(order, null, kept)).toEqual(cells.selected(order, null, fresh))
      }
      expect(asked.length).toBe(new Set(batches.flat()).size)
    }),
  )
})
