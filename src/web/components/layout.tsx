/** @jsxImportSource hono/jsx */
/** The frame of every page. */
import { ASSETS } from '../http/assets.ts'
import { renderHtml } from '../http/html.ts'
import type { Page, PageContext } from '../http/page.ts'
import { pathTo, type Site } from '../http/site.ts'
import { AccountMenu } from './account-menu.tsx'

/** The page is looked at by whom, at which path: what the frame marks and offers. */
export interface FrameOptions {
  site: Site
  /** The page's own path; '' for one that is nowhere. */
  path: string
  /** Undefined where the page is for nobody in particular. */
  context?: PageContext | undefined
}

const SECTIONS = [
  { path: '/people', label: 'People' },
  { path: '/projects', label: 'Projects' },
  { path: '/investors', label: 'Investors' },
  { path: '/services', label: 'Services' },
  { path: '/docs', label: 'Docs' },
  { path: '/credits', label: 'Plans' },
] as const

/** A page whose main is markup already, so that it can be kept and shown to others in their frames. */
export interface RenderedPage extends Omit<Page, 'main'> {
  main: string
}

/** Writes what is in the frame. */
export async function renderMain(page: Page): Promise<RenderedPage> {
  const main = await renderHtml(
    <main id="main" class={`page ${page.shape ?? 'text'}`}>
      {page.main}
    </main>,
  )
  return { ...page, main }
}

/** Where the frame has its main. As it is in a document: text can't look like it, because text is escaped. */
const PLACE = '<slot name="main"></slot>'

/** A whole document: the page in the frame of whoever looks. */
export async function renderDocument(page: RenderedPage, frame: FrameOptions): Promise<string> {
  const around = await renderHtml(<Frame page={page} frame={frame} />)
  const [before = '', after = ''] = around.split(PLACE)
  return `<!doctype html>\n${before}${page.main}${after}\n`
}

function Frame({ page, frame }: { page: RenderedPage; frame: FrameOptions }) {
  const { site } = frame
  const { title, description, canonical } = page
  const href = (path: string) => pathTo(site, path)
  return (
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <title>{title === site.serviceName ? title : `${title} · ${site.serviceName}`}</title>
        {description ? <meta name="description" content={description} /> : null}
        {page.isUnlisted ? <meta name="robots" content="noindex" /> : null}
        {canonical ? <link rel="canonical" href={site.appUrl + canonical} /> : null}
        <link rel="icon" type="image/svg+xml" href={href(ASSETS.icon.path)} />
        <link rel="stylesheet" href={href(ASSETS.styles.path)} />
        <script src={href(ASSETS.script.path)} defer></script>
      </head>
      <body>
        <a class="skip" href="#main">
          Skip to content
        </a>
        <Top frame={frame} balance={page.balance} />
        <slot name="main"></slot>
        <footer class="bottom">
          <p>
            The API answers at <code>{site.baseUrl}</code>
          </p>
          <p>
            <a href={href('/docs')}>Documentation</a> <a href={href('/docs/errors')}>Errors</a>{' '}
            <a href={href('/openapi.json')}>OpenAPI</a>
          </p>
        </footer>
      </body>
    </html>
  )
}

function Top({
  frame: { site, path, context },
  balance,
}: {
  frame: FrameOptions
  balance: number | undefined
}) {
  const href = (target: string) => pathTo(site, target)
  return (
    <header class="top">
      <a class="brand" href={href('/')}>
        <img src={href(ASSETS.icon.path)} alt="" width="28" height="28" />
        <span>{site.serviceName}</span>
      </a>
      <nav class="sections" aria-label="Main">
        {SECTIONS.map((section) => (
          <a href={href(section.path)} aria-current={currentOf(section.path, path)}>
            {section.label}
          </a>
        ))}
      </nav>
      <search class="find">
        <form action={href('/search')}>
          <input
            type="search"
            name="q"
            maxlength={200}
            placeholder="Search"
            aria-label="Search people and companies"
          />
        </form>
      </search>
      {context?.session ? (
        <AccountMenu context={context} session={context.session} path={path} balance={balance} />
      ) : (
        <a class="sign-in" href={href('/sign-in')}>
          Sign in
        </a>
      )}
    </header>
  )
}

/** The page itself, or something below it; undefined leaves the attribute out. */
function currentOf(section: string, path: string): 'page' | 'true' | undefined {
  if (path === section) return 'page'
  return path.startsWith(`${section}/`) ? 'true' : undefined
}
