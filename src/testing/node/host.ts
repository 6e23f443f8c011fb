/**
 * The process of Bun that holds the directories of a test run in Node. It prints its address, takes commands there, and ends when its
 * standard input does, as it does with the run.
 */
import { randomUUID } from 'node:crypto'
import { exit, listen } from '../../embed-testing.ts'
import { openTestDirectory } from '../directory.ts'
import type { Fault } from '../faults.ts'
import type { StartOptions, TestDirectory } from '../test-directory.ts'
import type { Address, Command, Reply, Started } from './protocol.ts'

interface Held {
  directory: TestDirectory
  /** By their ids, also those that are over: their hits may be read then. */
  faults: Map<number, Fault>
}

const held: Held[] = []
const token = randomUUID()

async function start(options: StartOptions): Promise<Started> {
  const { directory } = await openTestDirectory(options, {
    isReusable: true,
    hasRemoteClients: true,
  })
  const { url, appUrl } = directory
  return { directory: held.push({ directory, faults: new Map() }) - 1, url, appUrl }
}

async function run({ directory: number, account, fault, method, args }: Command): Promise<unknown> {
  if (number === undefined) return start(args[0] as StartOptions)
  const { directory, faults } = held[number] as Held
  if (method === 'fault') {
    const added = Reflect.apply(directory.fault, directory, args) as Fault
    faults.set(added.id, added)
    return added
  }
  const target =
    account !== undefined
      ? directory.accountOf(account)
      : fault !== undefined
        ? faults.get(fault)
        : directory
  const member: unknown = Reflect.get(target as object, method)
  return typeof member === 'function' ? await Reflect.apply(member, target, args) : member
}

async function reply(command: Command): Promise<Reply> {
  try {
    return { result: await run(command) }
  } catch (error) {
    const { name, message } = error instanceof Error ? error : new Error(String(error))
    return { error: { name, message, isTypeError: error instanceof TypeError } }
  }
}

const { port } = listen({
  host: '127.0.0.1',
  port: 0,
  async fetch(request) {
    if (request.headers.get('authorization') !== token) return new Response(null, { status: 403 })
    return Response.json(await reply(JSON.parse(await request.text())))
  },
})
process.stdin.once('end', () => exit(0)).resume()
console.log(JSON.stringify({ port, token } satisfies Address))
