/**
 * Counters and histograms in plain maps and arrays. The Prometheus client takes 1.5 µs for a counter and a histogram, which
 * is more than one call may cost, so it only writes the page.
 */

export type Labels = Readonly<Record<string, string>>

/** A metric with all its values, in the form that `prom-client` sums and writes. */
export interface Family {
  name: string
  help: string
  type: 'counter' | 'gauge' | 'histogram'
  /** The way in which values of several processes are combined. */
  aggregator: 'sum'
  values: { value: number; labels: Labels; metricName?: string }[]
}

interface Described {
  name: string
  help: string
}

export function counter(described: Described, values: Family['values']): Family {
  return { ...described, type: 'counter', aggregator: 'sum', values }
}

export function gauge(described: Described, value: number, labels: Labels = {}): Family {
  return { ...described, type: 'gauge', aggregator: 'sum', values: [{ value, labels }] }
}

/** A metric with a value for each name, which stands in a label. */
export function gauges(
  described: Described,
  label: string,
  values: Readonly<Record<string, number>>,
  labels: Labels = {},
): Family[] {
  const each = Object.entries(values)
  const all = each.map(([name, value]) => ({ value, labels: { ...labels, [label]: name } }))
  return [{ ...described, type: 'gauge', aggregator: 'sum', values: all }]
}

/** A counter with two labels, each of few values. */
export class Counts {
  readonly #names: readonly string[]
  readonly #counts = new Map<string, Map<string, number>>()

  constructor(...names: readonly [string, string]) {
    this.#names = names
  }

  add(first: string, second: string) {
    let counts = this.#counts.get(first)
    if (!counts) {
      counts = new Map()
      this.#counts.set(first, counts)
    }
    counts.set(second, (counts.get(second) ?? 0) + 1)
  }

  get values(): Family['values'] {
    const [one = '', other = ''] = this.#names
    return [...this.#counts].flatMap(([first, counts]) =>
      [...counts].map(([second, value]) => ({ value, labels: { [one]: first, [other]: second } })),
    )
  }
}

/** A histogram with fixed bounds. */
export class Histogram {
  readonly #bounds: readonly number[]
  /** Observations up to each bound and above the one before; the last count is above all bounds. */
  readonly #counts: Float64Array
  #sum = 0

  constructor(bounds: readonly number[]) {
    this.#bounds = bounds
    this.#counts = new Float64Array(bounds.length + 1)
  }

  observe(value: number) {
    let place = 0
    while (place < this.#bounds.length && value > (this.#bounds[place] ?? 0)) place++
    this.#counts[place] = (this.#counts[place] ?? 0) + 1
    this.#sum += value
  }

  /** The values of a family of this name. */
  values(name: string, labels: Labels = {}): Family['values'] {
    let count = 0
    const buckets = [...this.#bounds.map(String), '+Inf'].map((le, place) => {
      count += this.#counts[place] ?? 0
      return { metricName: `${name}_bucket`, labels: { ...labels, le }, value: count }
    })
    return [
      ...buckets,
      { metricName: `${name}_sum`, labels, value: this.#sum },
      { metricName: `${name}_count`, labels, value: count },
    ]
  }
}

export function histogram(
  described: Described,
  of: Iterable<readonly [labels: Labels, histogram: Histogram]>,
): Family {
  const values = [...of].flatMap(([labels, one]) => one.values(described.name, labels))
  return { ...described, type: 'histogram', aggregator: 'sum', values }
}
