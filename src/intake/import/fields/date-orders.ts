/**
 * The order of day, month and year in dates like `3/5/24`. The operator says it for all files (`--date-order`), or a date
 * that reads several ways is refused. What a column's other dates tell of its order is said and never acted on.
 */

/** What stands first, second and last: `d` the day, `m` the month, `y` the year. */
export const DATE_ORDERS = ['dmy', 'mdy', 'ymd'] as const
export type DateOrder = (typeof DATE_ORDERS)[number]

/** A date in figures whose order neither its form nor the operator says. */
export interface DateInFigures {
  written: string
  /** The orders by which it is a date. */
  orders: readonly DateOrder[]
  /** Whether it is another day by another order. */
  isUnclear: boolean
}

/** What a cleaner of dates is told of the file, and whom it tells what it meets. */
export interface DatesOfFile {
  /** As the operator said. */
  order?: DateOrder | undefined
  onOrders?: ((date: DateInFigures) => void) | undefined
}

/** A date of a file that is none by `order`. */
export interface Counterexample {
  order: DateOrder
  value: string
  row: number
  /** The line of the file, where the format has lines. */
  line?: number | undefined
}

/** A field of a file of which dates were refused because they read several ways. */
export interface UnclearDates {
  field: string
  /** How many dates read several ways. */
  count: number
  /** The orders by which all dates of the field are dates: one of them tells which `--date-order` the file needs. */
  fitting: DateOrder[]
  /** For each other order by which one of them could be read, the first date that is none by it. */
  counterexamples: Counterexample[]
}

/** Collects what the dates of a file tell of their orders, field by field. */
export class DateEvidence {
  readonly #byField = new Map<
    string,
    { count: number; unclear: Set<DateOrder>; against: Map<DateOrder, Counterexample> }
  >()

  /** Notes a date of a row. */
  add(
    field: string,
    { number, line }: { number: number; line?: number | undefined },
    { written, orders, isUnclear }: DateInFigures,
  ) {
    const known = this.#byField.get(field) ?? { count: 0, unclear: new Set(), against: new Map() }
    this.#byField.set(field, known)
    if (isUnclear) {
      known.count++
      for (const order of orders) known.unclear.add(order)
    }
    for (const order of DATE_ORDERS) {
      if (orders.includes(order) || known.against.has(order)) continue
      known.against.set(order, { order, value: written, row: number, line })
    }
  }

  /** The fields that have unclear dates. */
  unclear(): UnclearDates[] {
    return [...this.#byField].flatMap(([field, { count, unclear, against }]) => {
      const orders = DATE_ORDERS.filter((order) => unclear.has(order))
      const counterexamples = orders.flatMap((order) => against.get(order) ?? [])
      const fitting = orders.filter((order) => !against.has(order))
      return count > 0 ? [{ field, count, fitting, counterexamples }] : []
    })
  }
}

const LISTS = new Intl.ListFormat('en-GB', { type: 'disjunction' })

/** `a, b or c`. */
export const inList = (items: readonly string[]): string => LISTS.format(items)

const FIRST = { dmy: 'day', mdy: 'month', ymd: 'year' } as const

/** What the operator is told of a field whose dates read several ways, and what to type. */
export function unclearDatesText(dates: UnclearDates): string {
  const [only, other] = dates.fitting
  const why = whyUnclear(dates)
  if (only === undefined) return `${why}. Write them alike`
  if (other === undefined) return `${why}: import again with --date-order ${only}`
  return `${why}: import again with --date-order ${inList(dates.fitting)}, as the file means it`
}

/** How many dates of a field read several ways, and what the others tell of their order. */
export function whyUnclear({ field, count, fitting, counterexamples }: UnclearDates): string {
  const what = `${count} ${count === 1 ? 'date reads' : 'dates read'} several ways`
  const dates = Map.groupBy(counterexamples, ({ value, row, line }) => {
    return `${value} in ${line === undefined ? `row ${row}` : `line ${line}`}`
  })
  const against = [...dates]
    .map(
      ([date, others]) =>
        `${date} can't be ${inList(others.map(({ order }) => FIRST[order]))} first`,
    )
    .join(', ')
  if (fitting.length === 0) {
    return `${field}: ${what}, and no order fits all of the file: ${against}`
  }
  return `${field}: ${what}${against === '' ? '' : `; ${against}`}`
}
