/** The documentation's pages in the order of its contents. */
import { authentication } from './authentication.tsx'
import { credits } from './credits.tsx'
import type { Document } from './document.tsx'
import { errors } from './errors.tsx'
import { limits } from './limits.tsx'
import { paging } from './paging.tsx'
import { reference } from './reference.tsx'
import { retries } from './retries.tsx'
import { reveals } from './reveals.tsx'
import { search } from './search.tsx'
import { start } from './start.tsx'
import { versions } from './versions.tsx'

export const DOCUMENTS: readonly Document[] = [
  start,
  authentication,
  credits,
  reveals,
  retries,
  limits,
  paging,
  search,
  errors,
  versions,
  reference,
]
