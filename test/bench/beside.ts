/**
 * The API's latency while others are at work on the same server, and while nobody is: alternating within one run, so that
 * whatever else the machine does falls on both. Where it is asked for, also while they are at work on another server of the
 * same machine and database, which tells what sharing the machine costs and what sharing the server. This process makes the
 * calls and nothing beside; the others are in another, the servers in others again. A p99 is made of few calls (30 of 20 s at
 * 150 a second), so compare medians of several rounds.
 */
import { constants, setPriority } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { cpuSeconds } from './cpu.ts'
import type { LoadRequest } from './http-load.ts'
import { median, rounded } from './medians.ts'
import { type SteadyFigures, startSteadyLoad } from './steady-load.ts'

export interface BesideOptions {
  apiUrl: string
  requests: readonly LoadRequest[]
  /** Calls of the API a second. */
  perSecond: number
  rounds: number
  /** Of one round. */
  seconds: number
  /** Processes whose processor time is told beside. */
  pids: Readonly<{ server: number; postgres: number }>
  /** Starts the others of a round. Resolves when they are at work. */
  start(): Promise<Others>
  /** Starts the same others on another server, for rounds between. */
  startElsewhere?: (() => Promise<Others>) | undefined
}

/** Who is at work in a round beside the calls. */
export type At = 'nobody' | 'elsewhere' | 'here'

/** A process in which others are at work. */
export interface Others {
  pid: number
  /** Resolves when they did `what` at least `times` times. @throws where they ended before */
  untilDone(what: string, times: number): Promise<void>
  /** Ends it. @returns how often it told of what */
  stop(): Promise<Done>
}

/** What the others did, and how often. */
export type Done = Readonly<Record<string, number>>

/** Processor time by the second, 1 for one core: who has how much of the machine. */
export interface Shares {
  /** With the processes that it starts. */
  server: number
  postgres: number
  /** The process of the others: 0 where nobody is at work. */
  others: number
  /** This process, which makes the calls. */
  calls: number
}

export interface BesideRound extends SteadyFigures {
  at: At
  done: Done
  cpu: Shares
}

/** The directory has followed by then what the others changed. */
const SETTLE_MS = 2_000
/** Not counted. People who browse open some kinds of pages once a minute. */
const WARM_UP_ROUNDS = 4

/** Alternating rounds, without the others and with them. @throws where what they ask for is refused */
export async function measureBeside(options: BesideOptions): Promise<BesideRound[]> {
  const { apiUrl, requests, perSecond, rounds, seconds, pids } = options
  const starts: Readonly<Record<At, (() => Promise<Others>) | undefined>> = {
    nobody: undefined,
    elsewhere: options.startElsewhere,
    here: options.start,
  }
  const kinds: At[] = options.startElsewhere ? ['nobody', 'elsewhere', 'here'] : ['nobody', 'here']
  const round = async (at: At): Promise<BesideRound> => {
    const others = await starts[at]?.()
    const used = (): Shares => ({
      server: cpuSeconds(pids.server),
      postgres: cpuSeconds(pids.postgres),
      others: others ? cpuSeconds(others.pid) : 0,
      calls: ownSeconds(),
    })
    const before = used()
    const load = startSteadyLoad(apiUrl, requests, perSecond)
    await pause(seconds * 1_000)
    const after = used()
    const figures = await load.stop()
    const share = (of: keyof Shares) => (after[of] - before[of]) / seconds
    const cpu = {
      server: share('server'),
      postgres: share('postgres'),
      others: share('others'),
      calls: share('calls'),
    }
    const done = (await others?.stop()) ?? {}
    await pause(SETTLE_MS)
    // What was measured is not lost where a later round fails.
    const { p50Ms, p99Ms } = figures
    console.log(`${at}: p50 ${rounded(p50Ms)} ms, p99 ${rounded(p99Ms)} ms`)
    return { at, done, cpu, ...figures }
  }
  // Code runs uncompiled at first, and keys and pages are not yet known; a service is measured that has run for a while.
  const busy = kinds.filter((at) => at !== 'nobody')
  for (let number = 0; number < WARM_UP_ROUNDS; number++) {
    for (const at of busy) await round(at)
  }
  const measured: BesideRound[] = []
  for (let number = 0; number < rounds; number++) {
    // The one that goes first changes, so that neither always follows the other.
    for (const at of number % 2 === 0 ? kinds : kinds.toReversed()) measured.push(await round(at))
  }
  return measured
}

function ownSeconds(): number {
  const { user, system } = process.cpuUsage()
  return (user + system) / 1e6
}

/**
 * Starts a file of this folder, tells it `told` by its first message, and counts what it tells of: each message is the
 * name of something that was done. Resolves at the first one: the process has started then. At SIGTERM it may finish what it
 * has in hand.
 */
export async function startOthers(file: string, told: object): Promise<Others> {
  const done: Record<string, number> = {}
  const first = Promise.withResolvers<void>()
  const others = Bun.spawn([process.execPath, join(import.meta.dirname, file)], {
    stdio: ['ignore', 'inherit', 'inherit'],
    ipc(what: string) {
      done[what] = (done[what] ?? 0) + 1
      first.resolve()
    },
  })
  // Whoever is at work has a machine of their own, so they must not take the server's core.
  setPriority(others.pid, constants.priority.PRIORITY_LOW)
  others.send(told)
  const ended = () => new Error(`${file} ended with ${others.signalCode ?? others.exitCode}`)
  const checkAtWork = () => {
    if (others.exitCode !== null || others.signalCode !== null) throw ended()
  }
  await Promise.race([
    first.promise,
    others.exited.then(() => {
      throw ended()
    }),
  ])
  return {
    pid: others.pid,
    async untilDone(what, times) {
      while ((done[what] ?? 0) < times) {
        checkAtWork()
        await pause(100)
      }
    },
    async stop() {
      checkAtWork()
      others.kill('SIGTERM')
      const code = await others.exited
      if (code !== 0 && others.signalCode !== 'SIGTERM') throw ended()
      return done
    },
  }
}

/**
 * Prints every round, and how many times the latency with the others is that without, of all rounds and of each pair of
 * neighbours.
 * @param who the others, as `50 people browsing`
 */
export function tellBeside(measured: readonly BesideRound[], who: string, targetTimes: number) {
  const names: Record<At, string> = {
    nobody: 'nobody else',
    elsewhere: `${who} on another server`,
    here: who,
  }
  console.table(
    measured.map(({ at, done, asked, p50Ms, p99Ms, longestMs, failed, cpu }) => ({
      beside: names[at],
      ...{ calls: asked, p50Ms: rounded(p50Ms), p99Ms: rounded(p99Ms) },
      ...{ longestMs: rounded(longestMs), failed },
      ...{ serverCpu: rounded(cpu.server), postgresCpu: rounded(cpu.postgres) },
      ...{ othersCpu: rounded(cpu.others), callsCpu: rounded(cpu.calls) },
      done: Object.entries(done)
        .map(([what, times]) => `${times} ${what}`)
        .join(', '),
    })),
  )
  const hasElsewhere = measured.some(({ at }) => at === 'elsewhere')
  const pairs: [At, At][] = hasElsewhere
    ? [
        ['nobody', 'here'],
        ['nobody', 'elsewhere'],
        ['elsewhere', 'here'],
      ]
    : [['nobody', 'here']]
  for (const figure of ['p50Ms', 'p99Ms'] as const) {
    const of = (at: At) => measured.filter((one) => one.at === at).map((one) => one[figure])
    for (const [without, beside] of pairs) {
      const [first, second] = [of(without), of(beside)]
      const times = second.map((ms, number) => rounded(ms / (first[number] ?? Number.NaN)))
      const [least, most] = [median(first), median(second)]
      console.log(
        `${figure.slice(0, 3)} of the API: ${rounded(least)} ms with ${names[without]}, ${rounded(most)} ms with ${names[beside]} (medians of the rounds): ${rounded(most / least)} times; by pairs of rounds ${times.join(', ')}: ${median(times)} times`,
      )
    }
  }
  console.log(`the target is a p99 of at most ${targetTimes} times that with nobody else`)
}
