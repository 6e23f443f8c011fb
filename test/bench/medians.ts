/** Rounded medians of figures that were measured several times. */

export function rounded(value: number): number {
  return Math.round(value * 100) / 100
}

export function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN
}

/** How long each of several things takes, so many times one after the other, in milliseconds. */
export async function timesOf(
  asked: Readonly<Record<string, () => Promise<unknown>>>,
  times: number,
) {
  const figures: Record<string, { first: number; p50: number; p99: number; most: number }> = {}
  for (const [name, ask] of Object.entries(asked)) {
    const took: number[] = []
    for (let time = 0; time < times; time++) {
      const fromMs = performance.now()
      await ask()
      took.push(performance.now() - fromMs)
    }
    const first = took[0] ?? Number.NaN
    took.sort((one, other) => one - other)
    const at = (share: number) => rounded(took[Math.floor(took.length * share)] ?? Number.NaN)
    figures[name] = {
      first: rounded(first),
      p50: at(0.5),
      p99: at(0.99),
      most: rounded(took.at(-1) ?? Number.NaN),
    }
  }
  return figures
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
