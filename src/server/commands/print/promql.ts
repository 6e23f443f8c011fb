/** What Prometheus is asked for a panel of the dashboard. */

interface Metric {
  name: string
}

/** One line of a panel: what Prometheus is asked, and how the line is named. */
export interface Line {
  ask: string
  legend: string
}

/** All that is asked is of the instances that are chosen above the dashboard. */
export const OF = 'instance=~"$instance"'
export const rate = ({ name }: Metric, by: string, where = '') =>
  `sum by (${by}) (rate(${name}{${OF}${where}}[$__rate_interval]))`
export const value = ({ name }: Metric) => `${name}{${OF}}`
/** The time, or number, that this share of the observations stayed below. */
export const quantile = (share: number, { name }: Metric, by: string) =>
  `histogram_quantile(${share}, sum by (le, ${by}) (rate(${name}_bucket{${OF}}[$__rate_interval])))`
export const mean = ({ name }: Metric, by: string) =>
  `sum by (${by}) (rate(${name}_sum{${OF}}[$__rate_interval])) / sum by (${by}) (rate(${name}_count{${OF}}[$__rate_interval]))`
export const line = (ask: string, legend: string): Line => ({ ask, legend })
