import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { allotSlugs, slugFrom } from '../../../src/intake/import/identify.ts'

const WELL_FORMED = /^[a-z0-9-]{1,80}$/

describe('slugs', () => {
  const NAMES: [string, string | undefined][] = [
    ['Uniswap Labs', 'uniswap-labs'],
    ["Ann O'Example", 'ann-oexample'],
    ['Café Ørsted Straße', 'cafe-orsted-strasse'],
    ['  --$UNI!! ', 'uni'],
    ['ﬁnance Ⅳ', 'finance-iv'],
    ['量子', undefined],
    ['x'.repeat(200), 'x'.repeat(80)],
  ]
  for (const [name, slug] of NAMES) {
    test(`${name.slice(0, 20)} → ${slug?.slice(0, 20)}`, () => expect(slugFrom(name)).toBe(slug))
  }

  test('whatever the name, a made slug is well-formed', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (name) => {
        const slug = slugFrom(name)
        expect(slug ?? 'a').toMatch(WELL_FORMED)
      }),
    )
  })

  test('wishes get distinct, well-formed slugs that nobody else has', async () => {
    const base = fc.constantFrom('a', 'a-2', 'b', 'x'.repeat(80))
    const wish = fc.record({ given: fc.option(base, { nil: undefined }), base })
    const slugs = fc.array(fc.tuple(base, fc.integer({ min: 1, max: 40 })))
    await fc.assert(
      fc.asyncProperty(fc.array(wish, { maxLength: 60 }), slugs, async (wishes, existing) => {
        const stored = new Set(
          existing.map(([of, n]) => (n === 1 ? of : `${of.slice(0, 77)}-${n}`)),
        )
        const granted: string[] = []
        await allotSlugs(
          wishes.map((one) => ({ ...one, grant: (slug) => granted.push(slug) })),
          new Set([...stored].filter((s) => wishes.some((w) => w.base === s || w.given === s))),
          async (asked) => asked.filter((slug) => stored.has(slug)),
        )
        expect(granted.length).toBe(wishes.length)
        expect(new Set(granted).size).toBe(granted.length)
        expect(granted.some((slug) => stored.has(slug))).toBe(false)
        for (const slug of granted) expect(slug).toMatch(WELL_FORMED)
      }),
    )
  })

  test('numbers start at 2 and leave no gap', async () => {
    const granted: string[] = []
    const wish = { given: undefined, base: 'ann', grant: (slug: string) => void granted.push(slug) }
    await allotSlugs([wish, wish, wish], new Set(), async () => ['ann-3'])
    expect(granted).toEqual(['ann', 'ann-2', 'ann-4'])
  })
})
