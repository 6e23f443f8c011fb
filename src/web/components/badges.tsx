/** @jsxImportSource hono/jsx */
/** Small marks: badges, monograms instead of pictures, links to other sites. */
import type { Child } from '../http/html.ts'

export type Tone = 'plain' | 'good' | 'warn' | 'bad' | 'accent'

export function Badge({ tone = 'plain', children }: { tone?: Tone; children?: Child }) {
  return <span class={`badge ${tone}`}>{children}</span>
}

const HUES = 6

/**
 * Initials on a colour that the name decides. Pictures of records lie on other hosts, and pages load nothing
 * from there, because those hosts would see who reads.
 */
export function Monogram({ name, large = false }: { name: string; large?: boolean }) {
  const hue = [...name].reduce((sum, letter) => sum + (letter.codePointAt(0) ?? 0), 0) % HUES
  return (
    <span class={`monogram hue-${hue}${large ? ' large' : ''}`} aria-hidden="true">
      {initials(name)}
    </span>
  )
}

/** Returns the first letters or digits of the first and the last word, '?' where there are none. */
function initials(name: string): string {
  const words = name.match(/[\p{L}\p{N}]+/gu) ?? []
  const [first = '', last = ''] = [words[0], words.length > 1 ? words.at(-1) : '']
  return [first, last].map((word) => [...word].slice(0, 1).join('')).join('') || '?'
}

/** Links to an address of a record where it is http or https; any other stays text. */
export function ExternalLink({ href, children }: { href: string; children?: Child }) {
  const isWeb = URL.canParse(href) && /^https?:$/.test(new URL(href).protocol)
  if (!isWeb) return <span>{children}</span>
  return (
    <a href={href} rel="noopener nofollow ugc noreferrer">
      {children}
    </a>
  )
}
