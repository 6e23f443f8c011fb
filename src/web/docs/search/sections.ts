/** Takes a text of the documentation apart into sections, from the markup that its page is rendered from. */
import { isValidElement } from 'hono/jsx'
import type { Html } from '../../http/html.ts'
import { Unsearched } from '../document.tsx'

/** The texts of a section, each with single blanks. */
export interface Section {
  /** The fragment that links name; '' for what stands before the first heading. */
  anchor: string
  title: string
  /** The heads of its tables' rows: the names that the section explains. */
  names: string
  /** Examples of code. */
  code: string
  /** Everything else below the heading. */
  text: string
}

/** Lists of links name other sections, examples hold invented records, and columns have the same heads everywhere. */
const LEFT_OUT = new Set<unknown>(['nav', 'details', 'thead', Unsearched])

/** Elements that stand within a line, and fragments, whose tag is empty; others part words. */
const INLINE = new Set(['', 'a', 'code', 'span', 'strong'])

/**
 * Reads the sections in their order; what stands in a section within another belongs to the inner one.
 * @throws TypeError for what is neither text nor element
 */
export function sectionsOf(html: Html): Section[] {
  const sections: Section[] = []
  read(html, begin(sections, ''), 'text', sections)
  return sections.map(({ anchor, ...texts }) => ({
    anchor,
    title: tidy(texts.title),
    names: tidy(texts.names),
    code: tidy(texts.code),
    text: tidy(texts.text),
  }))
}

type Part = Exclude<keyof Section, 'anchor'>

/** @param section holds the node @param part what of the section the node's text is @param sections those that began so far */
function read(node: unknown, section: Section, part: Part, sections: Section[]): void {
  if (typeof node === 'string' || typeof node === 'number') {
    write(section, part, String(node))
  } else if (Array.isArray(node)) {
    for (const child of node) read(child, section, part, sections)
  } else if (isValidElement(node)) {
    const { tag, props, children } = node
    if (LEFT_OUT.has(tag)) return
    if (typeof tag === 'function') {
      read(tag.call(null, props), section, part, sections)
    } else {
      const label: unknown = tag === 'section' ? props['aria-labelledby'] : undefined
      const inside = typeof label === 'string' ? begin(sections, props.id ?? label) : section
      const insidePart = partOf(tag, props.scope) ?? part
      read(children, inside, insidePart, sections)
      if (!INLINE.has(tag)) write(inside, insidePart, insidePart === 'names' ? ': ' : ' ')
    }
  } else if (node !== null && node !== undefined && typeof node !== 'boolean') {
    throw new TypeError(`a text of the documentation holds a ${typeof node}, which is no markup`)
  }
}

/** Returns the part that an element begins, undefined where it goes on with what it stands in. */
function partOf(tag: string, scope: unknown): Part | undefined {
  if (/^h\d$/.test(tag)) return 'title'
  if (tag === 'pre') return 'code'
  return tag === 'th' && scope === 'row' ? 'names' : undefined
}

/** The head of a row is a part of the text too. */
function write(section: Section, part: Part, text: string): void {
  section[part] += text
  if (part === 'names') section.text += text
}

function begin(sections: Section[], anchor: string): Section {
  const section = { anchor, title: '', names: '', code: '', text: '' }
  sections.push(section)
  return section
}

function tidy(text: string): string {
  return text.replace(/\s+/g, ' ').trim()
}
