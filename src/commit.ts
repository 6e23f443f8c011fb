/** The commit of Git that this program was made from. */
import { readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'

const ROOT = join(import.meta.dirname, '..')
/** Length of a short commit, as GitHub shows one. */
const DIGITS = 12

/** The commit in the binary, or `''`: `bun run build` defines it. */
declare const BUILD_COMMIT: string | undefined

/** Undefined where nothing tells, as in a copy of the sources without Git. A clone knows better than the file of an earlier `npm pack`. */
export const COMMIT: string | undefined =
  (typeof BUILD_COMMIT === 'string' ? BUILD_COMMIT : (commitOf(ROOT) ?? read(ROOT, 'commit'))) ||
  undefined

/** Reads the commit of a clone, or of a worktree of one, without starting Git. */
export function commitOf(root: string): string | undefined {
  const link = read(root, '.git')?.replace('gitdir: ', '')
  const own = resolve(root, link ?? '.git')
  const shared = resolve(own, read(own, 'commondir') ?? '.')
  const head = read(own, 'HEAD')
  const ref = head?.startsWith('ref: ') ? head.slice(5) : undefined
  const packed = () =>
    read(shared, 'packed-refs')
      ?.split('\n')
      .find((line) => line.endsWith(` ${ref}`))
  const commit = ref === undefined ? head : (read(own, ref) ?? read(shared, ref) ?? packed())
  return commit?.slice(0, DIGITS)
}

/** @returns undefined for a missing file and for a folder */
function read(...path: readonly string[]): string | undefined {
  try {
    return readFileSync(join(...path), 'utf8').trim()
  } catch {
    return undefined
  }
}
