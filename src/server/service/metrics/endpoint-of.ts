/** Which endpoint a request is counted for. */
import { documentedPath, ENDPOINTS } from '../../../contract/endpoints.ts'

/** Paths of the contract as they are documented, by the path itself or by what stands before an id. */
const DOCUMENTED = new Map(
  Object.values(ENDPOINTS).map(({ path }) => [path.replace(/:\w+$/, ''), documentedPath(path)]),
)

/** The endpoint of a URL on the API's host: one of the contract, or `other`. One look-up, because each request takes it. */
export function endpointOf(url: string): string {
  const start = url.indexOf('/', 'https://'.length)
  const query = url.indexOf('?', start)
  const end = query < 0 ? url.length : query
  const beforeId = url.indexOf('/', start + '/v1/'.length)
  const path = url.slice(start, beforeId < 0 || beforeId > end ? end : beforeId + 1)
  return DOCUMENTED.get(path) ?? 'other'
}
