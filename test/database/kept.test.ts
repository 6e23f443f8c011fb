/** A folder of backups, of which the newest stay. */
import { expect, test } from 'bun:test'
import { copyFile, mkdir, readdir, utimes, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type Head, writeBackupFile } from '../../src/database/backup/file.ts'
import { isDue, keepNewest, keptBackups, nameOfBackup } from '../../src/database/backup/kept.ts'
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

test('two of one second are two files, and those that earlier builds named are kept and deleted alike', async () => {
  const folder = join(directory.path, 'second')
  await mkdir(folder)
  const earlier = 'chainkin-20260101T000000Z.tar'
  const head = { format: 1, program: '1', database: 'ours', isScheduled: true } as const
  for (const [name, ms] of [
    [earlier, 0],
    ['', 1],
    ['', 2],
  ] as const) {
    const at = new Date(Date.UTC(2026, 0, 1, 0, 0, 0, ms))
    const path = join(folder, name || nameOfBackup(at))
    await writeBackupFile(path, { ...head, madeAt: at.toISOString() }, async () => NOTHING)
  }
  expect(await keptBackups(folder, 'ours')).toHaveLength(3)
  expect(await keepNewest(folder, 'ours', 2)).toEqual([join(folder, earlier)])
})

test('one that a clock dated ahead does not pass for the newest: another is due, and stays', async () => {
  const folder = join(directory.path, 'ahead')
  await mkdir(folder)
  const past = await backupOf(folder, 1)
  const ahead = await backupOf(folder, 2, { madeAt: '2999-01-02T00:00:00.000Z' })
  const [alone] = (await keptBackups(folder, 'ours')).slice(1)
  expect(alone?.path).toBe(join(folder, ahead))
  expect(isDue(alone, 60)).toBe(true)
  expect(await keepNewest(folder, 'ours', 1)).toEqual([join(folder, ahead)])
  expect(await readdir(folder)).toEqual([past])
})

test('one is due where there is none, or the newest is as old as that', () => {
  const ofAge = (seconds: number) => {
    const madeAt = new Date(Date.now() - seconds * 1_000).toISOString()
    return { path: '', madeAt, bytes: 0 }
  }
  expect(isDue(undefined, 60)).toBe(true)
  expect([59, 61, -5].map((age) => isDue(ofAge(age), 60))).toEqual([false, true, false])
})

test('what has the name of one and can’t be read stops none', async () => {
  const folder = join(directory.path, 'unreadable')
  await mkdir(join(folder, 'chainkin-20260109T000000Z.tar'), { recursive: true })
  const name = await backupOf(folder, 1)
  expect((await keptBackups(folder, 'ours')).map(({ path }) => path)).toEqual([join(folder, name)])
})
