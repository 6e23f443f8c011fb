/** `robots.txt` and `sitemap.xml`. */
import { DIRECTORIES } from '../contract/vocabulary.ts'
import { DOCUMENTS } from './docs/documents.ts'
import type { Site } from './http/page.ts'
import type { Content } from './http/responses.ts'

/** Paths in the sitemap. Records are found through the lists: a file of all of them would give the directory away. */
const LISTED = [
  '/',
  '/credits',
  '/privacy',
  '/people',
  ...DIRECTORIES.map((name) => `/${name}`),
  ...DOCUMENTS.map(({ path }) => path),
]

export function crawlerFiles({ appUrl }: Site): readonly (Content & { path: string })[] {
  const entries = LISTED.map((path) => `<url><loc>${escapeXml(appUrl + path)}</loc></url>\n`)
  return [
    {
      path: '/robots.txt',
      text: `User-agent: *\nAllow: /\n\nSitemap: ${appUrl}/sitemap.xml\n`,
      type: 'text/plain; charset=utf-8',
      kept: 'checked',
    },
    {
      path: '/sitemap.xml',
      text: `<?xml version="1.0" encoding="UTF-8"?>\n<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">\n${entries.join('')}</urlset>\n`,
      type: 'application/xml; charset=utf-8',
      kept: 'checked',
    },
  ]
}

const escapeXml = (text: string) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;')
