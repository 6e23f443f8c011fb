/** The documentation's pages: Markdown with `{{placeholders}}`, in the order of the contents. */
import { documentedPath, ENDPOINTS, type EndpointName } from '../../contract/endpoints.ts'
import type { Document } from './document.ts'
import authentication from './pages/authentication.md' with { type: 'text' }
import client from './pages/client.md' with { type: 'text' }
import credits from './pages/credits.md' with { type: 'text' }
import endpointText from './pages/endpoint.md' with { type: 'text' }
import errors from './pages/errors.md' with { type: 'text' }
import importing from './pages/import.md' with { type: 'text' }
import limits from './pages/limits.md' with { type: 'text' }
import mcp from './pages/mcp.md' with { type: 'text' }
import paging from './pages/paging.md' with { type: 'text' }
import records from './pages/records.md' with { type: 'text' }
import reference from './pages/reference.md' with { type: 'text' }
import retries from './pages/retries.md' with { type: 'text' }
import reveals from './pages/reveals.md' with { type: 'text' }
import search from './pages/search.md' with { type: 'text' }
import start from './pages/start.md' with { type: 'text' }
import testing from './pages/testing.md' with { type: 'text' }
import values from './pages/values.md' with { type: 'text' }
import versions from './pages/versions.md' with { type: 'text' }

/** Reads a page that begins with its title and its lead. */
function documentOf(path: Document['path'], source: string): Document {
  const [, title, lead, text] = /^# (.*)\n\n(.*)\n\n([\s\S]*)$/.exec(source) ?? []
  if (!title || !lead || !text) throw new Error(`${path} needs a title, a lead and a text`)
  return { path, title, lead, text }
}

/** A page for each endpoint, in the order of the contract. */
export const ENDPOINT_DOCUMENTS: readonly (Document & { endpoint: EndpointName })[] = (
  Object.keys(ENDPOINTS) as EndpointName[]
).map((endpoint) => {
  const { method, path, operationId, summary } = ENDPOINTS[endpoint]
  return {
    path: `/docs/reference/${operationId}`,
    title: `${method} ${documentedPath(path)}`,
    lead: `${summary}.`,
    text: endpointText,
    endpoint,
  }
})

export const DOCUMENTS: readonly Document[] = [
  documentOf('/docs', start),
  documentOf('/docs/authentication', authentication),
  documentOf('/docs/credits', credits),
  documentOf('/docs/reveals', reveals),
  documentOf('/docs/retries', retries),
  documentOf('/docs/limits', limits),
  documentOf('/docs/paging', paging),
  { ...documentOf('/docs/values', values), isLive: true },
  documentOf('/docs/search', search),
  documentOf('/docs/errors', errors),
  documentOf('/docs/client', client),
  documentOf('/docs/testing', testing),
  documentOf('/docs/mcp', mcp),
  documentOf('/docs/versions', versions),
  documentOf('/docs/reference', reference),
  ...ENDPOINT_DOCUMENTS,
  documentOf('/docs/records', records),
  documentOf('/docs/import', importing),
]
