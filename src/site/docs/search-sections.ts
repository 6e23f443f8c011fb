/** Takes a text of the documentation apart into sections, from the markup that its page is rendered from. */
import type { Html } from '../http/html.ts'
import { Repeated, Unsearched } from './document.tsx'
import { type DocumentNode, nodesOf } from './nodes.ts'

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

/** Lists of links name other sections, and columns have the same heads everywhere. */
const LEFT_OUT = new Set<unknown>(['nav', 'summary', 'thead', Unsearched, Repeated])

/** Elements that stand within a line, and fragments, whose tag is empty; others part words. */
const INLINE = new Set(['', 'a', 'code', 'span', 'strong'])

/**
 * Reads the sections in their order; what stands in a section within another belongs to the inner one.
 * @throws TypeError for what is neither text nor element
 */
export function sectionsOf(html: Html): Section[] {
  const sections: Section[] = []
  read(nodesOf(html, LEFT_OUT), begin(sections, ''), 'text', sections)
  return sections.map(({ anchor, ...texts }) => ({
    anchor,
    title: tidy(texts.title),
    names: tidy(texts.names),
    code: tidy(texts.code),
    text: tidy(texts.text),
  }))
}

type Part = Exclude<keyof Section, 'anchor'>

/** @param section holds the nodes @param part what of the section their text is @param sections those that began so far */
function read(
  nodes: readonly DocumentNode[],
  section: Section,
  part: Part,
  sections: Section[],
): void {
  for (const found of nodes) {
    if (typeof found === 'string') {
      write(section, part, found)
      continue
    }
    const { tag, props, children } = found
    const label = tag === 'section' ? props['aria-labelledby'] : undefined
    const isNamed = typeof label === 'string'
    const inside = isNamed ? begin(sections, String(props.id ?? label)) : section
    const insidePart = partOf(tag, props.scope) ?? part
    read(children, inside, insidePart, sections)
    if (!INLINE.has(tag)) write(inside, insidePart, insidePart === 'names' ? ': ' : ' ')
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
