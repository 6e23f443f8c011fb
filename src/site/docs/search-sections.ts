/** Takes the Markdown of a page apart into the sections that the search knows. */
import type { MarkedToken, Tokens } from 'marked'
import { blocksOf, headingOf, plainText } from './lexer.ts'

/** The texts of a section, each with single blanks. */
export interface Section {
  /** The fragment that links name; '' for the text before the first heading. */
  anchor: string
  title: string
  /** The first cells of its tables' rows: the names that the section explains. */
  names: string
  /** Examples of code. */
  code: string
  /** Everything else below the heading, names included. */
  text: string
}

/** Languages whose code is found: commands and data. Programs have the same words everywhere. */
const FOUND_LANGUAGES: readonly (string | undefined)[] = ['sh', 'json', '', undefined]

/** Reads the sections in their order. */
export function sectionsOf(markdown: string): Section[] {
  let section = sectionAt('', '')
  const sections = [section]
  for (const block of blocksOf(markdown)) {
    const heading = block.type === 'heading' ? headingOf(block) : undefined
    if (heading?.id) {
      section = sectionAt(heading.id, plainText(heading.title))
      sections.push(section)
    } else if (block.type === 'table') {
      readTable(section, block)
    } else if (block.type === 'code') {
      if (FOUND_LANGUAGES.includes(block.lang)) section.code += ` ${block.text}`
    } else {
      section.text += ` ${textOf(block)}`
    }
  }
  return sections.map(({ anchor, ...texts }) => ({
    anchor,
    title: tidy(texts.title),
    names: tidy(texts.names),
    code: tidy(texts.code),
    text: tidy(texts.text),
  }))
}

const sectionAt = (anchor: string, title: string): Section => ({
  anchor,
  title,
  names: '',
  code: '',
  text: '',
})

function readTable(section: Section, { rows }: Tokens.Table): void {
  for (const [head, ...cells] of rows.map((row) => row.map((cell) => plainText(cell.tokens)))) {
    section.names += ` ${head}:`
    section.text += ` ${head}: ${cells.join(' ')}`
  }
}

/** Returns the text of a paragraph or a list. Tags only fold other blocks. */
function textOf(block: MarkedToken): string {
  if (block.type === 'list') return block.items.map((item) => plainText(item.tokens)).join(' ')
  return block.type === 'html' ? '' : plainText([block])
}

function tidy(text: string): string {
  return text.replace(/\s+/g, ' ').trim()
}
