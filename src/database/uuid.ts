/**
 * An id as records have it, in small letters, of one that was written in either case; undefined where the text is no UUID.
 * Others never reach a statement, which would fail on them.
 */
export function uuidOf(text: string | null | undefined): string | undefined {
  const isId = text && /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(text)
  return isId ? text.toLowerCase() : undefined
}

export const isUuid = (text: string): boolean => uuidOf(text) !== undefined
