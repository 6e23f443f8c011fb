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
  return compareNames(a.nameKey, b.nameKey) || byId(a, b)
}

/** The place of ASCII letters, digits and the space in the collation; 0 where only the collator knows. */
const WEIGHTS = new Uint8Array(2 ** 16)
for (const [position, character] of [...' 0123456789abcdefghijklmnopqrstuvwxyz'].entries()) {
  WEIGHTS[character.charCodeAt(0)] = position + 1
  WEIGHTS[character.toUpperCase().charCodeAt(0)] = position + 1
}
const END = -1

/** Compares as the collator does. Plain names are compared here, in a third of its time: a load compares millions. */
export function compareNames(a: string, b: string): number {
  const length = Math.max(a.length, b.length)
  for (let i = 0; i < length; i++) {
    const left = i < a.length ? WEIGHTS[a.charCodeAt(i)] : END
    const right = i < b.length ? WEIGHTS[b.charCodeAt(i)] : END
    if (!left || !right) return collator.compare(a, b)
    if (left !== right) return left - right
  }
  return 0
}

export function byId(a: { id: string }, b: { id: string }): number {
  return a.id < b.id ? -1 : a.id > b.id ? 1 : 0
}
