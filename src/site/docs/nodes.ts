/** The markup of a text of the documentation, taken apart: components become what they render. */
import { isValidElement } from 'hono/jsx'
import { Part, partsChildren } from '../ui/part.tsx'

/** A text, or an element as it stands in a page; a fragment's tag is ''. */
export type DocumentNode = string | DocumentElement

export interface DocumentElement {
  tag: string
  props: Readonly<Record<string, unknown>>
  children: readonly DocumentNode[]
}

/**
 * Returns texts and elements side by side, in their order.
 * @param leftOut tags and components that are skipped with all that they hold
 * @throws TypeError for what is neither text nor element
 */
export function nodesOf(node: unknown, leftOut: ReadonlySet<unknown>): DocumentNode[] {
  if (typeof node === 'string' || typeof node === 'number') return [String(node)]
  if (Array.isArray(node)) return node.flatMap((child) => nodesOf(child, leftOut))
  if (isValidElement(node)) {
    const { tag, props, children } = node
    if (leftOut.has(tag)) return []
    if (tag === Part) return nodesOf(partsChildren(props), leftOut)
    if (typeof tag === 'function') return nodesOf(tag.call(null, props), leftOut)
    return [{ tag, props, children: nodesOf(children, leftOut) }]
  }
  if (node === null || node === undefined || typeof node === 'boolean') return []
  throw new TypeError(`a text of the documentation holds a ${typeof node}, which is no markup`)
}
