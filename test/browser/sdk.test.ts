/**
 * The client in Chromium, beside programs in Bun, Deno and Node: calls through every fault, charged once each. SDK_CALLS says
 * how many in all, as `.ci/long sdk` does; else there are a few.
 */
import { expect, test } from 'bun:test'
import { readFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { chromium } from 'playwright-core'
import { type End, expectChargedOnce, PROGRAMS, type Program } from '../../src/sdk/test/programs.ts'
import { LIMIT_MS } from '../helpers/limit.ts'
import { CHROMIUM } from './chromium.ts'

const CALLS = Number(process.env.SDK_CALLS ?? 0)
/** Calls of a program on one account, which with their repeats stay under its rate; those that meet silence are in flight at once. */
const CALLS_OF_ACCOUNT = 50

/** Makes the calls on a page of another origin than the API's. */
const browser: Program = async (client, job) => {
  const folders = [dirname(client), join(import.meta.dirname, '../../src/sdk/test/programs')]
  const site = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    async fetch({ url }) {
      const { pathname } = new URL(url)
      const html = { headers: { 'content-type': 'text/html' } }
      if (!pathname.endsWith('.js')) return new Response('<!doctype html>', html)
      const script = { headers: { 'content-type': 'text/javascript' } }
      for (const folder of folders) {
        const text = await readFile(join(folder, pathname), 'utf8').catch(() => undefined)
        if (text !== undefined) return new Response(text, script)
      }
      return new Response('', { status: 404 })
    },
  })
  const launched = await chromium.launch({
    executablePath: CHROMIUM ?? '',
    args: ['--no-sandbox', '--disable-dev-shm-usage'],
  })
  try {
    const page = await launched.newPage()
    await page.goto(String(site.url))
    return await page.evaluate(async (given): Promise<End[]> => {
      const [sdk, calls]: string[] = ['/chainkin.js', '/calls.js']
      const { makeCalls } = await import(calls ?? '')
      return makeCalls(await import(sdk ?? ''), given)
    }, job)
  } finally {
    await launched.close()
    await site.stop(true)
  }
}

test.skipIf(!CHROMIUM)(
  'calls from Chromium, Bun, Deno and Node at once, through each fault in turn, are charged once each',
  async () => {
    const programs = [browser, ...Object.values(PROGRAMS)]
    expect(programs.length).toBeGreaterThanOrEqual(3)
    const accounts = Math.ceil(CALLS / programs.length / CALLS_OF_ACCOUNT)
    await expectChargedOnce(
      programs,
      CALLS > 0 ? { calls: CALLS_OF_ACCOUNT, accounts, pace: 0.1 } : { calls: 14, pace: 0.1 },
    )
  },
  LIMIT_MS * (CALLS > 0 ? 4 : 1),
)
