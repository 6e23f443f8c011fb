/** @jsxImportSource hono/jsx */
/** Credits per day by endpoint: a chart of stacked columns, and the same figures as a table. */
import type { DayUse } from '../../money/accounts/ledger.ts'
import { numbers, Table } from './page-parts.tsx'
import { percent, roundedUp } from './scale.ts'
import { figure, formatDay, humanize, plural } from './text.tsx'

/** Heights in pixels. Places across are shares of the width, so that text keeps its size on a phone. */
const HEIGHT = 220
/** Room for the highest level's figure, and for the dates. */
const ABOVE = 24
const BELOW = 24
const FLOOR = HEIGHT - BELOW
/** The left edge of the first column as a share of the width, right of the figures. */
const FIRST = 0.055
/** The width of a column as a share of its day's. */
const COLUMN = 0.76

/** Hatching tells series apart without their colours. */
const HATCHES = [null, 'M0 6L6 0', 'M0 3H6', 'M0 0L6 6', 'M3 0V6', 'M0 6L6 0M0 0L6 6'] as const

/** Series to draw, or the text `none` if there are no values. Series that mean good or bad have their colours in `hues`. */
export interface Counted {
  hues?: Readonly<Record<string, number>>
  one: string
  many: string
  by: string
  none: string
}

const CREDITS: Counted = {
  one: 'credit',
  many: 'credits',
  by: 'endpoint',
  none: 'Nothing was charged',
}

interface UseChartProps {
  /** The last `length` days. `today` is `YYYY-MM-DD`. */
  days: readonly DayUse[]
  today: string
  length: number
  counted?: Counted
}

export function UseChart({ days, today, length, counted = CREDITS }: UseChartProps) {
  const series = seriesOf(days, counted.hues)
  const columns = columnsOf(days, series, today, length)
  const highest = Math.max(...columns.map(({ total }) => total))
  if (highest === 0) {
    return (
      <p class="empty">
        {counted.none} in the last {figure(length)} days.
      </p>
    )
  }
  const [first, last] = [columns[0], columns.at(-1)].map((column) =>
    formatDay(column?.day ?? today),
  )
  const total = plural(sumOf(columns.map((column) => column.total)), counted.one, counted.many)
  const name = `${humanize(counted.many)} per day`
  return (
    <>
      <p class="note">
        {total}
        {counted === CREDITS
          ? ` in ${plural(sumOf(days.map(({ calls }) => calls)), 'call', 'calls')}`
          : ''}{' '}
        since {first}, by days in UTC.
      </p>
      <Legend series={series} />
      <Drawing
        title={`${name}, by ${counted.by}`}
        description={`${total} from ${first} to ${last}, at most ${figure(highest)} on one day. The table below has every figure.`}
        columns={columns}
        series={series}
        top={roundedUp(highest)}
        counted={counted}
      />
      <DayTable name={name} columns={columns} series={series} />
    </>
  )
}

interface DrawingProps {
  title: string
  description: string
  columns: readonly Column[]
  series: readonly Series[]
  /** The value at the upper edge. */
  top: number
  counted: Counted
}

function Drawing({ title, description, columns, series, top, counted }: DrawingProps) {
  return (
    <figure class="chart">
      <svg height={HEIGHT} role="img" aria-labelledby="chart-title chart-desc">
        <title id="chart-title">{title}</title>
        <desc id="chart-desc">{description}</desc>
        <defs>{series.map(({ hue }) => hatch(hue))}</defs>
        {[0, top / 2, top].map((value) => (
          <line class="level" x1="0" x2="100%" y1={yOf(value, top)} y2={yOf(value, top)} />
        ))}
        {columns.map((column, i) => (
          <Stack
            column={column}
            position={i}
            of={columns.length}
            top={top}
            series={series}
            counted={counted}
          />
        ))}
        {[top / 2, top].map((value) => (
          <text x="0" y={yOf(value, top) - 5}>
            {figure(value)}
          </text>
        ))}
      </svg>
    </figure>
  )
}

interface DayTableProps {
  name: string
  columns: readonly Column[]
  series: readonly Series[]
}

/** The days with a value, latest first, and their sums. */
function DayTable({ name, columns, series }: DayTableProps) {
  const days = columns.filter((column) => column.total > 0).toReversed()
  const total = sumOf(columns.map((column) => column.total))
  return (
    <details class="more">
      <summary>The same as a table</summary>
      <Table
        label={name}
        isCards
        columns={['Day', ...series.map((one) => numbers(one.name)), numbers('All')]}
        rows={[
          ...days.map((column) => [
            <time datetime={column.day}>{formatDay(column.day)}</time>,
            ...column.credits.map(figure),
            figure(column.total),
          ]),
          [
            'All days',
            ...series.map((_, i) => figure(sumOf(columns.map((column) => column.credits[i] ?? 0)))),
            figure(total),
          ],
        ]}
      />
    </details>
  )
}

function Legend({ series }: { series: readonly Series[] }) {
  return (
    <ul class="legend">
      {series.map(({ name, hue }) => (
        <li>
          <svg viewBox="0 0 14 14" width="14" height="14" aria-hidden="true">
            <rect width="14" height="14" rx="3" fill={`url(#hatch-${hue})`} />
          </svg>
          {name.startsWith('/') ? <code>{name}</code> : name}
        </li>
      ))}
    </ul>
  )
}

function hatch(number: number) {
  const lines = HATCHES[number]
  return (
    <pattern id={`hatch-${number}`} width="6" height="6" patternUnits="userSpaceOnUse">
      <rect class={`area hue-${number}`} width="6" height="6" />
      {lines ? <path class="lines" d={lines} /> : null}
    </pattern>
  )
}

/** Returns a value's height above the axis, in pixels. */
function heightOf(value: number, top: number): number {
  return (FLOOR - ABOVE) * (value / top)
}

const yOf = (value: number, top: number) => FLOOR - heightOf(value, top)

interface StackProps {
  column: Column
  position: number
  of: number
  top: number
  series: readonly Series[]
  counted: Counted
}

function Stack({ column: { day, credits }, position, of, top, series, counted }: StackProps) {
  const step = (1 - FIRST) / of
  const left = percent(FIRST + step * (position + (1 - COLUMN)))
  // Formatted once a column, because formatting a date is slow.
  const name = formatDay(day)
  let y = FLOOR
  return (
    <>
      {credits.map((value, i) => {
        if (value <= 0) return null
        const height = heightOf(value, top)
        y -= height
        return (
          <rect
            class="part"
            x={left}
            y={y.toFixed(1)}
            width={percent(step * COLUMN)}
            height={height.toFixed(1)}
            fill={`url(#hatch-${series[i]?.hue})`}
          >
            <title>{`${name}: ${series[i]?.name}, ${plural(value, counted.one, counted.many)}`}</title>
          </rect>
        )
      })}
      {(of - 1 - position) % 7 === 0 ? (
        // Ends where its column does, so that the last one is not cut off.
        <text class="day" x={percent(FIRST + step * (position + 1))} y={HEIGHT - 6}>
          {name.replace(/ \d{4}$/, '')}
        </text>
      ) : null}
    </>
  )
}

/** Number of endpoints with a pattern of their own; the rest share one. */
const SERIES = 5
const OTHERS = 'Others'

const DAY_MS = 86_400_000

interface Series {
  name: string
  /** The number of its colour and pattern. */
  hue: number
}

/** Returns the endpoints with most credits, then `OTHERS` if there are more. */
function seriesOf(days: readonly DayUse[], hues: Readonly<Record<string, number>> = {}): Series[] {
  const sums = new Map<string, number>()
  for (const { endpoint, credits } of days) {
    sums.set(endpoint, (sums.get(endpoint) ?? 0) + credits)
  }
  const names = [...sums].sort(([, a], [, b]) => b - a).map(([name]) => name)
  const shown = names.length > SERIES + 1 ? [...names.slice(0, SERIES), OTHERS] : names
  return shown.map((name, i) => ({ name, hue: hues[name] ?? i }))
}

/** Returns a column for each day, also without charges. It begins or ends outside the window where a charge does, because the database's clock may differ. */
function columnsOf(
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

interface Column {
  day: string
  /** Credits of each series. */
  credits: number[]
  total: number
}

const sumOf = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0)
