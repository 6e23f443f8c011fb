/** `ledger archive`: what it says, and what it refuses. */
import { expect, test } from 'bun:test'
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { lockInDirectory } from '../../../src/database/long-lock.ts'
import { run, temporaryDirectory } from '../../helpers/command.ts'

test('ledger archive writes the months before the one named, and says what is wrong with what it was told', async () => {
  const { path, remove } = await temporaryDirectory()
  const folder = join(path, 'ledger')
  const archive = (...given: string[]) =>
    run(['ledger', 'archive', '--to', folder, ...given], { env: { DATA_DIR: join(path, 'data') } })
  try {
    await run(['migrate'], { env: { DATA_DIR: join(path, 'data') } })
    expect(await archive()).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('give --before, or set LEDGER_MONTHS'),
    })
    expect(await archive('--before', '2026-13')).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('Expected a month like 2026-01.'),
    })
    // The first table of a new database holds all before a month, and there is nothing in it.
    expect(await archive('--before', '2026-10')).toMatchObject({
      code: 0,
      stdout: 'nothing before 2026-10 is in the database\n',
    })
    const other = await lockInDirectory(join(path, 'data'))('ledger archive')
    expect(await archive('--before', '2026-11')).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('another process archives the ledger'),
    })
    await other?.release()
    const { code, stdout } = await archive('--before', '2026-11', '--json')
    const { archived } = JSON.parse(stdout)
    expect([code, archived]).toMatchObject([0, [{ entries: 0, credits: '0', accounts: 0 }]])
    expect(await readdir(folder)).toEqual([archived[0].file])
  } finally {
    await remove()
  }
})
