/** Loads a server over HTTP: with `wrk` where it is installed, which leaves more of the machine to the server, else with autocannon. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import autocannon from 'autocannon'

export interface LoadRequest {
  method: 'GET'
  path: string
  headers: Record<string, string>
}

export interface LoadResult {
  tool: 'wrk' | 'autocannon'
  perSecond: number
  /** autocannon tells latencies in whole milliseconds, wrk in microseconds. */
  p50Ms: number
  p99Ms: number
  p999Ms: number
  /** Share of answers that were a 200, from 0 to 1. */
  share200: number
  requests: number
  /** Seconds of CPU that the tool itself took. */
  cpuSeconds: number
}

/** Sends `requests` in turn over so many connections. */
export function loadServer(
  base: string,
  requests: readonly LoadRequest[],
  connections: number,
  seconds: number,
): Promise<LoadResult> {
  return Bun.which('wrk')
    ? loadWithWrk(base, requests, connections, seconds)
    : loadWithAutocannon(base, requests, connections, seconds)
}

/** Requests are ready-made text, so that the tool does as little as it can for each. */
const SCRIPT = `
local requests, next = {}, 0
function init()
  local host = wrk.headers['Host']
  for line in io.lines(os.getenv('BENCH_REQUESTS')) do
    local path, authorization, encoding = line:match('^(%S+)\\t([^\\t]*)\\t(.*)$')
    local headers = { Host = host, Authorization = authorization, ['Accept-Encoding'] = encoding }
    requests[#requests + 1] = wrk.format('GET', path, headers)
  end
end
function request()
  next = next % #requests + 1
  return requests[next]
end
function done(summary, latency)
  io.write(string.format('RESULT %d %d %d %d %d %d\\n', summary.requests, summary.duration,
    latency:percentile(50), latency:percentile(99), latency:percentile(99.9), summary.errors.status))
end`

async function loadWithWrk(
  base: string,
  requests: readonly LoadRequest[],
  connections: number,
  seconds: number,
): Promise<LoadResult> {
  const directory = await mkdtemp(join(tmpdir(), 'chainkin-wrk-'))
  try {
    const [script, list] = [join(directory, 'load.lua'), join(directory, 'requests')]
    await writeFile(script, SCRIPT)
    const lines = requests.map(({ path, headers: { authorization = '', ...headers } }) =>
      [path, authorization, headers['accept-encoding'] ?? 'identity'].join('\t'),
    )
    await writeFile(list, lines.join('\n'))
    const args = [
      '-t1',
      `-c${connections}`,
      `-d${seconds}s`,
      '--timeout',
      '10s',
      '-s',
      script,
      base,
    ]
    const wrk = Bun.spawn(['wrk', ...args], {
      env: { ...process.env, BENCH_REQUESTS: list },
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    const output = await new Response(wrk.stdout).text()
    await wrk.exited
    const result = /RESULT (.*)/.exec(output)?.[1]
    if (!result) throw new Error(`wrk said no result: ${output}`)
    const [count = 0, durationUs = 1, p50 = 0, p99 = 0, p999 = 0, failed = 0] = result
      .split(' ')
      .map(Number)
    return {
      tool: 'wrk',
      perSecond: Math.round(count / (durationUs / 1e6)),
      p50Ms: p50 / 1_000,
      p99Ms: p99 / 1_000,
      p999Ms: p999 / 1_000,
      share200: 1 - failed / count,
      requests: count,
      cpuSeconds: Number(wrk.resourceUsage()?.cpuTime.total ?? Number.NaN) / 1e6,
    }
  } finally {
    await rm(directory, { recursive: true, force: true })
  }
}

async function loadWithAutocannon(
  base: string,
  requests: readonly LoadRequest[],
  connections: number,
  seconds: number,
): Promise<LoadResult> {
  let next = 0
  const before = process.cpuUsage()
  const result = await autocannon({
    url: base,
    connections,
    duration: seconds,
    requests: [
      {
        setupRequest: (request) => {
          const one = requests[next++ % requests.length]
          return { ...request, ...one, headers: { ...one?.headers } }
        },
      },
    ],
  })
  const { user, system } = process.cpuUsage(before)
  return {
    tool: 'autocannon',
    perSecond: Math.round(result.requests.average),
    p50Ms: result.latency.p50,
    p99Ms: result.latency.p99,
    p999Ms: result.latency.p99_9,
    share200: result['2xx'] / result.requests.total,
    requests: result.requests.total,
    cpuSeconds: (user + system) / 1e6,
  }
}
