/** What the targets of the black-box suite say together. Run by `main.ts` after them, with what they wrote down. */
import { afterAll, expect, test } from 'bun:test'
import { readResult, tableOf } from './results.ts'
import type { Target } from './targets.ts'

const targets: readonly Target[] = JSON.parse(process.env.SUITE_TARGETS ?? '[]')
const present = targets.filter(({ missing }) => !missing)

afterAll(async () => console.log(await tableOf(targets)))

test.if(process.env.SUITE_COMPLETE !== undefined)('every target is there', () => {
  expect(targets.flatMap(({ missing }) => missing ?? [])).toEqual([])
})

test.if(present.length > 1)(
  'all answer alike: status, headers and body of each request',
  async () => {
    const results = await Promise.all(present.map(readResult))
    const [first, ...others] = results.map((result) => result?.transcript)
    expect(Object.keys(first ?? {}).length).toBeGreaterThan(400)
    for (const other of others) expect(other).toEqual(first)
  },
)
