/** The frame of every page. */
import { html } from 'hono/html'
import { ASSETS, type Asset } from './assets.ts'
import type { Html } from './prose.ts'
import { pathTo, type Site } from './site.ts'

export interface Page {
  title: string
  main: Html
  /** Brings its own styles for text, and its own `main` element. */
  bare?: boolean
  /** Beside the site's own. */
  styles?: readonly Asset[]
  scripts?: readonly Asset[]
}

const NAVIGATION = [
  { path: '/docs', label: 'Reference' },
  { path: '/docs/credits', label: 'Credits and limits' },
  { path: '/docs/errors', label: 'Errors' },
  { path: '/credits', label: 'Get credits' },
] as const

/** A whole document. @param path the page's own, which the navigation marks. */
export function layout(site: Site, path: string, page: Page): Html {
  const { serviceName } = site
  const { title, main, bare = false, styles = [], scripts = [] } = page
  const links = NAVIGATION.map(
    (entry) =>
      html`<a href="${pathTo(site, entry.path)}"${entry.path === path ? html` aria-current="page"` : ''}>${entry.label}</a>`,
  )
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${title === serviceName ? title : `${title} · ${serviceName}`}</title>
<link rel="icon" type="image/svg+xml" href="${pathTo(site, ASSETS.icon.path)}">
${[ASSETS.styles, ...styles].map(({ path: href }) => html`<link rel="stylesheet" href="${pathTo(site, href)}">`)}
${scripts.map(({ path: src }) => html`<script src="${pathTo(site, src)}" defer></script>`)}
</head>
<body>
<a class="skip" href="#main">Skip to content</a>
<header class="top">
<a class="brand" href="${pathTo(site, '/')}"><img src="${pathTo(site, ASSETS.icon.path)}" alt="" width="28" height="28"><span>${serviceName}</span></a>
<nav aria-label="Main">${links}</nav>
</header>
${bare ? html`<div id="main" class="page">${main}</div>` : html`<main id="main" class="page text">${main}</main>`}
<footer class="bottom"><p>The API answers at <code>${site.baseUrl}</code></p></footer>
</body>
</html>
`
}
