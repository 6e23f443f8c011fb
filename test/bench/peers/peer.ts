/** What every peer is: a server that answers requests for the same records. */
import type { RequestKinds } from '../requests.ts'

export interface Peer {
  name: string
  /** What it bills, in a few words. */
  bill: string
  /** Kinds of requests that it can answer; the mix needs all of them. */
  answers: 'all' | readonly (keyof RequestKinds)[]
  url: string
  pid: number
  stop(): Promise<void>
}

/** Others that would belong here, and why they are left out (November 2026). */
export const ABSENT: Readonly<Record<string, string>> = {
  Directus:
    'its licence is not permissive, and it compiles isolated-vm from C++ when it is installed',
  PostgREST: 'a Haskell program; npm, PyPI and Debian have clients of it only',
  Meilisearch: 'crates.io holds its name only, npm and PyPI its clients',
  Typesense:
    'npm, PyPI and crates.io have its clients, and a wrapper that downloads the server from elsewhere',
}
