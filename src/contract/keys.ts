/** Limits that a key may have beside its account's. */

/** The periods of a cap: days and months of UTC. */
export const CAP_PERIODS = ['day', 'month'] as const
export type CapPeriod = (typeof CAP_PERIODS)[number]

/** The most networks that a key may name. */
export const MAX_NETWORKS = 20

/** A key's cap, as an answer says it. */
export interface KeyCap {
  credits: number
  period: CapPeriod
  /** Credits spent in this period by the key, and by those that it was rotated from or to. */
  spent: number
  /** When the next period begins: ISO 8601 in UTC. */
  renewsAt: string
}
