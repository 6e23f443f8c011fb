/**
 * The directory as a file that workers map when they start, so that most of what each holds is the same memory. It
 * is gone as soon as they have started: what is mapped stays as long as somebody holds it.
 */
import { execFile } from 'node:child_process'
import { rmSync } from 'node:fs'
import { copyFile, lstat, mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

export interface DirectoryImage {
  file: string
  /** Takes the file away. */
  remove(): void
}

interface ImageOptions {
  /** The operator's snapshot, which is copied because nobody may write to a mapped file. */
  snapshot?: string | undefined
  /** Command that writes the snapshot to a file, in a process of its own whose memory goes with it. */
  command: (file: string) => readonly [file: string, ...args: string[]]
}

const FOLDER = 'chainkin-image-'
/** Age of a folder that a killed start has left: longer than a start takes. */
const LEFT_MS = 15 * 60_000

/** Makes the image in a folder that this user alone can read. @throws the system's errors, and what the command says */
export async function makeImage({ snapshot, command }: ImageOptions): Promise<DirectoryImage> {
  await removeLeft()
  const folder = await mkdtemp(join(tmpdir(), FOLDER))
  const file = join(folder, 'image')
  const remove = () => {
    process.off('exit', remove)
    rmSync(folder, { recursive: true, force: true })
  }
  process.once('exit', remove)
  try {
    await (snapshot === undefined ? written(command(file)) : copyFile(snapshot, file))
  } catch (error) {
    remove()
    throw error
  }
  return { file, remove }
}

/** Removes this user's left folders: they fill the disk, and erasures don't reach them. */
async function removeLeft() {
  for (const name of await readdir(tmpdir())) {
    if (!name.startsWith(FOLDER)) continue
    const folder = join(tmpdir(), name)
    // A second start may have removed it.
    const found = await lstat(folder).catch(() => undefined)
    if (found === undefined || found.uid !== process.getuid?.()) continue
    if (found.mtimeMs < Date.now() - LEFT_MS) await rm(folder, { recursive: true, force: true })
  }
}

function written([program, ...args]: readonly [file: string, ...args: string[]]): Promise<void> {
  return new Promise((resolve, reject) => {
    const child = execFile(program, args, (error, _stdout, stderr) => {
      process.off('exit', kill)
      if (error) reject(new Error(stderr.trim() || error.message, { cause: error }))
      else resolve()
    })
    const kill = () => child.kill('SIGKILL')
    // Killed before the folder goes, because a running process would write it anew.
    process.prependOnceListener('exit', kill)
  })
}
