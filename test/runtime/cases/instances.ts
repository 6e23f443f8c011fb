/** A second server on the same data: refused by a data directory, an equal on one PostgreSQL. */
import { expect } from 'bun:test'
import type { Server } from '../../helpers/command.ts'
import { within } from '../../helpers/given-time.ts'
import { get, many } from '../http.ts'
import type { Stage } from '../stage.ts'

const VISIBLE_MS = 2_000
/** Of the second instance: more than one need a system on which processes share a port. */
const workers = process.platform === 'linux' ? '2' : '1'

export function instanceCases(stage: Stage) {
  if (stage.target.database === 'embedded') {
    stage.check(
      'a second server on the same data directory is refused, and the first goes on',
      async () => {
        const { code, stderr, json } = await stage.command(['serve', '--json'])
        expect([code, json().error]).toEqual([
          1,
          expect.stringContaining('another server already runs'),
        ])
        expect(stderr).toContain('DATA_DIR')
        expect((await stage.get('/v1/me', await stage.reader())).status).toBe(200)
      },
    )
    return
  }

  let second: Server

  stage.check(
    'two instances on one PostgreSQL, one of them of two workers, charge as one',
    async () => {
      second = await stage.serve({ METRICS_PORT: '0', WORKERS: workers })
      const urls = [stage.server.apiUrl, second.apiUrl]
      const atOnce = (count: number, path: string, key: string) =>
        many(count, (n) => get(`${urls[n % 2]}${path}`, key))
      const caller = await stage.caller('free', 250)
      const answers = await atOnce(100, '/v1/projects?limit=1', caller.key)
      expect(answers.filter(({ body }) => !body.sample)).toHaveLength(50)
      expect(await stage.account(caller)).toEqual({ left: 0, spent: 250 })
      const revealer = await stage.caller('pro', 100)
      const reveals = await atOnce(10, '/v1/people/ada-ashford?include=private', revealer.key)
      const charged = reveals.map(({ body }) => body.meta.creditsCharged).sort((a, b) => b - a)
      expect(charged).toEqual([10, ...Array(9).fill(5)])
    },
  )

  stage.check('the metrics page sums what the workers of an instance counted', async () => {
    const { metricsUrl } = JSON.parse(second.output.stdout)
    const page = await (await fetch(metricsUrl)).text()
    expect(page).toContain('\nchainkin_requests_total{endpoint="/v1/projects",status="2xx"} 50\n')
    if (workers !== '1') expect(page).toContain(`\nchainkin_workers ${workers}\n`)
  })

  stage.check('a change shows in both instances within 2 s', async () => {
    const { key } = await stage.reader()
    const row = { name: 'Lumen', slug: 'lumen', companyType: 'project' }
    await stage.command(['import', '--companies', '-'], { input: JSON.stringify(row) })
    for (const url of [stage.server.apiUrl, second.apiUrl]) {
      const path = `${url}/v1/projects/lumen`
      await within(VISIBLE_MS, async () => (await get(path, key)).status === 200)
    }
    expect((await second.stop()).code).toBe(0)
  })
}
