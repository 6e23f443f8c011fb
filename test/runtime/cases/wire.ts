/** What only a real connection shows. The rows of the contract are sent over one, too. */
import { expect } from 'bun:test'
import { many, pipeline } from '../http.ts'
import type { Stage } from '../stage.ts'

export function wireCases(stage: Stage) {
  stage.check(
    'requests in one write are answered in order, or, on Bun, none of them is charged',
    async () => {
      const caller = await stage.caller('pro', 100)
      const paths = ['/v1/people?limit=1', '/v1/projects?limit=1', '/v1/investors?limit=1']
      const answered = await pipeline(stage.server.apiUrl, paths, caller.key)
      expect(answered).toEqual(stage.target.runtime === 'deno' ? [200, 200, 200] : [])
      const spent = 5 * answered.length
      expect(await stage.account(caller)).toEqual({ left: 100 - spent, spent })
    },
  )

  stage.check(
    'HEAD says no length of a body that was not made, and when it was answered',
    async () => {
      const { key } = await stage.reader()
      for (const path of ['/v1/people', '/v1/people?limt=1', '/v1/nothing']) {
        const headers = { Authorization: `Bearer ${key}` }
        const answer = await stage.api(path, { method: 'HEAD', headers })
        expect(answer.headers['content-length']).not.toBe('0')
        expect(answer.headers.date).toEndWith(' GMT')
      }
    },
  )

  stage.check('contract/Limits: of 130 calls, 35 at once, ten are over the rate', async () => {
    const caller = await stage.world.account({ tier: 'pro' })
    const answers = await many(130, () => caller.get('/v1/me'))
    expect(answers.filter(({ status }) => status === 429)).toHaveLength(10)
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(120)
  })
}
