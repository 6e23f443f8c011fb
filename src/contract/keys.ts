/** Limits of a key beside its account's. */

/** The periods of a cap: days and months of UTC. */
export const CAP_PERIODS = ['day', 'month'] as const
export type CapPeriod = (typeof CAP_PERIODS)[number]

/** Maximum of networks of a key. */
export const MAX_NETWORKS = 20

/** A key's cap, as `/v1/me` shows it. */
export interface KeyCap {
  credits: number
  period: CapPeriod
  /** Credits spent in this period by the key and by its rotated predecessors and successors. */
  spent: number
  /** Start of the next period: ISO 8601 in UTC. */
  renewsAt: string
}
