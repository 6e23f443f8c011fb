/** A page as a browser's parser sees it, and text that would like to be more than text. */
import { expect } from 'bun:test'

export interface Element {
  tag: string
  attributes: [string, string][]
}

/** Text that becomes markup where a page doesn't escape it. */
export const MARKUP = `"'><script>alert(1)</script><img src=x onerror=alert(1)></title></textarea>&lt;b`

/** A place of this application, or another one that runs nothing here. */
const LEADS_TO = /^([#/?]|https?:\/\/|mailto:|tel:|data:text\/csv)/

export async function elementsIn(html: string): Promise<Element[]> {
  const elements: Element[] = []
  const rewriter = new HTMLRewriter().on('*', {
    element: ({ tagName, attributes }) => {
      elements.push({
        tag: tagName,
        attributes: [...attributes].map(([name, value]): [string, string] => [name!, value!]),
      })
    },
  })
  await rewriter.transform(new Response(html)).text()
  return elements
}

/** The blocks of data of a page, as they stand there. */
export function dataIn(html: string): string[] {
  const blocks = html.matchAll(/<script type="application\/ld\+json">(.*?)<\/script>/gs)
  return [...blocks].map(([, text]) => text ?? '')
}

/** Whatever text it shows, the page has no element and no attribute that it was not written with. */
export async function expectNoMarkup(what: string, html: string): Promise<void> {
  const elements = await elementsIn(html)
  // A block of data runs nothing, and ends where it was meant to.
  for (const text of dataIn(html)) expect(() => JSON.parse(text)).not.toThrow()
  expect([what, elements.length > 20]).toEqual([what, true])
  for (const { tag, attributes } of elements) {
    for (const [name, value] of attributes) {
      expect(`${what} ${tag} ${name}`).not.toMatch(/ (on\w+|style)$/)
      if (name === 'src') expect(value).toStartWith('/assets/')
      if (name === 'href') expect(value).toMatch(LEADS_TO)
      if (name === 'action') expect(value).toMatch(/^\/[a-z]/)
    }
    if (tag === 'script' && attributes[0]?.[1] !== 'application/ld+json') {
      // Files of our own, run when the page is there: classic scripts or modules.
      const names = attributes.map(([name, value]) => (name === 'type' ? `${name} ${value}` : name))
      expect([
        ['src', 'defer'],
        ['type module', 'src'],
      ]).toContainEqual(names)
    }
    expect(['iframe', 'object', 'embed', 'base', 'style', 'b']).not.toContain(tag)
  }
}
