/** @jsxImportSource hono/jsx */
/** Activity of the service by day, on the console's first page. */

import { numbers, Table } from '../../site/ui/page-parts.tsx'
import { figure, formatDay } from '../../site/ui/text.tsx'
import type { DayFigures } from '../acts/figures.ts'

/** The figures of a day, by the words that stand behind each on a card. */
const FIGURES = [
  ['New accounts', 'newAccounts'],
  ['Credits sold', 'sold'],
  ['Credits given free', 'givenFree'],
  ['Credits spent', 'spent'],
  ['Calls charged', 'charged'],
  ['Free calls', 'free'],
  ['Calls refused', 'refused'],
  ['Calls failed', 'failed'],
] as const satisfies readonly [string, keyof DayFigures][]

/** A row a day. On a phone figures of 0 are left out, so that a quiet day is one line. */
export function Days({ days }: { days: readonly DayFigures[] }) {
  // Days on which nothing was done say nothing: today stands in any case.
  const shown = days.filter(
    ({ day: _, ...of }, i) => i === 0 || Object.values(of).some((value) => value > 0),
  )
  return (
    <>
      <Table
        label="Figures by day, newest first"
        isCards
        columns={['Day', ...FIGURES.map(([label]) => numbers(label, 'unit'))]}
        rows={shown.map(({ day, ...of }) => [
          <time datetime={day}>{formatDay(day)}</time>,
          ...FIGURES.map(([, name]) =>
            of[name] === 0 ? <span class="quiet zero">0</span> : figure(of[name]),
          ),
        ])}
      />
      <p class="note">
        Sold by plans and top-ups, given free by trials and referrals. Days without a figure are
        left out, and counts are at most a minute old.
      </p>
    </>
  )
}
