/**
 * How long the kit takes: the first directory of a process, the next ones beside it, a reset, a stop.
 * Prints a line each; `bun test/bench/kit.ts`.
 */
import { startDirectory } from '../../src/testing/start.ts'

const ROUNDS = 8

async function timed<T>(work: () => Promise<T>): Promise<{ ms: number; result: T }> {
  const startedAt = performance.now()
  const result = await work()
  return { ms: performance.now() - startedAt, result }
}

function report(what: string, times: readonly number[]) {
  const sorted = [...times].sort((a, b) => a - b)
  const show = (ms: number | undefined) => `${Math.round(ms ?? 0)} ms`
  console.log(
    `${what.padEnd(32)} median ${show(sorted[sorted.length >> 1])}, worst ${show(sorted.at(-1))}`,
  )
}

const first = await timed(() => startDirectory())
report('first start in the process', [first.ms])

const next: number[] = []
const stops: number[] = []
for (let round = 0; round < ROUNDS; round++) {
  const { ms, result } = await timed(() => startDirectory())
  next.push(ms)
  stops.push((await timed(() => result.stop())).ms)
}
report('another beside it', next)
report('stop', stops)

const resets: number[] = []
for (let round = 0; round < ROUNDS; round++) {
  const { key } = await first.result.account({ tier: 'pro', credits: 100 })
  await first.result.fetch('/v1/people', { headers: { authorization: `Bearer ${key}` } })
  resets.push((await timed(() => first.result.reset())).ms)
}
report('reset', resets)
await first.result.stop()
