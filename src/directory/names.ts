/** The order by name: Unicode collation, case and accents ignored (D31). */

const collator = new Intl.Collator('en', { sensitivity: 'base', ignorePunctuation: false })

/** What is compared: the name without the white space around it. */
export function nameKey(name: string): string {
  return name.trim()
}

/** Order by name; names that differ in case or accents alone go by `id`, so that pages never overlap. */
export function byName(
  a: { nameKey: string; id: string },
  b: { nameKey: string; id: string },
): number {
  return collator.compare(a.nameKey, b.nameKey) || byId(a, b)
}

export function byId(a: { id: string }, b: { id: string }): number {
  return a.id < b.id ? -1 : a.id > b.id ? 1 : 0
}
