/**
 * How well and how fast search finds: ours beside its peers, the same data, the same queries, one run.
 *
 *   bun test/bench/search.ts [--people 100000] [--queries 1000] [--engines chainkin,orama] [--seconds 5]
 *     [--classes 'two typos,joined'] [--seed 7] [--ranks lists.jsonl]
 *
 * Each engine answers the same queries in the same order, as many of a class as it gets done in the
 * seconds given. success@1 and MRR@12 are over the answered ones; p50, p99 and stall (the longest
 * single answer, which is how long an event loop would wait) are in milliseconds. CPU time is that of all
 * threads of this process (that of a database is not in it). `bun run bench:search` has the garbage
 * collector work on the thread that asks, so that it is counted once and not by as many threads as there
 * are cores. `--ranks` writes the ids of each
 * answer, one a line, so that two versions can be compared.
 */
import { writeFileSync } from 'node:fs'
import { parseArgs } from 'node:util'
import { Chance } from '../../src/server/demo/random.ts'
import { prefixCeiling } from './search-ceiling.ts'
import { inventedPeople, realCompanies } from './search-data.ts'
import { ENGINES, type Search } from './search-engines.ts'
import {
  makeQueries,
  QUERY_CLASSES,
  type Query,
  type Target,
  TIMED_ONLY,
} from './search-queries.ts'

const { values: options } = parseArgs({
  options: {
    people: { type: 'string', default: '100000' },
    queries: { type: 'string', default: '1000' },
    engines: { type: 'string', default: ENGINES.map(({ name }) => name).join(',') },
    seconds: { type: 'string', default: '5' },
    ranks: { type: 'string' },
    seed: { type: 'string', default: '7' },
    classes: { type: 'string', default: QUERY_CLASSES.join(',') },
  },
})
const WARM_UP_MS = 200
const PREFIXES = 'first 60 %'
const ranks: string[] = []
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
  const seed = Number(options.seed)
  const queries = makeQueries(targets, Number(options.queries), new Chance(seed))
  const others = makeQueries(targets, Number(options.queries), new Chance(seed + 1))
  console.log(`\n## ${targets.length} ${group}\n`)
  const ceiling = prefixCeiling(targets, queries.get(PREFIXES) ?? [])
  console.log(`MRR@12 of "${PREFIXES}" by who knows all names: ${JSON.stringify(ceiling)}\n`)
  for (const engine of engines) {
    const startedAt = performance.now()
    const { search, stop } = await engine.build(targets)
    console.log(`${engine.name}: built in ${Math.round(performance.now() - startedAt)} ms\n`)
    console.log(
      '| engine | class | asked | success@1 | MRR@12 | p50 ms | p99 ms | stall ms | CPU p50 | CPU p99 |',
    )
    console.log('|---|---|---|---|---|---|---|---|---|---|')
    for (const [kind, set] of queries) {
      if (set.length === 0 || !options.classes.split(',').includes(kind)) continue
      const figures = await measure(
        search,
        set,
        others.get(kind) ?? [],
        Number(options.seconds) * 1_000,
      )
      const quality = TIMED_ONLY.has(kind) ? ['', ''] : [figures.first, figures.reciprocal]
      const cells = [...quality.map((share) => (share === '' ? '' : Number(share).toFixed(3)))]
      const { wall, cpu } = figures
      const times = [wall.p50, wall.p99, wall.longest, cpu.p50, cpu.p99].map((ms) => ms.toFixed(3))
      console.log(`| ${[engine.name, kind, figures.asked, ...cells, ...times].join(' | ')} |`)
    }
    console.log()
    await stop?.()
  }
}

if (options.ranks) writeFileSync(options.ranks, `${ranks.join('\n')}\n`)

async function measure(
  search: Search,
  queries: readonly Query[],
  others: readonly Query[],
  budgetMs: number,
) {
  // Other queries for a moment before, so that no engine is timed while it is being compiled.
  const warm = performance.now() + WARM_UP_MS
  for (const { q } of others) {
    if (performance.now() > warm) break
    await search(q, 12)
  }
  const wall: number[] = []
  const cpu: number[] = []
  let first = 0
  let reciprocal = 0
  const end = performance.now() + budgetMs
  for (const { q, wanted } of queries) {
    if (performance.now() > end) break
    const usage = process.cpuUsage()
    const startedAt = performance.now()
    const ids = await search(q, 12)
    wall.push(performance.now() - startedAt)
    const { user, system } = process.cpuUsage(usage)
    cpu.push((user + system) / 1_000)
    if (options.ranks) ranks.push(JSON.stringify({ q, ids }))
    const rank = ids.findIndex((id) => wanted.has(id)) + 1
    if (rank === 1) first++
    if (rank > 0) reciprocal += 1 / rank
  }
  const asked = wall.length
  return {
    asked,
    first: first / asked,
    reciprocal: reciprocal / asked,
    wall: spread(wall),
    cpu: spread(cpu),
  }
}

function spread(times: number[]) {
  times.sort((a, b) => a - b)
  const at = (share: number) =>
    times[Math.min(times.length - 1, Math.floor(times.length * share))] ?? 0
  return { p50: at(0.5), p99: at(0.99), longest: at(1) }
}
