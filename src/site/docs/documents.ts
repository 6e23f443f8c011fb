/** The documentation's pages, in the order of its contents. */
import { authentication, start, versions } from './basics.tsx'
import { client } from './client.tsx'
import { credits, limits, reveals } from './costs.tsx'
import type { Document } from './document.tsx'
import { ENDPOINT_DOCUMENTS } from './endpoint-document.tsx'
import { errors, retries } from './failures.tsx'
import { importing } from './import.tsx'
import { paging, search } from './lists.tsx'
import { modelContext } from './mcp.tsx'
import { records } from './records.tsx'
import { reference } from './reference.tsx'
import { testing } from './testing.tsx'
import { values } from './values.tsx'

export const DOCUMENTS: readonly Document[] = [
  ...[start, authentication, credits, reveals, retries, limits],
  ...[paging, values, search, errors, client, testing, modelContext, versions, reference],
  ...ENDPOINT_DOCUMENTS,
  ...[records, importing],
]
