/**
 * The files that pages load, each imported as text: so they are the same from source and from a single
 * binary, and no folder is read at run time. This is the one place that knows them.
 */
import { createHash } from 'node:crypto'
import icon from '../client/icon.svg' with { type: 'text' }
import siteScript from '../client/site.client.js' with { type: 'text' }
import siteStyles from '../styles/site.css' with { type: 'text' }

export interface Asset {
  /** Names the content, so that it can be kept for ever. */
  path: string
  type: string
  text: string
}

const SCRIPT = 'text/javascript; charset=utf-8'
const STYLES = 'text/css; charset=utf-8'

function asset(name: string, type: string, text: string): Asset {
  const [stem, extension] = name.split('.')
  return { path: `/assets/${stem}.${contentHash(text)}.${extension}`, type, text }
}

/** A short name for a content, for paths and entity tags. */
export function contentHash(text: string): string {
  return createHash('sha256').update(text).digest('base64url').slice(0, 16)
}

export const ASSETS = {
  icon: asset('icon.svg', 'image/svg+xml', icon),
  styles: asset('site.css', STYLES, siteStyles),
  script: asset('site.js', SCRIPT, siteScript),
} satisfies Record<string, Asset>
