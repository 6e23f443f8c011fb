/**
 * `bun run bench:peers [--people N] [--companies N] [--seconds S] [--rounds N] [--workers N] [--only NAME] [--out F]`
 *
 * The server beside others that could do its work: the same machine, the same PostgreSQL, the same records, and the same
 * requests over 32 connections, in turns. A figure is the median of the rounds; beside it stand the mean size of the
 * answers and what each call took of the processors. Chainkin is measured with one worker and with two, or as many as
 * `--workers` says. `--only` names one endpoint. Each peer has a file in `peers/`; those that can't be had are named with
 * the reason.
 */
import { writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { benchDatabase, makeAccounts } from './bench-database.ts'
import type { LoadRequest } from './http-load.ts'
import { measureLoad, warmUp } from './measured-load.ts'
import { medians, rounded } from './medians.ts'
import { type Answers, difference, lookAtAnswers } from './peers/answers.ts'
import { startChainkin } from './peers/chainkin.ts'
import { ABSENT, type Peer } from './peers/peer.ts'
import { startTextbook } from './peers/textbook.ts'
import { drawRequests, mixOf, type RequestKinds, requestKinds } from './requests.ts'

const { values: options } = parseArgs({
  options: {
    people: { type: 'string', default: '100000' },
    companies: { type: 'string', default: '30000' },
    seconds: { type: 'string', default: '4' },
    rounds: { type: 'string', default: '3' },
    workers: { type: 'string', default: '2' },
    only: { type: 'string', default: '' },
    out: { type: 'string', default: join(tmpdir(), 'chainkin-bench-peers.json') },
  },
})
const CONNECTIONS = 32
const ACCOUNTS = 10_000
/** At most, for each peer and endpoint. */
const WARM_SECONDS = 40

/** What is asked for, how many times the textbook's figure is asked of Chainkin, and the requests. */
interface Endpoint {
  name: string
  asked: number | null
  kinds: readonly (keyof RequestKinds)[]
  requests: LoadRequest[]
}

interface Figures {
  endpoint: string
  peer: string
  perSecond: number
  p50Ms: number
  p99Ms: number
  bytes: number
  serverUs: number
  postgresUs: number
  loadUs: number
}

const bench = await benchDatabase(Number(options.people), Number(options.companies))
const peers: Peer[] = []
try {
  const { keys } = await makeAccounts(bench.sql, ACCOUNTS)
  const endpoints = endpointsOf(await requestKinds(bench.sql), keys).filter(({ name }) =>
    name.includes(options.only),
  )
  const textbookUrl = await bench.clone('textbook')
  peers.push(await startChainkin(bench.url, 1))
  peers.push(await startTextbook(textbookUrl))
  if (Number(options.workers) > 1) {
    peers.push(await startChainkin(bench.url, Number(options.workers)))
  }
  const figures = await measureAll(endpoints)
  console.table(figures)
  const ratios = ratiosOf(endpoints, figures)
  console.table(ratios)
  for (const { name, bill } of peers) console.log(`${name} bills ${bill}`)
  for (const [name, why] of Object.entries(ABSENT)) console.log(`${name} is not here: ${why}`)
  await writeFile(options.out, JSON.stringify({ options, figures, ratios }, null, 2))
  console.log(`written to ${options.out}`)
} finally {
  await Promise.all(peers.map((peer) => peer.stop()))
  await bench.close()
}

function endpointsOf(kinds: RequestKinds, keys: string[]): Endpoint[] {
  const of = (name: string, asked: number | null, ...names: (keyof RequestKinds)[]): Endpoint => ({
    name,
    asked,
    kinds: names,
    requests: drawRequests(
      names.map((kind) => kinds[kind]),
      keys,
      keys.length,
    ),
  })
  const mix = mixOf(kinds)
  return [
    of('search', 10, 'search'),
    of('people list', 20, 'peopleList'),
    of('people list, any role and channel', 20, 'anyPeopleList'),
    of('projects list', 20, 'projectList'),
    of('single read', 5, 'project', 'person'),
    {
      name: 'mix',
      asked: null,
      kinds: ['search', 'peopleList', 'projectList', 'project', 'person', 'unlocked'],
      requests: drawRequests(mix, keys, keys.length),
    },
    of('GET /v1/me', null, 'me'),
  ]
}

async function measureAll(endpoints: readonly Endpoint[]): Promise<Figures[]> {
  const figures: Figures[] = []
  for (const endpoint of endpoints) {
    const able = peers.filter(({ answers }) => canAnswer(answers, endpoint))
    const answers = new Map<Peer, Answers>()
    for (const peer of able) {
      answers.set(peer, await lookAtAnswers(peer.url, endpoint.requests))
      await warmUp(peer.url, endpoint.requests, CONNECTIONS, WARM_SECONDS)
    }
    reportDifferences(endpoint, answers)
    const rounds = new Map(able.map((peer) => [peer, [] as Measured[]]))
    for (let round = 0; round < Number(options.rounds); round++) {
      for (const peer of able) {
        const measured = await load(peer, endpoint, Number(options.seconds))
        if (measured.share200 < 1) {
          throw new Error(`${peer.name} refused ${endpoint.name}: ${measured.share200} were a 200`)
        }
        rounds.get(peer)?.push(measured)
      }
    }
    for (const [peer, measured] of rounds) {
      const middle = medians(measured)
      console.log(`${endpoint.name}, ${peer.name}: ${middle.perSecond} a second`)
      const bytes = answers.get(peer)?.meanBytes ?? Number.NaN
      figures.push({ endpoint: endpoint.name, peer: peer.name, bytes, ...middle })
    }
  }
  return figures
}

type Measured = Awaited<ReturnType<typeof measureLoad>>

function canAnswer(answers: Peer['answers'], { kinds }: Endpoint): boolean {
  return answers === 'all' || kinds.every((kind) => answers.includes(kind))
}

function load(peer: Peer, { requests }: Endpoint, seconds: number): Promise<Measured> {
  const processes = { server: peer.pid, postgres: bench.server.pid }
  return measureLoad(peer.url, processes, requests, CONNECTIONS, seconds)
}

/** The first peer is Chainkin. */
function reportDifferences({ name }: Endpoint, answers: ReadonlyMap<Peer, Answers>) {
  const [[, ours] = [], ...others] = answers
  for (const [peer, theirs] of others) {
    const different = ours ? difference(ours, theirs) : ''
    if (different) console.log(`${name}: members of ${peer.name} differ: ${different}`)
  }
}

/** How many times the calls of the others Chainkin answers. */
function ratiosOf(endpoints: readonly Endpoint[], figures: readonly Figures[]) {
  const perSecond = (endpoint: string, peer: Peer) =>
    figures.find((one) => one.endpoint === endpoint && one.peer === peer.name)?.perSecond ??
    Number.NaN
  return endpoints.map(({ name, asked }) => {
    const ratios = peers
      .filter(isOurs)
      .flatMap((ours) =>
        peers
          .filter((peer) => !isOurs(peer))
          .map((other) => [
            `${ours.name} over ${other.name}`,
            rounded(perSecond(name, ours) / perSecond(name, other)),
          ]),
      )
    return { endpoint: name, asked: asked ?? '', ...Object.fromEntries(ratios) }
  })
}

function isOurs({ name }: Peer): boolean {
  return name.startsWith('Chainkin')
}
