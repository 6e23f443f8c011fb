/** The first start, where there is nothing yet. */
import { expect } from 'bun:test'
import { mkdir, readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { greetingIn } from '../../helpers/command.ts'
import { get, type Received } from '../http.ts'
import type { Stage } from '../stage.ts'

/** On a busy machine the first statements may take longer than a call waits. */
async function answered(ask: () => Promise<Received>): Promise<Received> {
  for (;;) {
    const answer = await ask()
    if (answer.status !== 503) return answer
  }
}

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
      answered(() => stage.get('/v1/me', caller)),
      answered(() => stage.get('/v1/people', caller)),
      answered(() => stage.app('/docs')),
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
