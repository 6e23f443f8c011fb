/** Starts the textbook server on Node where it is installed, else on Bun. */
import { join } from 'node:path'
import pg from 'pg'
import { temporaryDirectory } from '../../helpers/command.ts'
import type { Peer } from './peer.ts'
import { prepareTextbook } from './textbook/schema.ts'

/** @param databaseUrl a database with Chainkin's records, of which the server makes its own */
export async function startTextbook(databaseUrl: string): Promise<Peer> {
  const pool = new pg.Pool({ connectionString: databaseUrl, max: 1 })
  await prepareTextbook(pool)
  await pool.end()
  const directory = await temporaryDirectory()
  const server = Bun.spawn([Bun.which('node') ?? process.execPath, await bundle(directory.path)], {
    env: { ...process.env, DATABASE_URL: databaseUrl, NODE_ENV: 'production' },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  return {
    name: 'textbook (Fastify, pg, pg_trgm)',
    bill: 'in a transaction, with rate',
    answers: 'all',
    url: await firstLine(server.stdout),
    pid: server.pid,
    async stop() {
      server.kill()
      await server.exited
      await directory.remove()
    },
  }
}

/** One file of JavaScript, because not every Node reads TypeScript. @returns its path */
async function bundle(directory: string): Promise<string> {
  const entrypoints = [join(import.meta.dirname, 'textbook/server.ts')]
  await Bun.build({ entrypoints, target: 'node', outdir: directory, naming: 'server.mjs' })
  return join(directory, 'server.mjs')
}

async function firstLine(output: ReadableStream<Uint8Array>): Promise<string> {
  const decoder = new TextDecoder()
  let text = ''
  for await (const chunk of output) {
    text += decoder.decode(chunk)
    if (text.includes('\n')) return text.slice(0, text.indexOf('\n'))
  }
  throw new Error('the textbook server ended before it was ready')
}
