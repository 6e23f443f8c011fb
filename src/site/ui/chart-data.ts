/** The days and series of a chart of use, from sums by day and endpoint. */
import type { DayUse } from '../../money/accounts/ledger.ts'

/** Number of endpoints with a pattern of their own; the rest share one. */
const SERIES = 5
const OTHERS = 'Others'

const DAY_MS = 86_400_000

export interface Series {
  name: string
  /** The number of its colour and pattern. */
  hue: number
}

/** Returns the endpoints with most credits, then `OTHERS` if there are more. */
export function seriesOf(
  days: readonly DayUse[],
  hues: Readonly<Record<string, number>> = {},
): Series[] {
  const sums = new Map<string, number>()
  for (const { endpoint, credits } of days) {
    sums.set(endpoint, (sums.get(endpoint) ?? 0) + credits)
  }
  const names = [...sums].sort(([, a], [, b]) => b - a).map(([name]) => name)
  const shown = names.length > SERIES + 1 ? [...names.slice(0, SERIES), OTHERS] : names
  return shown.map((name, i) => ({ name, hue: hues[name] ?? i }))
}

/** Returns a column for each day, also without charges. It begins or ends outside the window where a charge does, because the database's clock may differ. */
export function columnsOf(
  days: readonly DayUse[],
  series: readonly Series[],
  today: string,
  length: number,
): Column[] {
  const byDay = Map.groupBy(days, ({ day }) => day)
  const last = [today, ...byDay.keys()].sort().at(-1) ?? today
  const first = [dayBefore(last, length - 1), ...byDay.keys()].sort()[0] ?? last
  const columns: Column[] = []
  for (let day = first; day <= last; day = dayBefore(day, -1)) {
    const credits = series.map(() => 0)
    for (const use of byDay.get(day) ?? []) {
      const own = series.findIndex(({ name }) => name === use.endpoint)
      const i = own < 0 ? series.length - 1 : own
      credits[i] = (credits[i] ?? 0) + use.credits
    }
    columns.push({ day, credits, total: sumOf(credits) })
  }
  return columns
}

function dayBefore(day: string, count: number): string {
  return new Date(Date.parse(`${day}T00:00:00Z`) - count * DAY_MS).toISOString().slice(0, 10)
}

export interface Column {
  day: string
  /** Credits of each series. */
  credits: number[]
  total: number
}

export const sumOf = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0)
