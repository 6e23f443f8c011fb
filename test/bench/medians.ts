/** Rounded medians of figures that were measured several times. */

export function rounded(value: number): number {
  return Math.round(value * 100) / 100
}

export function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN
}

/** The figures of a load and what a call took, as `measured-load.ts` gives them. */
export interface LoadFigures {
  perSecond: number
  p50Ms: number
  p99Ms: number
  serverUs: number
  postgresUs: number
  loadUs: number
}

/** Of each figure the median of all rounds. */
export function medians(rounds: readonly LoadFigures[]): LoadFigures {
  const of = (figure: keyof LoadFigures) => rounded(median(rounds.map((one) => one[figure])))
  return {
    perSecond: of('perSecond'),
    p50Ms: of('p50Ms'),
    p99Ms: of('p99Ms'),
    serverUs: of('serverUs'),
    postgresUs: of('postgresUs'),
    loadUs: of('loadUs'),
  }
}
