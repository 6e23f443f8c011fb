/**
 * How well and how fast search finds: ours beside its peers, the same data, the same queries, one run.
 *
 *   bun test/bench/search.ts [--people 100000] [--queries 1000] [--engines chainkin,orama] [--seconds 5]
 *
 * Each engine answers the same queries in the same order, as many of a class as it gets done in the
 * seconds given. success@1 and MRR@12 are over the answered ones; p50, p99 and stall (the longest
 * single answer, which is how long an event loop would wait) are in milliseconds.
 */
import { parseArgs } from 'node:util'
import { Chance } from '../../src/demo/random.ts'
import { prefixCeiling } from './search-ceiling.ts'
import { inventedPeople, realCompanies } from './search-data.ts'
import { ENGINES, type Search } from './search-engines.ts'
import { makeQueries, type Query, type Target, TIMED_ONLY } from './search-queries.ts'

const { values: options } = parseArgs({
  options: {
    people: { type: 'string', default: '100000' },
    queries: { type: 'string', default: '1000' },
    engines: { type: 'string', default: ENGINES.map(({ name }) => name).join(',') },
    seconds: { type: 'string', default: '5' },
  },
})
const WARM_UP_MS = 200
const PREFIXES = 'first 60 %'
const engines = ENGINES.filter(({ name }) => options.engines.split(',').includes(name))

const companies = realCompanies()
const groups: Record<string, Target[]> = {
  companies: companies.map(({ id, name, ticker, twitterHandle, domain, aiSummary, followers }) => ({
    id,
    name,
    ticker,
    handle: twitterHandle,
    domain,
    text: aiSummary,
    followers: followers ?? 0,
    isPerson: false,
  })),
  people: inventedPeople(Number(options.people), companies).map((person) => ({
    id: person.id,
    name: `${person.firstName} ${person.lastName}`,
    ticker: null,
    handle: person.twitterHandle,
    domain: null,
    text: person.jobTitle,
    followers: person.creatorFollowerCount ?? 0,
    isPerson: true,
  })),
}

for (const [group, targets] of Object.entries(groups)) {
  const queries = makeQueries(targets, Number(options.queries), new Chance(7))
  console.log(`\n## ${targets.length} ${group}\n`)
  const ceiling = prefixCeiling(targets, queries.get(PREFIXES) ?? [])
  console.log(`MRR@12 of "${PREFIXES}" by who knows all names: ${JSON.stringify(ceiling)}\n`)
  for (const engine of engines) {
    const startedAt = performance.now()
    const { search, stop } = await engine.build(targets)
    console.log(`${engine.name}: built in ${Math.round(performance.now() - startedAt)} ms\n`)
    console.log('| engine | class | asked | success@1 | MRR@12 | p50 ms | p99 ms | stall ms |')
    console.log('|---|---|---|---|---|---|---|---|')
    for (const [kind, set] of queries) {
      if (set.length === 0) continue
      const figures = await measure(search, set, Number(options.seconds) * 1_000)
      const quality = TIMED_ONLY.has(kind) ? ['', ''] : [figures.first, figures.reciprocal]
      const cells = [...quality.map((share) => (share === '' ? '' : Number(share).toFixed(3)))]
      const times = [figures.p50, figures.p99, figures.longest].map((ms) => ms.toFixed(3))
      console.log(`| ${[engine.name, kind, figures.asked, ...cells, ...times].join(' | ')} |`)
    }
    console.log()
    await stop?.()
  }
}

async function measure(search: Search, queries: readonly Query[], budgetMs: number) {
  // For a moment before, so that no engine is timed while it is being compiled.
  const warm = performance.now() + WARM_UP_MS
  for (const { q } of queries) {
    if (performance.now() > warm) break
    await search(q, 12)
  }
  const times: number[] = []
  let first = 0
  let reciprocal = 0
  const end = performance.now() + budgetMs
  for (const { q, wanted } of queries) {
    if (performance.now() > end) break
    const startedAt = performance.now()
    const ids = await search(q, 12)
    times.push(performance.now() - startedAt)
    const rank = ids.findIndex((id) => wanted.has(id)) + 1
    if (rank === 1) first++
    if (rank > 0) reciprocal += 1 / rank
  }
  times.sort((a, b) => a - b)
  const at = (share: number) =>
    times[Math.min(times.length - 1, Math.floor(times.length * share))] ?? 0
  const asked = times.length
  return {
    asked,
    first: first / asked,
    reciprocal: reciprocal / asked,
    p50: at(0.5),
    p99: at(0.99),
    longest: at(1),
  }
}
