/** D47: what a merged record's names mean, whatever order the merges are read in. */
import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { type Redirect, Redirects } from '../../src/directory/redirects.ts'

const redirect: fc.Arbitrary<Redirect> = fc.record({
  id: fc.constantFrom('1', '2', '3', '4'),
  kind: fc.constantFrom('company', 'person'),
  slug: fc.constantFrom(null, 'ada', 'bo'),
  toId: fc.constantFrom('7', '8', '9'),
})
const step = fc.record({ redirect, ends: fc.boolean() })

test('D47: after any merges and their undoing, each name means what it means to an instance that starts', () => {
  fc.assert(
    fc.property(fc.array(step), fc.boolean(), (steps, backwards) => {
      const [followed, loaded] = [new Redirects(), new Redirects()]
      const left = new Map<string, Redirect>()
      for (const { redirect, ends } of steps) {
        followed.put(redirect.id, ends ? null : redirect)
        if (ends) left.delete(redirect.id)
        else left.set(redirect.id, redirect)
      }
      // The table has no order.
      const rows = backwards ? [...left.values()].reverse() : [...left.values()]
      for (const row of rows) loaded.put(row.id, row)
      for (const kind of ['company', 'person'] as const) {
        for (const name of ['1', '2', '3', '4', 'ada', 'bo']) {
          expect(followed.idFor(kind, name)).toBe(loaded.idFor(kind, name))
        }
      }
    }),
  )
})
