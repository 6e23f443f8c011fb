/**
 * How well and how fast search finds: ours beside MiniSearch and `pg_trgm`, with the same data and the same queries in one run.
 *
 *   bun run bench search [--people N] [--queries N] [--engines chainkin,pg_trgm] [--seconds S] [--classes 'two typos,joined']
 *     [--seed N] [--ranks FILE]
 *
 * Each engine answers as many queries of a class as it can in the seconds given. success@1 and MRR@12 are over the answered
 * ones; p50, p99 and stall (the longest answer, during which an event loop would wait) are in milliseconds. CPU time is that of
 * all threads of this process, without a database's. `--ranks` writes the ids of each answer, one a line, to compare two
 * versions.
 */
import { writeFileSync } from 'node:fs'
import { parseArgs } from 'node:util'
import { Chance } from '../../src/server/demo/random.ts'
import { median, percentile } from './figures.ts'
import {
  inventedPeople,
  peopleByLegalName,
  realCompanies,
  transcribedPeople,
} from './search-data.ts'
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
const ranks: string[] = []
const engines = ENGINES.filter(({ name }) => options.engines.split(',').includes(name))

const companies = realCompanies()
const groups: Record<string, Target[]> = {
  companies: companies.map(
    ({ id, name, ticker, twitterHandle, domain, aiSummary, followers }, number) => ({
      id,
      name,
      ticker,
      handle: twitterHandle,
      domain,
      text: aiSummary,
      // Every tenth has one; the real companies' are not known.
      formerHandle: number % 10 === 0 ? `zq_${(number * 7_919).toString(36)}` : null,
      followers: followers ?? 0,
      isPerson: false,
    }),
  ),
  people: [
    ...inventedPeople(Number(options.people), companies),
    ...transcribedPeople(),
    ...peopleByLegalName(1_000),
  ].map((person) => ({
    id: person.id,
    name: [person.firstName, person.lastName].filter(Boolean).join(' '),
    ticker: null,
    handle: person.twitterHandle,
    domain: null,
    text: person.jobTitle,
    formerHandle: null,
    followers: person.creatorFollowerCount ?? 0,
    isPerson: true,
  })),
}

for (const [group, targets] of Object.entries(groups)) {
  const seed = Number(options.seed)
  const queries = makeQueries(targets, Number(options.queries), new Chance(seed))
  const others = makeQueries(targets, Number(options.queries), new Chance(seed + 1))
  console.log(`\n## ${targets.length} ${group}\n`)
  for (const engine of engines) {
    const startedAt = performance.now()
    const { search, stop } = await engine.build(targets)
    console.log(`${engine.name}: built in ${Math.round(performance.now() - startedAt)} ms\n`)
    console.log(
      '| engine | class | answered | success@1 | MRR@12 | p50 ms | p99 ms | stall ms | CPU p50 | CPU p99 |',
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
      console.log(`| ${[engine.name, kind, figures.answered, ...cells, ...times].join(' | ')} |`)
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
  // Other queries run first, so that no engine is timed while it is being compiled.
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
  const answered = wall.length
  return {
    answered,
    first: first / answered,
    reciprocal: reciprocal / answered,
    wall: spread(wall),
    cpu: spread(cpu),
  }
}

function spread(times: number[]) {
  return { p50: median(times), p99: percentile(times, 0.99), longest: percentile(times, 1) }
}
