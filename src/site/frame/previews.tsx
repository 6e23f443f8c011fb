/** @jsxImportSource hono/jsx */
/** Open Graph tags, and a slot for the record as JSON-LD, on pages that search engines may list. */
import { PICTURE_SIDE } from '../../directory/pictures/square.ts'
import { ASSETS, TOUCH_ICON_SIDE } from '../http/assets.ts'
import type { RenderedPage, Site } from '../http/page.ts'

export function Previews({ page, site }: { page: RenderedPage; site: Site }) {
  const { title, description, canonical, isUnlisted, picture, linkedData } = page
  if (!canonical || isUnlisted) return null
  const properties = {
    title,
    description,
    type: linkedData?.['@type'] === 'Person' ? 'profile' : 'website',
    url: site.appUrl + canonical,
    site_name: site.serviceName,
    image: picture ? new URL(picture, site.appUrl).href : site.appUrl + ASSETS.touchIcon.path,
    'image:width': String(picture ? PICTURE_SIDE : TOUCH_ICON_SIDE),
    'image:height': String(picture ? PICTURE_SIDE : TOUCH_ICON_SIDE),
  }
  return (
    <>
      {Object.entries(properties).map(([name, content]) =>
        content ? <meta property={`og:${name}`} content={content} /> : null,
      )}
      <meta name="twitter:card" content="summary" />
      {linkedData ? <slot name="data"></slot> : null}
    </>
  )
}
