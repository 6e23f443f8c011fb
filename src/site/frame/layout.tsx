/** @jsxImportSource hono/jsx */
/** The frame of every page: head, header with the menu of the account, footer. */
import { TIER_RULES } from '../../contract/tiers.ts'
import { PICTURE_SIDE } from '../../directory/pictures/square.ts'
import { ASSETS, TOUCH_ICON_SIDE } from '../http/assets.ts'
import { dataBlock, renderHtml } from '../http/html.ts'
import {
  createHref,
  isSignedIn,
  type Page,
  type PageContext,
  type SignedInContext,
  type Site,
} from '../http/page.ts'
import type { Theme } from '../http/theme.ts'
import { Form } from '../ui/form.tsx'
import { SuspensionNotice } from '../ui/suspension.tsx'
import { plural, shortened } from '../ui/text.tsx'

export const SECTIONS = {
  '/people': 'People',
  '/projects': 'Projects',
  '/investors': 'Investors',
  '/services': 'Services',
  '/docs': 'Docs',
  '/credits': 'Plans',
}

export const PLACES = {
  '/overview': 'Overview',
  '/contacts': 'My contacts',
  '/lists': 'Lists',
  '/keys': 'API keys',
  '/balance': 'Usage',
  '/requests': 'Requests',
  '/bulk-search': 'Bulk search',
  '/referral': 'Invite a friend',
  '/workspace': 'Workspace',
  '/settings': 'Settings',
}

/** Characters of a description: search engines and previews show no more. */
const DESCRIPTION_MAX = 200

/** Renders a whole document: the page in the frame, which shows who is signed in. */
export function renderDocument(
  page: Page,
  site: Site,
  context?: PageContext,
  theme?: Theme,
): string {
  const description = page.description && shortened(page.description, DESCRIPTION_MAX)
  const shown = { ...page, ...(description && { description }) }
  const html = renderHtml(<Frame page={shown} site={site} context={context} theme={theme} />)
  return `<!doctype html>\n${html}\n`
}

interface FrameProps {
  page: Page
  site: Site
  /** Undefined where the request failed before it had one. */
  context: PageContext | undefined
}

interface DocumentProps extends FrameProps {
  /** The colours that were chosen; undefined for the system's. */
  theme: Theme | undefined
}

function Frame({ page, site, context, theme }: DocumentProps) {
  const { title, description, canonical } = page
  const href = createHref(site)
  return (
    <html lang="en" data-theme={theme}>
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content={theme ?? 'light dark'} />
        <title>{title === site.serviceName ? title : `${title} · ${site.serviceName}`}</title>
        {description ? <meta name="description" content={description} /> : null}
        {page.isUnlisted ? <meta name="robots" content="noindex" /> : null}
        {page.refreshSeconds ? (
          <noscript>
            <meta http-equiv="refresh" content={`${page.refreshSeconds}`} />
          </noscript>
        ) : null}
        {canonical ? <link rel="canonical" href={site.appUrl + canonical} /> : null}
        <link rel="icon" type="image/svg+xml" href={href(ASSETS.icon.path)} />
        <link rel="apple-touch-icon" href={href(ASSETS.touchIcon.path)} />
        <Previews page={page} site={site} />
        <link rel="stylesheet" href={href(ASSETS.styles.path)} />
        <script src={href(ASSETS.script.path)} defer></script>
        <script type="module" src={href(ASSETS.find.path)}></script>
      </head>
      <body>
        <a class="skip" href="#main">
          Skip to content
        </a>
        <Top page={page} site={site} context={context} />
        {context && isSignedIn(context) ? <SuspensionNotice context={context} /> : null}
        <main id="main" class={`page ${page.shape ?? 'text'}`}>
          {page.main}
        </main>
        <footer class="bottom">
          <p>
            The API answers at <code>{site.baseUrl}</code>
          </p>
          <p>
            <a href={href('/docs')}>Documentation</a> <a href={href('/docs/errors')}>Errors</a>{' '}
            <a href={href('/openapi.json')}>OpenAPI</a> <a href={href('/privacy')}>Privacy</a>{' '}
            <a href={href('/appearance')}>Appearance</a>
          </p>
        </footer>
      </body>
    </html>
  )
}

function Top({ page, site, context }: FrameProps) {
  const href = createHref(site)
  return (
    <header class="top">
      <a class="brand" href={href('/')}>
        <img src={href(ASSETS.icon.path)} alt="" width="28" height="28" />
        <span>{site.serviceName}</span>
      </a>
      <nav class="sections" aria-label="Main">
        {Object.entries(SECTIONS).map(([path, label]) => (
          <a href={href(path)} aria-current={currentOf(path, context?.path ?? '')}>
            {label}
          </a>
        ))}
      </nav>
      <search class="find">
        <form
          action={href('/search')}
          data-suggestions={href('/search/suggestions')}
          data-palette={href('/palette')}
        >
          <input
            type="search"
            name="q"
            maxlength={200}
            placeholder="Search"
            aria-label="Search people and companies"
          />
        </form>
      </search>
      {context && isSignedIn(context) ? (
        <AccountMenu context={context} balance={page.balance} />
      ) : (
        <a class="sign-in" href={href('/sign-in')}>
          Sign in
        </a>
      )}
    </header>
  )
}

/** Returns `page` for the section itself, `true` for a path below it, undefined elsewhere. */
function currentOf(section: string, path: string): 'page' | 'true' | undefined {
  if (path === section) return 'page'
  return path.startsWith(`${section}/`) ? 'true' : undefined
}

/** @param balance the account's credits after this page charged; undefined where it did not */
function AccountMenu({
  context,
  balance,
}: {
  context: SignedInContext
  balance: number | undefined
}) {
  const { user, account } = context.session
  const credits = balance ?? account.creditsBalance
  return (
    <details class="account">
      <summary>
        <bdi class="who">{user.name}</bdi>
      </summary>
      <div class="menu">
        <p>
          <bdi>{account.organization ?? account.name}</bdi>
          <span class="number">
            {TIER_RULES[account.tier].unlimited
              ? 'no credit ceiling'
              : plural(credits, 'credit', 'credits')}
          </span>
        </p>
        <nav aria-label="Account">
          {Object.entries(PLACES).map(([path, label]) => (
            <a href={context.href(path)} aria-current={context.path === path ? 'page' : undefined}>
              {label}
            </a>
          ))}
          {user.isOperator ? <a href={context.href('/operator')}>Operator</a> : null}
        </nav>
        <Form context={context} action="/sign-out" class="sign-out">
          <button type="submit">Sign out</button>
        </Form>
      </div>
    </details>
  )
}

/** Open Graph tags, and the record as JSON-LD, on pages that search engines may list. */
function Previews({ page, site }: { page: Page; site: Site }) {
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
      {linkedData ? dataBlock(linkedData) : null}
    </>
  )
}
