/** @jsxImportSource hono/jsx */
/** Small marks: badges, monograms instead of pictures, links to other sites. */
import type { Child } from '../http/html.ts'

export type Tone = 'plain' | 'good' | 'warn' | 'bad' | 'accent'

export function Badge({ tone = 'plain', children }: { tone?: Tone; children?: Child }) {
  return <span class={`badge ${tone}`}>{children}</span>
}

/** Colours that a name may have, evenly around the circle. */
const HUES = 36

interface MonogramProps {
  name: string
  /** Link to the record's picture, which stands instead. */
  picture?: string | undefined
  large?: boolean
}

/** A record's picture of our own address, or initials on a colour that the name decides. */
export function Monogram({ name, picture, large = false }: MonogramProps) {
  if (picture) {
    const side = large ? 72 : 38
    return (
      <img
        class={large ? 'picture large' : 'picture'}
        src={picture}
        alt=""
        width={side}
        height={side}
        loading={large ? undefined : 'lazy'}
        decoding="async"
      />
    )
  }
  return (
    <svg
      class={large ? 'monogram large' : 'monogram'}
      viewBox="0 0 40 40"
      color={`oklch(.52 .12 ${hueOf(name)})`}
      aria-hidden="true"
    >
      <text x="20" y="20">
        {initials(name)}
      </text>
    </svg>
  )
}

/** A hue in degrees, always the same for a name. */
function hueOf(name: string): number {
  let hash = 0
  for (const letter of name) hash = (hash * 31 + (letter.codePointAt(0) ?? 0)) % 1_000_003
  return (hash % HUES) * (360 / HUES)
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
