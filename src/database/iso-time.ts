/** Times as answers have them (D32). Every connection reads `timestamptz` with this. */

/** @returns `2026-01-31T10:00:00.000Z` for a time in ISO format, as PostgreSQL or its JSON writes it. */
export function isoTime(time: string): string {
  return new Date(time).toISOString()
}
