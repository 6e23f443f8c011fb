/** D173: a folder of backups, of which the newest stay. */
import { expect, test } from 'bun:test'
import { copyFile, mkdir, readdir, utimes, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type Head, writeBackupFile } from '../../src/database/backup/file.ts'
import { keepNewest, keptBackups, nameOfBackup } from '../../src/database/backup/kept.ts'
import { sharedDirectory } from '../helpers/shared.ts'

const directory = sharedDirectory()

const NOTHING = { postgres: '18', migrations: [], tables: [], sequences: {} }

/** A backup of this day in January. */
async function backupOf(folder: string, day: number, changes: Partial<Head> = {}): Promise<string> {
  const at = new Date(Date.UTC(2026, 0, day))
  const name = nameOfBackup(at)
  const made = { format: 1, program: '1', madeAt: at.toISOString(), database: 'ours' }
  const head: Head = { ...made, isScheduled: true, ...changes }
  await writeBackupFile(join(folder, name), head, async () => NOTHING)
  return name
}

test('the newest stay, and nothing goes that was not made there for it and of this database', async () => {
  const folder = join(directory.path, 'kept')
  await mkdir(folder)
  const days = [3, 1, 4, 2]
  const ours: string[] = []
  for (const day of days) ours[day] = await backupOf(folder, day)
  const others = [
    await backupOf(folder, 5, { database: 'another' }),
    await backupOf(folder, 6, { isScheduled: false }),
    'chainkin-20260107T000000Z.tar',
    'chainkin-20260108T000000Z.tar',
    'chainkin-before-the-move.tar',
    'letter.txt',
    `${ours[2]}.0123abcd.partial`,
  ]
  await writeFile(join(folder, others[2] ?? ''), 'no backup')
  await writeFile(join(folder, others[3] ?? ''), '')
  await copyFile(join(folder, ours[1] ?? ''), join(folder, others[4] ?? ''))
  await writeFile(join(folder, others[5] ?? ''), 'Dear')
  await writeFile(join(folder, others[6] ?? ''), 'being written')
  const left = join(folder, `${ours[1]}.89abcdef.partial`)
  await writeFile(left, 'killed')
  await utimes(left, new Date(0), new Date(0))

  expect((await keptBackups(folder, 'ours')).map(({ path }) => path)).toEqual(
    [4, 3, 2, 1].map((day) => join(folder, ours[day] ?? '')),
  )
  expect(await keepNewest(folder, 'ours', 3)).toEqual([join(folder, ours[1] ?? '')])
  expect((await readdir(folder)).sort()).toEqual([...others, ...ours.slice(2)].sort())
  expect(await keptBackups(join(directory.path, 'absent'), 'ours')).toEqual([])
})
