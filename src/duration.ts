/** Durations as people write them: `90s`, `15m`. This file imports nothing. */

/** The format of durations, for messages. */
export const DURATION_EXPECTED = 'a duration like 90s, 15m, 12h or 7d'

const UNIT_SECONDS: Record<string, number> = { s: 1, m: 60, h: 3_600, d: 86_400 }

/** `90s`, `15m`, `12h` or `7d` in seconds; undefined for anything else, and for no time at all. */
export function secondsOf(duration: string): number | undefined {
  const match = /^(\d{1,6})([smhd])$/.exec(duration)
  const seconds = Number(match?.[1]) * (UNIT_SECONDS[match?.[2] ?? ''] ?? Number.NaN)
  return seconds > 0 ? seconds : undefined
}

/** Seconds as such a duration, in the largest unit that has a whole number of them. */
export function durationOf(seconds: number): string {
  const fitting = Object.entries(UNIT_SECONDS).filter(([, unit]) => seconds % unit === 0)
  const [name = 's', unit = 1] = fitting.at(-1) ?? []
  return `${seconds / unit}${name}`
}
