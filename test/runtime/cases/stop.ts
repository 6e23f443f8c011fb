/** Ends, wanted and not, and the starts after them. They replace the server that the cases before used. */
import { expect } from 'bun:test'
import { get, type Received } from '../http.ts'
import type { Caller, Stage } from '../stage.ts'

export function stopCases(stage: Stage) {
  /** Calls without a pause, several at once, until none gets through any more. @returns the answers. */
  async function callUntilItEnds({ key }: Caller): Promise<Received[]> {
    const answers: Received[] = []
    const { apiUrl } = stage.server
    const call = async (): Promise<void> => {
      const answer = await get(`${apiUrl}/v1/projects?limit=1`, key).catch(() => undefined)
      if (!answer) return
      answers.push(answer)
      return call()
    }
    await Promise.all(Array.from({ length: 4 }, call))
    return answers
  }

  stage.check(
    'SIGTERM under load: exit 0, what was answered is charged, and the next start has it all',
    async () => {
      const caller = await stage.caller('enterprise', 0)
      await stage.done('account', 'set', caller.id, '--tier', 'team')
      await stage.done('credits', 'grant', caller.id, '10000', '--source', 'topup')
      const load = callUntilItEnds(caller)
      await new Promise((resolve) => setTimeout(resolve, 100))
      const { code, signal } = await stage.server.stop('SIGTERM')
      const answers = await load
      stage.server = await stage.serve()
      expect([code, signal]).toEqual([0, null])
      const live = answers.filter(({ status }) => status === 200)
      expect(live.length).toBeGreaterThan(0)
      expect(new Set(answers.map(({ status }) => status)).isSubsetOf(new Set([200, 429]))).toBe(
        true,
      )
      const { left, spent } = await stage.account(caller)
      expect(left).toBe(10_000 - spent)
      // A charge whose answer could not be sent stands (D3): at most those in hand at the end.
      expect(spent / 5 - live.length).toBeWithin(0, 5)
    },
  )

  stage.check('SIGINT ends it as well, and leaves no socket behind', async () => {
    const { code } = await stage.server.stop('SIGINT')
    expect(code).toBe(0)
    stage.server = await stage.serve()
    const me = await stage.get('/v1/me', await stage.reader())
    expect(me.status).toBe(200)
  })

  stage.check(
    'kill -9 under load: the next start needs nobody, and no charge that was answered is lost',
    async () => {
      const caller = await stage.caller('team', 10_000)
      const load = callUntilItEnds(caller)
      await new Promise((resolve) => setTimeout(resolve, 100))
      expect((await stage.server.stop('SIGKILL')).signal).toBe('SIGKILL')
      const answers = await load
      stage.server = await stage.serve()
      const live = answers.filter(({ status }) => status === 200)
      expect(live.length).toBeGreaterThan(0)
      const { left, spent } = await stage.account(caller)
      expect(left).toBe(10_000 - spent)
      expect(spent / 5).toBeGreaterThanOrEqual(live.length)
    },
  )
}
