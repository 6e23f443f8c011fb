/** Writes a text of the documentation as Markdown (CommonMark with tables), from the markup that its page is rendered from. */
import type { Html } from '../http/html.ts'
import { type DocumentElement, type DocumentNode, nodesOf } from './nodes.ts'

/** Links to places of the page itself, and what is there to be used. */
const LEFT_OUT = ['nav', 'form', 'fieldset', 'template']

/** Elements that stand within a line. */
const INLINE = new Set(['a', 'code', 'span', 'strong', 'em'])

/**
 * Returns blocks with a blank line between them. @param leftOut components that are left out, with all that they hold
 * @throws TypeError for what is neither text nor element
 */
export function markdownOf(html: Html, leftOut: readonly unknown[] = []): string {
  return blocksOf(nodesOf(html, new Set([...LEFT_OUT, ...leftOut]))).join('\n\n')
}

function blocksOf(nodes: readonly DocumentNode[]): string[] {
  const blocks: string[] = []
  let line: DocumentNode[] = []
  const endLine = () => {
    const text = lineOf(line)
    if (text !== '') blocks.push(text)
    line = []
  }
  for (const part of nodes) {
    if (typeof part === 'string' || INLINE.has(part.tag)) {
      line.push(part)
    } else {
      endLine()
      blocks.push(...blocksOfElement(part))
    }
  }
  endLine()
  return blocks
}

function blocksOfElement({ tag, children }: DocumentElement): string[] {
  if (/^h[1-6]$/.test(tag)) return [`${'#'.repeat(Number(tag[1]))} ${lineOf(children)}`]
  switch (tag) {
    case 'p':
      return [lineOf(children)]
    case 'summary':
      return [`**${lineOf(children)}**`]
    case 'pre':
      return [codeBlockOf(children)]
    case 'ul':
    case 'ol':
      return [
        elementsIn(children, ['li'])
          .map(({ children: item }) => listItem(item))
          .join('\n'),
      ]
    case 'table':
      return [tableOf(children)]
    default:
      return blocksOf(children)
  }
}

/** Its blocks, all but the first of them moved in below the first. */
function listItem(children: readonly DocumentNode[]): string {
  return `- ${blocksOf(children).join('\n\n').replaceAll('\n', '\n  ')}`
}

function codeBlockOf(children: readonly DocumentNode[]): string {
  const language = elementsIn(children, ['code'])[0]?.props['data-language'] ?? ''
  return `\`\`\`${language}\n${plainText(children)}\n\`\`\``
}

/** The head and the rows, each a line; a cell is one line, in which `|` is escaped. */
function tableOf(children: readonly DocumentNode[]): string {
  const rows = elementsIn(children, ['tr']).map(({ children: row }) =>
    elementsIn(row, ['th', 'td']).map(({ children: cell }) => lineOf(cell).replaceAll('|', '\\|')),
  )
  const [head = [], ...body] = rows
  const lines = [head, head.map(() => '---'), ...body]
  return lines.map((cells) => `| ${cells.join(' | ')} |`).join('\n')
}

/** The outermost elements with one of these tags, however deep they stand. */
function elementsIn(nodes: readonly DocumentNode[], tags: readonly string[]): DocumentElement[] {
  return nodes.flatMap((part) => {
    if (typeof part === 'string') return []
    return tags.includes(part.tag) ? [part] : elementsIn(part.children, tags)
  })
}

/** Text within a line, with single blanks. */
function lineOf(nodes: readonly DocumentNode[]): string {
  return inlineOf(nodes).replace(/\s+/g, ' ').trim()
}

function inlineOf(nodes: readonly DocumentNode[]): string {
  return nodes
    .map((part) => {
      if (typeof part === 'string') return part.replace(/[\\`*[\]<]/g, '\\$&')
      const { tag, props, children } = part
      if (tag === 'code') return `\`${plainText(children)}\``
      const text = inlineOf(children)
      const href = String(props.href ?? '')
      // Headings have no addresses in Markdown, so what leads to one on the page itself is its name.
      if (tag === 'a' && !href.startsWith('#')) return `[${text}](${href})`
      if (tag === 'strong') return `**${text}**`
      // What stands in a line of its own on the page: in a cell of a table it is one line with the rest.
      return INLINE.has(tag) ? text : ` ${text} `
    })
    .join('')
}

/** Text as it stands, without marks. */
function plainText(nodes: readonly DocumentNode[]): string {
  return nodes.map((part) => (typeof part === 'string' ? part : plainText(part.children))).join('')
}
