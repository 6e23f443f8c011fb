/** Ends, wanted and not, and the starts after them. They replace the server that the cases before used. */
import { expect } from 'bun:test'
import { setTimeout as pause } from 'node:timers/promises'
import { get, type Received } from '../http.ts'
import type { Caller, Stage } from '../stage.ts'

/** Calls at once, and how many answers there are when the server is told to end. */
const LINES = 4
const ANSWERS = 20
/** Between two calls of a line. */
const PAUSE_MS = 20

export function stopCases(stage: Stage) {
  /** Calls while the server is told to end, until it has, and never as many as a minute allows. @returns the answers. */
  async function answeredUntil(signal: NodeJS.Signals, { key }: Caller): Promise<Received[]> {
    const { server } = stage
    const answers: Received[] = []
    const call = async (): Promise<void> => {
      const answer = await get(`${server.apiUrl}/v1/projects?limit=1`, key).catch(() => undefined)
      if (!answer) return
      if (answers.push(answer) === ANSWERS) server.kill(signal)
      await pause(PAUSE_MS)
      return call()
    }
    await Promise.all(Array.from({ length: LINES }, call))
    const ended = await server.finished
    stage.server = await stage.serve()
    expect([ended.code, ended.signal]).toEqual(signal === 'SIGKILL' ? [null, signal] : [0, null])
    return answers
  }

  const live = (answers: readonly Received[]) =>
    answers.filter(({ status }) => status === 200).length

  stage.check(
    'SIGTERM under load: exit 0, every call in hand is answered, and the next start has it all',
    async () => {
      const caller = await stage.caller('team', 10_000)
      const answers = await answeredUntil('SIGTERM', caller)
      expect(new Set(answers.map(({ status }) => status)).isSubsetOf(new Set([200, 429]))).toBe(
        true,
      )
      const spent = 5 * live(answers)
      expect(await stage.account(caller)).toEqual({ left: 10_000 - spent, spent })
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
      const answers = await answeredUntil('SIGKILL', caller)
      const { left, spent } = await stage.account(caller)
      expect(left).toBe(10_000 - spent)
      // What was charged but not answered any more stands: one call of each line at most.
      expect(spent / 5 - live(answers)).toBeWithin(0, LINES + 1)
    },
  )
}
