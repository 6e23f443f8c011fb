/**
 * Order of day, month and year in dates like `3/5/24`. The operator gives it for all files (`--date-order`), or an
 * ambiguous date is refused. The evidence of a column's other dates is shown and never acted on.
 */

export const DATE_ORDERS = ['dmy', 'mdy', 'ymd'] as const
export type DateOrder = (typeof DATE_ORDERS)[number]

/** A date in figures whose order neither its form nor the operator gives. */
export interface DateInFigures {
  written: string
  orders: readonly DateOrder[]
  /** True where the orders give different days. */
  isUnclear: boolean
}

/** The date order of a file, and a callback for each date that a cleaner reads in it. */
export interface DatesOfFile {
  /** The operator's choice. */
  order?: DateOrder | undefined
  onOrders?: ((date: DateInFigures) => void) | undefined
}

export interface Counterexample {
  order: DateOrder
  value: string
  row: number
  /** The line of the file, where the format has lines. */
  line?: number | undefined
}

/** A field with ambiguous dates, which were refused. */
export interface UnclearDates {
  field: string
  count: number
  /** Orders by which all dates of the field are dates: one of them is the `--date-order` that the file needs. */
  fitting: DateOrder[]
  /** The first date that rules out an order, for each that fits one of the dates. */
  counterexamples: Counterexample[]
}

/** Collects the evidence of a file's dates, field by field. */
export class DateEvidence {
  readonly #byField = new Map<
    string,
    { count: number; unclear: Set<DateOrder>; against: Map<DateOrder, Counterexample> }
  >()

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

/** Advice about a field with ambiguous dates, with what to type. */
export function unclearDatesText(dates: UnclearDates): string {
  const [only, other] = dates.fitting
  const why = whyUnclear(dates)
  if (only === undefined) return `${why}. Write them alike`
  if (other === undefined) return `${why}: import again with --date-order ${only}`
  return `${why}: import again with --date-order ${inList(dates.fitting)}, as the file means it`
}

/** Explains how many dates of a field are ambiguous, and what the others show. */
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
