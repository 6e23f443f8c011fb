/** Writes Markdown (CommonMark with tables), and takes out of a page's source what only the page needs. */

/** Returns a block of code. @param info its language, and the name of its tab if it has one */
export const fence = (info: string, text: string): string => `\`\`\`${info}\n${text}\n\`\`\``

/** Returns text as code within a line, whatever it holds. */
export function code(text: string): string {
  const runs = text.match(/`+/g) ?? []
  const mark = '`'.repeat(Math.max(0, ...runs.map(({ length }) => length)) + 1)
  return mark.length === 1 ? `\`${text}\`` : `${mark} ${text} ${mark}`
}

/** Changes Markdown outside of code within a line: a value of a record may look like a mark, a tag or a link there. */
export function outsideCode(markdown: string, change: (markdown: string) => string): string {
  const spans: string[] = []
  const masked = markdown.replace(/(?<!`)(`+)(?!`).*?(?<!`)\1(?!`)/g, (span) => {
    spans.push(span)
    return '`\0`'
  })
  return change(masked).replace(/`\0`/g, () => spans.shift() ?? '')
}

/** Escapes what would be a mark, except backticks: in texts of the contract these enclose code. */
export function prose(text: string): string {
  const parts = text.split('`')
  return parts
    .map((part, i) => (i % 2 === 1 ? part : part.replace(/[\\*[\]<]|\b_|_\b/g, '\\$&')))
    .join('`')
}

/** Returns a table. @param heads a leading `>` aligns the column to the right */
export function table(heads: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) =>
    `| ${cells.map((cell) => cell.replaceAll('|', '\\|').replaceAll('\n', ' ')).join(' | ')} |`
  return [
    line(heads.map((head) => head.replace(/^>/, ''))),
    line(heads.map((head) => (head.startsWith('>') ? '---:' : '---'))),
    ...rows.map(line),
  ].join('\n')
}

/** Returns blocks that are folded until their summary is clicked. */
export const folded = (summary: string, blocks: string, className = 'more'): string =>
  `<details class="${className}">\n<summary>${summary}</summary>\n\n${blocks}\n\n</details>`

/** Returns Markdown for programs: without the anchors of headings, names of tabs, links within the page and tags that fold. */
export function plainMarkdown(text: string): string {
  return outsideCode(text, (markdown) =>
    markdown
      .replace(/^(#+ .*) \{#[^}]*\}$/gm, '$1')
      .replace(/^```(\w+) .*$/gm, '```$1')
      .replace(/\[([^\]]*)\]\(#[^)]*\)/g, '$1')
      .replace(/^<summary>(.*)<\/summary>$/gm, '**$1**')
      .replace(/<\/?(details|summary|p)[^>]*>/g, ' ')
      .replace(/ +$/gm, '')
      .replace(/\n{3,}/g, '\n\n'),
  )
}
