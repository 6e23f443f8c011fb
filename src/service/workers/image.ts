/**
 * The directory as a file that workers map when they start, so that most of what each holds is the same memory (D149). It
 * is gone as soon as they have started: what is mapped stays as long as somebody holds it.
 */
import { execFile } from 'node:child_process'
import { rmSync } from 'node:fs'
import { copyFile, mkdtemp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

export interface DirectoryImage {
  file: string
  /** Takes the file away. */
  remove(): void
}

interface ImageOptions {
  /** A snapshot that the operator has: copied, because nobody may write to a file that is mapped. */
  snapshot?: string | undefined
  /** What writes the snapshot to this file. It runs in a process of its own, whose memory goes with it. */
  command: (file: string) => readonly [file: string, ...args: string[]]
}

/** Makes the image in a folder that this user alone can read. @throws the system's errors, and what the command says */
export async function makeImage({ snapshot, command }: ImageOptions): Promise<DirectoryImage> {
  const folder = await mkdtemp(join(tmpdir(), 'chainkin-image-'))
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

function written([program, ...args]: readonly [file: string, ...args: string[]]): Promise<void> {
  return new Promise((resolve, reject) => {
    const child = execFile(program, args, (error, _stdout, stderr) => {
      process.off('exit', kill)
      if (error) reject(new Error(stderr.trim() || error.message, { cause: error }))
      else resolve()
    })
    const kill = () => child.kill('SIGKILL')
    process.once('exit', kill)
  })
}
