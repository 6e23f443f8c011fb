/** What `chainkin import` says at its end and while it runs, without a process. */
import { expect, test } from 'bun:test'
import { addFinding, emptySummary, type Finding } from '../../../src/intake/import/summary.ts'
import { paceOf, reportProgress } from '../../../src/server/commands/import-progress.ts'
import { summaryText, tooManyRefused } from '../../../src/server/commands/import-result.ts'

const refused = (row: number, reason = 'missing', field = 'name'): Finding => ({
  severity: 'refused',
  row,
  field,
  reason,
})

function summaryOf(read: number, findings: readonly Finding[]) {
  const summary = emptySummary()
  for (const finding of findings) addFinding(summary, finding)
  summary.read = read
  summary.created = read - summary.refused
  return summary
}

test.each([
  [1, 10, 10, false],
  [1, 10, 9.9, true],
  [0, 0, 0, false],
  [1, 1, 100, false],
  [200, 200, 5, true],
])('%i refused of %i with --max-refused %d: too many is %j', (bad, read, most, wanted) => {
  const people = summaryOf(
    read,
    Array.from({ length: bad }, (_, i) => refused(i + 1)),
  )
  expect(tooManyRefused({ people }, most) !== undefined).toBe(wanted)
})

test('each file is counted by itself: a long good one hides no bad one', () => {
  const companies = summaryOf(10_000, [])
  const people = summaryOf(
    200,
    Array.from({ length: 200 }, (_, i) => refused(i + 1)),
  )
  expect(tooManyRefused({ companies, people }, 5)).toBe(
    'people: 200 of 200 rows were refused (100 %); --max-refused allows 5 %. Correct them (--report FILE lists them) and import again',
  )
})

test('reasons that differ in what they name alone are counted as one, in the words of the first', () => {
  const several = (row: number, reason: string) => ({ ...refused(row, reason), alike: 'cells' })
  const people = summaryOf(9, [
    several(1, '5 cells, the header has 7'),
    several(2, '6 cells, the header has 7'),
    refused(3, '5 cells, the header has 7'),
  ])
  expect(people.reasons.map(({ reason, count }) => [reason, count])).toEqual([
    ['5 cells, the header has 7', 2],
    ['5 cells, the header has 7', 1],
  ])
})

test('reasons are grouped, the most frequent first, each with its first row or line', () => {
  const people = summaryOf(9, [
    refused(1, 'once'),
    { ...refused(2), line: 3 },
    refused(4),
    { ...refused(5, 'not a URL', 'avatarUrl'), severity: 'warning' },
  ])
  people.warned = 1
  expect(summaryText({ people }).split('\n')).toEqual([
    'people: 9 read, 6 created, 0 updated, 0 unchanged, 3 refused; 1 stored without a value',
    '  2 × refused: name: missing (first: line 3)',
    '  1 × refused: name: once (first: row 1)',
    '  1 × left out: avatarUrl: not a URL (first: row 5)',
  ])
  const many = summaryOf(
    500,
    Array.from({ length: 500 }, (_, i) => refused(i + 1, `reason ${i}`)),
  )
  expect(summaryText({ people: many }).split('\n').at(-1)).toBe('  and more reasons')
  expect(many.reasons.length).toBe(100)
})

test('the pace counts all files', () => {
  let now = 0
  const pace = paceOf({ companies: 1_000, people: 3_000 }, () => now)
  now = 1_000
  const companies = pace({ kind: 'companies', bytes: 1_000, rows: 50 })
  expect(companies).toEqual({ done: 0.25, text: 'companies: 50 rows, 50 rows/s, 3 s left' })
  now = 3_000
  const half = pace({ kind: 'people', bytes: 1_500, rows: 50 })
  expect(half).toEqual({ done: 0.625, text: 'people: 50 rows, 33 rows/s, 2 s left' })
  const end = pace({ kind: 'people', bytes: 3_000, rows: 100 })
  expect(end).toEqual({ done: 1, text: 'people: 100 rows, 50 rows/s' })
})

test('what comes from stdin has a rate and no time left', () => {
  const pace = paceOf({ people: 0 }, () => 0)
  expect(pace({ kind: 'people', bytes: 9, rows: 5 }).text).toBe('people: 5 rows, 5,000 rows/s')
})

test('without a terminal a line says how far it is, now and then', () => {
  const progress = { kind: 'people', bytes: 1, rows: 5 } as const
  const said: string[] = []
  const write = (text: string) => void said.push(text)
  const often = reportProgress({ people: 2 }, false, write, 0)
  often.listeners.onProgress(progress)
  expect(said.join()).toMatch(/^people: 5 rows, [\d,]+ rows\/s, \d+ s left\n$/)
  const seldom = reportProgress({ people: 2 }, false, write)
  seldom.listeners.onProgress(progress)
  expect(said.length).toBe(1)
})

test('a terminal has the progress in its last line, and ten findings above it', () => {
  const said: string[] = []
  const finding = { severity: 'refused', row: 1, field: null, reason: 'odd' } as const
  const reporter = reportProgress({ people: 2 }, true, (text) => void said.push(text), 0)
  reporter.listeners.onProgress({ kind: 'people', bytes: 1, rows: 5 })
  for (let row = 1; row <= 12; row++) reporter.listeners.onFinding('people', { ...finding, row })
  reporter.stop()
  const [progress, ...lines] = said.map((text) => text.replace('\r\x1b[K', ''))
  expect(progress).toMatch(/^50 % {2}people: 5 rows, .* left$/)
  expect(lines).toHaveLength(11)
  expect(lines.slice(-2)).toEqual([
    'people row 10: odd\n',
    'and 2 more refused rows and values; --report FILE writes all\n',
  ])
  expect(said.every((text) => text.startsWith('\r\x1b[K'))).toBe(true)
})
