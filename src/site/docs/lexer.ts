/** Reads the Markdown of the documentation's pages. */
import { Lexer, Marked, type MarkedToken, type Token, type Tokens } from 'marked'

/** Addresses in a text stay text, and `~` is no mark. */
const marked = new Marked({ tokenizer: { url: () => undefined, del: () => undefined } })

export const blocksOf = (markdown: string): MarkedToken[] =>
  (marked.lexer(markdown) as MarkedToken[]).filter(({ type }) => type !== 'space')

export interface Heading {
  /** The tokens within the line. */
  title: MarkedToken[]
  depth: number
  /** The fragment that links name. */
  id: string | undefined
  /** True for one of many sections of the same kind, such as an error code. */
  isEntry: boolean
}

/** Reads a heading, which may end in `{#id}` or `{#id .entry}`. */
export function headingOf({ text, depth }: Tokens.Heading): Heading {
  const [, title = text, id, entry] = /^(.*) \{#([\w.-]+)( \.entry)?\}$/.exec(text) ?? []
  return { title: inlineOf(title), depth, id, isEntry: entry !== undefined }
}

const inlineOf = (text: string) => Lexer.lexInline(text) as MarkedToken[]

/** Returns the text of tokens without marks and tags. */
export function plainText(tokens: readonly Token[]): string {
  return tokens
    .map((token) => {
      if ('tokens' in token && token.tokens) return plainText(token.tokens)
      return 'text' in token && token.type !== 'html' ? token.text : ''
    })
    .join('')
}
