/** Free resources: prices, and the documentation of the service. */
import type { McpServer, ReadResourceResult } from '@modelcontextprotocol/server'
import { PRICE_LIST } from './prices.ts'
import type { Session } from './session.ts'

/** Pages under `/docs` that help a model. */
export const DOCS_PAGES = [
  { page: 'credits', title: 'Credits and samples' },
  { page: 'reveals', title: 'Reveals of private channels' },
  { page: 'values', title: 'Values of filters, with counts' },
  { page: 'search', title: 'How search matches' },
  { page: 'records', title: 'Fields of records' },
  { page: 'limits', title: 'Rates and other limits' },
  { page: 'errors', title: 'Errors, with what to do' },
] as const

const PRICES_URI = 'chainkin://prices'
const MARKDOWN = 'text/markdown'

export function registerResources(server: McpServer, session: Session): void {
  server.registerResource(
    'prices',
    PRICES_URI,
    {
      title: 'Prices',
      description: 'What each tool costs, plans, top-ups, and limits of each tier. Free.',
      mimeType: 'application/json',
    },
    (uri) => answer(uri, 'application/json', JSON.stringify(PRICE_LIST)),
  )
  for (const { page, title } of DOCS_PAGES) {
    server.registerResource(
      `docs-${page}`,
      `chainkin://docs/${page}`,
      { title, description: `${title}, as this service documents it. Free.`, mimeType: MARKDOWN },
      async (uri, { mcpReq }) => answer(uri, MARKDOWN, await session.document(page, mcpReq.signal)),
    )
  }
}

function answer(uri: URL, mimeType: string, text: string): ReadResourceResult {
  return { contents: [{ uri: uri.href, mimeType, text }] }
}
