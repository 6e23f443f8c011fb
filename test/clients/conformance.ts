/** The official checks of the Model Context Protocol, against the server that `chainkin mcp --port` starts. */
import { join } from 'node:path'
import { httpServer } from '../../src/mcp/test/clients.ts'
import { listen } from '../../src/runtime.ts'
import type { TestDirectory } from '../../src/testing/start.ts'
import { type Run, step } from './steps.ts'

/** Those that suit any server; the others want one with tools of their own. */
const SCENARIOS = [
  ...['server-initialize', 'ping', 'tools-list', 'resources-list'],
  'dns-rebinding-protection',
]

/** @param run runs programs. @param modules where the checks are installed */
export async function conformanceSteps(dir: TestDirectory, run: Run, modules: string) {
  const { key } = await dir.account({ tier: 'pro', credits: 10 })
  await using server = httpServer(dir)
  // The checks send no key, so that is put in on the way.
  const proxy = listen({
    host: '127.0.0.1',
    port: 0,
    async fetch(request) {
      const headers = new Headers(request.headers)
      headers.set('authorization', `Bearer ${key}`)
      const body = request.method === 'POST' ? await request.arrayBuffer() : null
      return fetch(server.url, { method: request.method, headers, body })
    },
  })
  try {
    const program = join(modules, '@modelcontextprotocol/conformance/dist/index.js')
    const url = `http://localhost:${proxy.port}/mcp`
    for (const scenario of SCENARIOS) {
      await step(`conformance with the Model Context Protocol: ${scenario}`, async () => {
        const said = await run(
          process.execPath,
          ...[program, 'server', '--url', url, '--scenario', scenario],
        )
        const [, passed, all, failed] =
          /Passed: (\d+)\/(\d+), (\d+) failed/.exec(said) ?? ([] as string[])
        if (passed !== all || all === '0' || failed !== '0') throw new Error(said)
      })
    }
  } finally {
    await proxy.stop(true)
  }
}
