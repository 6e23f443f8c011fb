/** `ready`: what a container's health check takes for an answer, and what for none. */
import { expect, test } from 'bun:test'
import { run } from '../../helpers/command.ts'
import { freePort } from '../../helpers/postgres.ts'

/** Output of `ready` where a program answers so at APP_PORT. */
async function saidOf(answer: () => Response, env: Record<string, string> = {}) {
  await using server = Bun.serve({ port: 0, hostname: '127.0.0.1', fetch: answer })
  const { code, stdout } = await run(['ready', '--json'], {
    env: { APP_PORT: String(server.port), ...env },
  })
  return { code, ...JSON.parse(stdout) }
}

const READY = { status: 'ready', reasons: [] }

test('exits with 0 where the server is ready, else with 1 and its reasons', async () => {
  const unready = { status: 'unready', reasons: ['the server is stopping'] }
  const answers = await Promise.all([
    saidOf(() => Response.json(READY)),
    saidOf(() => Response.json(unready, { status: 503 })),
    run(['ready'], { env: { APP_PORT: String(await freePort()) } }),
  ])
  expect(answers).toMatchObject([
    { code: 0, ready: true },
    { code: 1, ready: false, reasons: ['the server is stopping'] },
    { code: 1, stdout: expect.stringContaining('not ready, no server answers') },
  ])
})

test('says of whatever else answers there that it is another program', async () => {
  const others = [() => new Response('<p>hello'), () => Response.json({ reasons: 'none' })]
  const said = await Promise.all(others.map((other) => saidOf(other)))
  const other = { code: 1, ready: false, reasons: ['another program answers there'] }
  expect(said).toEqual(others.map(() => other))
})

test('asks this machine itself, whatever proxy the environment names for other machines', async () => {
  await using proxy = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    fetch: () => Response.json({}),
  })
  const http_proxy = proxy.url.origin
  const env = { http_proxy, HTTP_PROXY: http_proxy, HOST: '127.0.0.1' }
  expect(await saidOf(() => Response.json(READY), env)).toMatchObject({ code: 0 })
})
