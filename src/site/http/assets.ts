/** The files that pages load, imported as text, so that source and single binary serve the same. */
import docsSearch from '../client/docs-search.client.js' with { type: 'text' }
import find from '../client/find.client.js' with { type: 'text' }
import icon from '../client/icon.svg' with { type: 'text' }
import importsScript from '../client/imports.client.js' with { type: 'text' }
import listsScript from '../client/lists.client.js' with { type: 'text' }
import selectionScript from '../client/selection.client.js' with { type: 'text' }
import script from '../client/site.client.js' with { type: 'text' }
import touchIcon from '../client/touch-icon.png.base64' with { type: 'text' }
import base from '../styles/base.css' with { type: 'text' }
import browse from '../styles/browse.css' with { type: 'text' }
import charts from '../styles/charts.css' with { type: 'text' }
import contacts from '../styles/contacts.css' with { type: 'text' }
import docs from '../styles/docs.css' with { type: 'text' }
import findStyles from '../styles/find.css' with { type: 'text' }
import forms from '../styles/forms.css' with { type: 'text' }
import frame from '../styles/frame.css' with { type: 'text' }
import lists from '../styles/lists.css' with { type: 'text' }
import narrow from '../styles/narrow.css' with { type: 'text' }
import panels from '../styles/panels.css' with { type: 'text' }
import tables from '../styles/tables.css' with { type: 'text' }
import { type Content, contentHash } from './responses.ts'

/** Style sheets in the order of the cascade. */
const styles = [
  base,
  frame,
  forms,
  lists,
  tables,
  panels,
  charts,
  docs,
  browse,
  contacts,
  findStyles,
  narrow,
].join('\n')

/** A file whose path holds a hash of its content, so that browsers may keep it for ever. */
function asset(name: string, type: string, text: Content['text']): Content & { path: string } {
  const [stem, extension] = name.split('.')
  return { path: `/assets/${stem}.${contentHash(text)}.${extension}`, type, text, kept: 'forever' }
}

/** The picture's edge in pixels, above the minimum for link previews. */
export const TOUCH_ICON_SIDE = 512

export const ASSETS = {
  icon: asset('icon.svg', 'image/svg+xml', icon),
  /** The icon on a phone's home screen, and the picture of previews. */
  touchIcon: asset('touch-icon.png', 'image/png', new Uint8Array(Buffer.from(touchIcon, 'base64'))),
  styles: asset('site.css', 'text/css; charset=utf-8', styles),
  script: asset('site.js', 'text/javascript; charset=utf-8', script),
  /** A module: its names are its own. */
  find: asset('find.js', 'text/javascript; charset=utf-8', find),
  lists: asset('lists.js', 'text/javascript; charset=utf-8', listsScript),
  imports: asset('imports.js', 'text/javascript; charset=utf-8', importsScript),
  selection: asset('selection.js', 'text/javascript; charset=utf-8', selectionScript),
  docsSearch: asset('docs-search.js', 'text/javascript; charset=utf-8', docsSearch),
}
