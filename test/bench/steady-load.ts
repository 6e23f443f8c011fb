/**
 * So many requests a second, whatever the answers take (an open loop): a server that stalls is not
 * spared the requests that would have come meanwhile. Latency counts from when a request was due.
 */
import type { LoadRequest } from './http-load.ts'

export interface SteadyFigures {
  asked: number
  p50Ms: number
  p99Ms: number
  longestMs: number
  /** Answers that were no 200. */
  failed: number
}

export interface SteadyLoad {
  stop(): Promise<SteadyFigures>
}

export function startSteadyLoad(
  base: string,
  requests: readonly LoadRequest[],
  perSecond: number,
): SteadyLoad {
  const tookMs: number[] = []
  const pending = new Set<Promise<void>>()
  const startedAt = performance.now()
  let sent = 0
  let failed = 0
  async function ask({ path, headers }: LoadRequest, dueAt: number) {
    try {
      const response = await fetch(base + path, { headers })
      await response.text()
      if (response.status !== 200) failed++
    } catch {
      failed++
    }
    tookMs.push(performance.now() - dueAt)
  }
  const timer = setInterval(() => {
    for (;;) {
      const dueAt = startedAt + (sent * 1_000) / perSecond
      const request = requests[sent % requests.length]
      if (dueAt > performance.now() || !request) return
      sent++
      const asked = ask(request, dueAt).finally(() => pending.delete(asked))
      pending.add(asked)
    }
  }, 1)
  return {
    async stop() {
      clearInterval(timer)
      await Promise.all(pending)
      tookMs.sort((a, b) => a - b)
      const at = (share: number) =>
        tookMs[Math.min(tookMs.length - 1, Math.floor(tookMs.length * share))] ?? 0
      return { asked: sent, p50Ms: at(0.5), p99Ms: at(0.99), longestMs: at(1), failed }
    },
  }
}
