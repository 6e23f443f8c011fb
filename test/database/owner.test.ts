/** Files of another user's service: root leaves none of its own among them, and a start names one that it can't use. */
import { beforeAll, describe, expect, test } from 'bun:test'
import { spawnSync } from 'node:child_process'
import { chmod, chown, mkdir, readdir, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { quoted, rootProblem } from '../../src/database/owner.ts'
import { writePrivateFile } from '../../src/database/private-file.ts'
import { PROJECT_ROOT, run } from '../helpers/command.ts'
import { sharedDirectory } from '../helpers/shared.ts'

const NOBODY = 65_534
const MAIN = join(PROJECT_ROOT, 'src/main.ts')
const AS_NOBODY = ['setpriv', `--reuid=${NOBODY}`, `--regid=${NOBODY}`, '--clear-groups'] as const
/** Only root has two users to try with, and the other one has to reach this program. */
const isPossible =
  process.geteuid?.() === 0 &&
  spawnSync(AS_NOBODY[0], [...AS_NOBODY.slice(1), process.execPath, MAIN, '--version']).status === 0

const directory = sharedDirectory()
let env: { DATA_DIR: string; LOG_LEVEL: string }
const data = (...path: string[]) => join(directory.path, 'service', 'data', ...path)
const service = (...args: string[]) =>
  run(args, { env, program: [...AS_NOBODY, process.execPath, MAIN] })

beforeAll(async () => {
  env = { DATA_DIR: data(), LOG_LEVEL: 'error' }
  if (!isPossible) return
  await chmod(directory.path, 0o755)
  await mkdir(data('..'))
  await chown(data('..'), NOBODY, NOBODY)
  const account = ['--name', 'Ada', '--email', 'ada@example.com', '--tier', 'pro']
  expect((await service('account', 'create', ...account)).code).toBe(0)
})

/** Files in the data directory of another owner. */
async function othersFiles(): Promise<string[]> {
  const names = await readdir(data(), { recursive: true })
  const found = await Promise.all(
    names.map(async (name) => [name, await stat(data(name))] as const),
  )
  return found.flatMap(([name, { uid }]) => (uid === NOBODY ? [] : [name]))
}

describe.skipIf(!isPossible)('a database of the service’s user', () => {
  test('is not touched by a command that root types, which says how to type it', async () => {
    const backup = join(directory.path, 'root.tar')
    const own = { ...env, DATA_DIR: join(directory.path, 'own') }
    await run(['migrate'], { env: own })
    expect((await run(['backup', backup], { env: own })).code).toBe(0)
    for (const args of [
      ['doctor'],
      ['account', 'list'],
      ['migrate'],
      ['backup', join(directory.path, 'x.tar')],
      ['restore', backup, '--force'],
    ]) {
      const { code, stdout, stderr } = await run(args, { env })
      expect([args[0], code, stdout + stderr]).toEqual([
        args[0],
        1,
        expect.stringContaining(
          `${data('postgres')} belongs to nobody, who could not use what root writes there. Run it as "sudo -u nobody env DATA_DIR=${quoted(data())} chainkin …"`,
        ),
      ])
    }
    expect(await othersFiles()).toEqual([])
    const listed = await service('account', 'list')
    expect([listed.code, listed.stdout]).toEqual([0, expect.stringContaining('Ada')])
  })

  test('an empty data directory of its is not filled by root', async () => {
    const empty = join(directory.path, 'empty')
    await mkdir(empty)
    await chown(empty, NOBODY, NOBODY)
    const { code, stderr } = await run(['migrate'], { env: { ...env, DATA_DIR: empty } })
    expect([code, stderr]).toEqual([1, expect.stringContaining(`${empty} belongs to nobody`)])
    expect(await readdir(empty)).toEqual([])
  })

  test('a user without a name, as a service’s dynamic one, is named by number', async () => {
    const folder = join(directory.path, 'a dynamic one')
    await mkdir(folder)
    await chown(folder, 64_123, 64_124)
    expect(await rootProblem(folder, folder)).toBe(
      `${folder} belongs to user 64123, who could not use what root writes there. Run it as "setpriv --reuid=64123 --regid=64124 --clear-groups env DATA_DIR=${quoted(folder)} chainkin …"`,
    )
    expect(await readdir(folder)).toEqual([])
  })

  test.each([['postgres/pg_logical/replorigin_checkpoint'], ['lock']])(
    'a start that fails for root’s %s names it, its owner and the way back',
    async (name) => {
      await writeFile(data(name), '')
      await chown(data(name), 0, 0)
      await chmod(data(name), 0o600)
      const { code, stderr } = await service('account', 'list')
      expect([code, stderr]).toEqual([
        1,
        expect.stringContaining(
          `${data(name)} belongs to root, and this process runs as nobody. To give it back, run as root: chown -R nobody ${quoted(data())}`,
        ),
      ])
      expect(stderr).not.toContain('restore a backup')
      await chown(data(name), NOBODY, NOBODY)
    },
  )

  test('what root replaces keeps its owner, and a folder of kept backups its own', async () => {
    const file = join(directory.path, 'snapshot')
    await writePrivateFile(file, 'old')
    expect((await stat(file)).uid).toBe(0)
    await chown(file, NOBODY, NOBODY)
    await writePrivateFile(file, 'new')
    const { uid, gid, mode } = await stat(file)
    expect([uid, gid, mode & 0o777]).toEqual([NOBODY, NOBODY, 0o600])
    const kept = join(directory.path, 'kept')
    await mkdir(kept)
    await chown(kept, NOBODY, NOBODY)
    const own = { ...env, DATA_DIR: join(directory.path, 'own') }
    for (const args of [
      ['backup', kept, '--keep', '2'],
      ['backup', join(kept, 'by-hand.tar')],
    ])
      expect((await run(args, { env: own })).code).toBe(0)
    const owners = await Promise.all(
      (await readdir(kept)).sort().map(async (name) => (await stat(join(kept, name))).uid),
    )
    expect(owners).toEqual([0, NOBODY])
  })
})
