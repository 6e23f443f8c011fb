/** What an operator does for the data: look after it, back it up, and put it back. */
import { expect } from 'bun:test'
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import type { Received } from '../../contract/world.ts'
import { get } from '../http.ts'
import type { Stage } from '../stage.ts'

const SEARCH = '/v1/search?q=auro'

/** Without what each call costs. */
const found = ({ text }: Received) => text.replace(/,"meta":.*/, '')

export function careCases(stage: Stage) {
  stage.check('doctor: a line each, all well, the index in step with the change log', async () => {
    const { port } = new URL(stage.server.appUrl)
    const { code, stdout } = await stage.command(['doctor'], { env: { APP_PORT: port } })
    const told = stdout
      .trimEnd()
      .split('\n')
      .map((line) => line.replace(/ +/, ' ').replace(/:.*/, ''))
    const disk = stage.target.database === 'embedded' ? 'ok disk' : 'skipped disk'
    expect([code, told]).toEqual([
      0,
      [
        'ok configuration',
        disk,
        'skipped mail',
        'ok database',
        'ok settings',
        'ok migrations',
        'ok clock',
        'ok books',
        'ok ledger',
        'ok index',
        'skipped backups',
        'skipped mails',
      ],
    ])
  })

  stage.check('doctor: exit 1 where a check fails, and the line says which', async () => {
    const env = { DATABASE_URL: 'postgres://nobody@127.0.0.1:1/none' }
    const unreachable = await stage.command(['doctor'], { env })
    expect([unreachable.code, unreachable.stdout]).toEqual([
      1,
      expect.stringMatching(/^failed +database: .*unavailable/m),
    ])
  })

  const file = () => join(stage.directory, 'backup.tar')

  if (stage.target.database === 'postgres') {
    stage.check(
      'a backup is whole, and is not restored over a database that has anything',
      async () => {
        const { rows } = await stage.done('backup', file())
        expect(await stage.done('restore', file(), '--check')).toMatchObject({ rows })
        const { code, json } = await stage.refused('restore', file(), '--without-erasures')
        expect([code, json().error]).toEqual([1, expect.stringContaining('is not empty')])
      },
    )
    return
  }

  stage.check(
    'backup beside the server, restored elsewhere: the same search, to the byte',
    async () => {
      const caller = await stage.reader()
      const before = await stage.get(SEARCH, caller)
      const { bytes } = await stage.done('backup', file())
      expect(bytes).toBeGreaterThan(10_000)
      const env = { DATA_DIR: join(stage.directory, 'elsewhere') }
      const restored = await stage.command(['restore', file(), '--without-erasures'], { env })
      expect([restored.code, restored.stderr]).toEqual([0, ''])
      const elsewhere = await stage.serve(env)
      const after = await get(`${elsewhere.apiUrl}${SEARCH}`, caller.key)
      await elsewhere.stop()
      expect(before.body.projects.length).toBeGreaterThan(0)
      expect(found(after)).toBe(found(before))
    },
  )

  stage.check('restore over data needs --force, and a server there to stop', async () => {
    const env = { DATA_DIR: join(stage.directory, 'elsewhere') }
    const over = await stage.command(['restore', file()], { env })
    expect([over.code, over.stderr]).toEqual([1, expect.stringContaining('--force')])
    const options = ['--force', '--without-erasures']
    const forced = await stage.command(['restore', file(), ...options], { env })
    expect([forced.code, forced.stderr]).toEqual([0, ''])
    const running = await stage.command(['restore', file(), '--force'])
    expect([running.code, running.stderr]).toEqual([1, expect.stringContaining('stop it first')])
    expect((await readdir(stage.directory)).filter((name) => name.endsWith('.partial'))).toEqual([])
  })
}
