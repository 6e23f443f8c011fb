/**
 * The files that pages load. Each is imported as text, so that source and single binary serve the same, and
 * no folder is read at run time.
 */
import { createHash } from 'node:crypto'
import icon from '../client/icon.svg' with { type: 'text' }
import siteScript from '../client/site.client.js' with { type: 'text' }
import { siteStyles } from '../styles/site.ts'

export interface Asset {
  /** Holds a hash of the content, so that browsers may keep the file for ever. */
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

/** A short hash of a content, for paths and entity tags. */
export function contentHash(text: string): string {
  return createHash('sha256').update(text).digest('base64url').slice(0, 16)
}

export const ASSETS = {
  icon: asset('icon.svg', 'image/svg+xml', icon),
  styles: asset('site.css', STYLES, siteStyles),
  script: asset('site.js', SCRIPT, siteScript),
} satisfies Record<string, Asset>
