/** Whether a text that came with a request can be an id at all: what can't is nobody's, and never reaches a statement. */
export function isUuid(text: string): boolean {
  return /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(text)
}
