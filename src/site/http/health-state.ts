/** Whether the server is to be sent requests; where it isn't, why, in words that anybody may read. */
export interface Readiness {
  status: 'ready' | 'unready'
  reasons: readonly string[]
}
