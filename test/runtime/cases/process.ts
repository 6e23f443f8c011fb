/** The program as a process: its first start, where there is nothing yet, and its ends, wanted and not. */
import { expect } from 'bun:test'
import { mkdir, readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import type { Received } from '../../contract/world.ts'
import { greetingIn } from '../../helpers/command.ts'
import { get, untilServed } from '../http.ts'
import type { Caller, Stage } from '../stage.ts'

export function startCases(stage: Stage) {
  stage.check(
    'the ready line is the only one on stdout, one JSON object with both addresses',
    async () => {
      const { apiUrl, appUrl, output } = stage.server
      expect(output.stdout).toBe(`${JSON.stringify({ apiUrl, appUrl })}\n`)
      expect(new URL(apiUrl).port).not.toBe(new URL(appUrl).port)
    },
  )

  stage.check('both addresses answer at once, and the directory is empty', async () => {
    const caller = await stage.reader()
    const [me, people, docs] = await Promise.all([
      untilServed(() => stage.get('/v1/me', caller)),
      untilServed(() => stage.get('/v1/people', caller)),
      untilServed(() => stage.app('/docs')),
    ])
    expect([me.body.baseUrl, me.body.docs]).toEqual([
      stage.server.apiUrl,
      `${stage.server.appUrl}/docs`,
    ])
    expect([people.status, people.body.total, docs.status]).toEqual([200, 0, 200])
  })

  stage.check('the log is JSON lines on stderr', async () => {
    const lines = stage.server.output.stderr.trimEnd().split('\n')
    expect(lines.map((line) => JSON.parse(line).message)).toContain('ready')
  })

  stage.check('it writes nothing where it runs but its data directory', async () => {
    const expected = stage.target.database === 'embedded' ? ['data'] : []
    expect(await readdir(stage.directory)).toEqual(expected)
  })

  stage.check(
    'a wrong value of the environment is named with what was expected: exit 1',
    async () => {
      const { code, stdout, stderr } = await stage.command(['serve', '--json'], {
        env: { PORT: 'eighty' },
      })
      expect([code, JSON.parse(stdout).error]).toEqual([
        1,
        'PORT: expected a port from 0 to 65535, got "eighty"',
      ])
      expect(stderr).toContain('PORT')
    },
  )

  stage.check('a port that is taken is named with the variable to change: exit 1', async () => {
    const data = join(stage.directory, 'taken')
    await mkdir(data)
    const { port } = new URL(stage.server.apiUrl)
    const { code, stderr } = await stage.command(['serve'], { env: { PORT: port, DATA_DIR: data } })
    expect(code).toBe(1)
    expect(stderr).toContain(`127.0.0.1:${port} (the port is taken): set HOST or PORT to another`)
  })

  if (stage.target.database === 'embedded') {
    stage.check(
      '--demo makes a directory, an account on trial and a key, and prints curl lines that work',
      async () => {
        const demo = await stage.serve({ DATA_DIR: join(stage.directory, 'demo') }, ['--demo'])
        await demo.said('include=private')
        const lines = [
          ...greetingIn(demo.output.stderr).matchAll(
            /^ +curl -H "Authorization: Bearer (\S+)" "(\S+)"$/gm,
          ),
        ]
        const answers = await Promise.all(lines.map(([, key = '', url = '']) => get(url, key)))
        await demo.stop()
        expect(answers.map(({ body }) => body.meta.creditsCharged)).toEqual([5, 5, 10])
        expect(answers[2]?.body.data.person.email).toBeString()
      },
    )
  }
}

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
