/** The readiness of a server for requests; if it isn't ready, with public reasons. */
export interface Readiness {
  status: 'ready' | 'unready'
  reasons: readonly string[]
}
