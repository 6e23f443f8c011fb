/** The commit that a build says it is of: what a clone's files tell is what Git says. */
import { expect, test } from 'bun:test'
import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { COMMIT, commitOf } from '../src/commit.ts'
import { PROJECT_ROOT, run } from './helpers/command.ts'
import { installed } from './helpers/proxies.ts'
import { sharedDirectory } from './helpers/shared.ts'

const directory = sharedDirectory()

function git(cwd: string, ...args: readonly string[]): string {
  const who = ['-c', 'user.name=Ada', '-c', 'user.email=ada@example.com']
  const { status, stdout, stderr } = spawnSync('git', [...who, ...args], { cwd, encoding: 'utf8' })
  if (status !== 0) throw new Error(stderr)
  return stdout.trim()
}

test.skipIf(!installed('git'))(
  'the commit is what Git says: of a clone, its worktree, packed references, and no branch',
  () => {
    const clone = join(directory.path, 'clone')
    git(directory.path, 'init', '--quiet', '--initial-branch=main', clone)
    expect(commitOf(clone)).toBeUndefined()
    git(clone, 'commit', '--quiet', '--allow-empty', '--message=first')
    const head = (folder: string) => git(folder, 'rev-parse', '--short=12', 'HEAD')
    expect(commitOf(clone)).toBe(head(clone))
    git(clone, 'pack-refs', '--all')
    expect(commitOf(clone)).toBe(head(clone))
    const tree = join(directory.path, 'tree')
    git(clone, 'worktree', 'add', '--quiet', '-b', 'other/branch', tree)
    git(tree, 'commit', '--quiet', '--allow-empty', '--message=second')
    expect(commitOf(tree)).toBe(head(tree))
    expect(commitOf(tree)).not.toBe(commitOf(clone))
    git(tree, 'checkout', '--quiet', '--detach')
    expect(commitOf(tree)).toBe(head(tree))
    expect(commitOf(directory.path)).toBeUndefined()
  },
)

test('--version says version and commit', async () => {
  const { default: manifest } = await import(join(PROJECT_ROOT, 'package.json'))
  const { stdout } = await run(['--version'])
  expect(stdout).toBe(`${manifest.version}${COMMIT ? ` (${COMMIT})` : ''}\n`)
})
