/**
 * The kit for test suites that Bun doesn't run: node:test, vitest, jest. The service needs Bun, so it runs in a process beside the
 * tests, one for all their directories, and ends with them.
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { MessageChannel, receiveMessageOnPort, Worker } from 'node:worker_threads'
import type { AccountHandle, TestAccount } from '../account.ts'
import type { Fault } from '../faults.ts'
import type { SeenCall } from '../journal.ts'
import type { StartOptions, TestDirectory } from '../test-directory.ts'
import type { TestUser } from '../users.ts'
import type { Address, Command, NumberedReply, Reply, SenderData, Started } from './protocol.ts'

export { fixtures } from '../fixtures.ts'

/** Sends commands to the process: `later` as a promise, `now` while this thread waits. */
interface Sender {
  later(command: Command): Promise<unknown>
  now(command: Command): unknown
}

/** The folder of the built kit, `dist`. */
const HERE = dirname(fileURLToPath(import.meta.url))

let opening: Promise<Sender> | undefined

/** Starts a directory; see `startDirectory` of the kit under Bun. `listen: false` takes ports here all the same. */
export async function startDirectory(options: StartOptions = {}): Promise<TestDirectory> {
  opening ??= openSender()
  const sender = await opening
  const started = await sender.later({ method: 'start', args: [jsonOf(options)] })
  return remoteDirectory(sender, started as Started)
}

/** The options without `listen`, with rows as arrays. */
function jsonOf({ listen: _, ...options }: StartOptions): object {
  return Object.fromEntries(Object.entries(options).map(([name, value]) => [name, rowsOf(value)]))
}

const rowsOf = (value: unknown) =>
  typeof value === 'object' && value !== null && Symbol.iterator in value
    ? Array.from(value as Iterable<unknown>)
    : value

function remoteDirectory(
  sender: Sender,
  { directory: number, url, appUrl }: Started,
): TestDirectory {
  const later = (method: string, ...args: unknown[]) =>
    sender.later({ directory: number, method, args })
  const now = (method: string, ...args: unknown[]) =>
    sender.now({ directory: number, method, args })
  const accountOf = (id: string) => remoteAccount(sender, number, id)
  const faultOf = (added: unknown) => remoteFault(sender, number, added as Fault)
  let ended: Promise<void> | undefined
  const stop = () => {
    ended ??= later('stop') as Promise<void>
    return ended
  }
  return {
    url,
    appUrl,
    fetch: (input, init) =>
      globalThis.fetch(typeof input === 'string' ? new URL(input, url) : input, init),
    async account(options = {}) {
      const { id, key } = (await later('account', options)) as TestAccount
      return { ...accountOf(id), key }
    },
    accountOf,
    async user(options = {}) {
      const user = (await later('user', options)) as TestUser
      return { ...user, account: accountOf(user.account.id) }
    },
    records: (rows) => later('records', jsonOf(rows)) as Promise<void>,
    now: () => new Date(now('now') as string),
    advance: (duration) => later('advance', duration) as Promise<void>,
    setNow: (time) => later('setNow', time) as Promise<void>,
    outage: (ms) => void now('outage', ms),
    slow: (ms) => void now('slow', ms),
    failNext: (calls = 1) => void now('failNext', calls),
    fault: (options) => faultOf(now('fault', options)),
    faults: () => (now('faults') as unknown[]).map(faultOf),
    calls: (filter = {}) => now('calls', filter) as SeenCall[],
    reset: () => later('reset') as Promise<void>,
    stop,
    [Symbol.asyncDispose ?? Symbol.for('Symbol.asyncDispose')]: stop,
  } as TestDirectory
}

function remoteAccount(sender: Sender, directory: number, account: string): AccountHandle {
  const later =
    <Args extends unknown[], Result>(method: keyof AccountHandle) =>
    (...args: Args) =>
      sender.later({ directory, account, method, args }) as Promise<Result>
  return {
    id: account,
    newKey: later('newKey'),
    revoke: later('revoke'),
    grant: later('grant'),
    setTier: later('setTier'),
    startPlan: later('startPlan'),
    stopPlan: later('stopPlan'),
    show: later('show'),
    balance: later('balance'),
    ledger: later('ledger'),
  }
}

function remoteFault(sender: Sender, directory: number, { id: fault, options }: Fault): Fault {
  const now = (method: keyof Fault) => sender.now({ directory, fault, method, args: [] })
  return {
    id: fault,
    options,
    get hits() {
      return now('hits') as number
    },
    // Each call has a connection of its own, so that none from before is left open.
    ready: Promise.resolve(),
    end: () => void now('end'),
  }
}

/** Starts the process and the thread that sends to it. Neither keeps the run from ending. */
async function openSender(): Promise<Sender> {
  const channels = { later: new MessageChannel(), now: new MessageChannel() }
  const answered = new Int32Array(new SharedArrayBuffer(4))
  const later = channels.later.port2
  const now = channels.now.port2
  const workerData: SenderData = {
    ...(await startHost()),
    later: channels.later.port1,
    now: channels.now.port1,
    answered,
  }
  const transferList = [workerData.later, workerData.now]
  new Worker(join(HERE, 'sender.js'), { workerData, transferList }).unref()

  let number = 0
  const waiting = new Map<number, (reply: string) => void>()
  later.on('message', ({ number, reply }: NumberedReply) => {
    waiting.get(number)?.(reply)
    waiting.delete(number)
    if (waiting.size === 0) later.unref()
  })
  later.unref()
  return {
    async later(command) {
      const { promise, resolve } = withResolver<string>()
      waiting.set(++number, resolve)
      later.ref()
      later.postMessage({ number, command })
      return resultOf(await promise)
    },
    now(command) {
      const before = Atomics.load(answered, 0)
      now.postMessage({ number: 0, command })
      Atomics.wait(answered, 0, before)
      const { message } = receiveMessageOnPort(now) as { message: NumberedReply }
      return resultOf(message.reply)
    },
  }
}

/** A promise to resolve; Node 20 has no `Promise.withResolvers`. */
function withResolver<T>() {
  let resolve: (value: T) => void = () => {}
  const promise = new Promise<T>((resolvePromise) => {
    resolve = resolvePromise
  })
  return { promise, resolve }
}

function resultOf(text: string): unknown {
  const reply: Reply = JSON.parse(text)
  if (!('error' in reply)) return reply.result
  const { name, message, isTypeError } = reply.error
  throw isTypeError ? new TypeError(message) : Object.assign(new Error(message), { name })
}

/** @throws Error where Bun is not installed, or the service doesn't start */
async function startHost(): Promise<Address> {
  const host = join(HERE, '../node/host.ts')
  const child = spawn(bun(), [host], { stdio: ['pipe', 'pipe', 'inherit'] })
  const line = once(createInterface(child.stdout), 'line').then(([text]) => JSON.parse(text))
  const failed = Promise.race([once(child, 'error'), once(child, 'exit')]).then(([reason]) => {
    const why = reason instanceof Error ? reason.message : `it ended with ${reason}`
    throw new Error(`the process of the test directory did not start: ${why}`)
  })
  failed.catch(() => {})
  const address: Address = await Promise.race([line, failed])
  child.unref()
  for (const stream of [child.stdin, child.stdout]) (stream as typeof stream & Unrefed).unref?.()
  return address
}

interface Unrefed {
  unref?(): void
}

/** The Bun that npm has installed with this package; where there is none, the path's. */
function bun(): string {
  const require = createRequire(import.meta.url)
  try {
    const manifest = require.resolve('bun/package.json')
    return join(dirname(manifest), require(manifest).bin.bun)
  } catch {
    return 'bun'
  }
}
