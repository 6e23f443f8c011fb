/** Slugs: `[a-z0-9-]{1,80}`, unique among people and among companies. */

const LONGEST_SLUG = 80

/** Letters that don't come apart into a Latin letter and an accent. */
const LATIN = { ß: 'ss', æ: 'ae', œ: 'oe', ø: 'o', ð: 'd', þ: 'th', đ: 'd', ł: 'l', ı: 'i' }

/** A slug made from a name, accents dropped; `undefined` where the name has no Latin letter or digit. */
export function slugFrom(name: string): string | undefined {
  let latin = name.toLowerCase()
  for (const [letter, letters] of Object.entries(LATIN)) latin = latin.replaceAll(letter, letters)
  const slug = latin
    .normalize('NFKD')
    .replace(/[\u0300-\u036f'\u2019]/g, '')
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-+/, '')
    .slice(0, LONGEST_SLUG)
    .replace(/-+$/, '')
  return slug || undefined
}

/** `base-2`, `base-3`…, cut so that the number fits. */
function numbered(base: string, number: number): string {
  const suffix = `-${number}`
  return base.slice(0, LONGEST_SLUG - suffix.length).replace(/-+$/, '') + suffix
}

/** A record that needs a slug: the given one, else one made from `base`. */
export interface SlugWish {
  given: string | undefined
  base: string | undefined
  grant(slug: string): void
}

/**
 * Gives every wish a slug that nothing else has: the given one, the made one, or the made one with the lowest free
 * number, in order.
 * @param taken existing slugs among those wished for; grows by each grant
 * @param lookUp returns which of these slugs exist
 */
export async function allotSlugs(
  wishes: readonly SlugWish[],
  taken: Set<string>,
  lookUp: (slugs: string[]) => Promise<Iterable<string>>,
): Promise<void> {
  const crowded = new Map<string, SlugWish[]>()
  for (const wish of wishes) {
    const free = [wish.given, wish.base].find((slug) => slug !== undefined && !taken.has(slug))
    const base = wish.base ?? wish.given
    if (free !== undefined) {
      taken.add(free)
      wish.grant(free)
    } else if (base !== undefined) {
      crowded.set(base, [...(crowded.get(base) ?? []), wish])
    }
  }
  // Thousands may share a name ("Unnamed"), so each look-up covers twice as many numbers.
  for (let first = 2, span = 8; crowded.size > 0; first += span, span *= 2) {
    const candidates = [...crowded].flatMap(([base, { length }]) =>
      Array.from({ length: span + length }, (_, i) => numbered(base, first + i)),
    )
    for (const slug of await lookUp(candidates)) taken.add(slug)
    for (const [base, waiting] of crowded) {
      for (let number = first; number < first + span && waiting.length > 0; number++) {
        const slug = numbered(base, number)
        if (taken.has(slug)) continue
        taken.add(slug)
        waiting.shift()?.grant(slug)
      }
      if (waiting.length === 0) crowded.delete(base)
    }
  }
}
