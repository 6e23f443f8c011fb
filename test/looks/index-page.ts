/** The page that sets the pictures of `bun run looks` beside each other. */

/** A kind of page that was looked at. */
export interface Looked {
  what: string
  address: string
  /** Of its pictures, beside the index. */
  files: readonly string[]
}

/** A kind's name as a part of a file's. */
export const nameOf = (what: string): string => what.replace(/\W+/g, '-')

const STYLE = `body { font: 14px system-ui; background: #888 } section { display: flex; gap: 8px; overflow-x: auto }
img { height: 900px; width: auto; object-fit: contain; object-position: top; background: #888 }`

/** @returns HTML; each picture is a link to itself */
export function indexOf(looked: readonly Looked[]): string {
  const escaped = (text: string) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;')
  const picture = (file: string) =>
    `<a href="${file}"><img loading="lazy" src="${file}" alt=""></a>`
  const sections = looked.map(
    ({ what, address, files }) =>
      `<h2>${escaped(what)} <small>${escaped(address.slice(0, 100))}</small></h2><section>${files.map(picture).join('')}</section>`,
  )
  return `<!doctype html><meta charset="utf-8"><title>Looks</title><style>${STYLE}</style>${sections.join('\n')}\n`
}
