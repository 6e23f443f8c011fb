/** Files that a person named: what is wrong with one, in words. */
import { DatabaseUnavailable, errorCode } from '../database/client.ts'
import { Refusal } from './command.ts'

const REASONS: Readonly<Record<string, string>> = {
  ENOENT: 'no such file or directory',
  ENOTDIR: 'no such file or directory',
  EACCES: 'permission denied',
  EPERM: 'permission denied',
  EISDIR: 'a directory',
  ENOSPC: 'the disk is full',
  EROFS: 'the file system is read-only',
}

/** For `catch`: the system's errors become a refusal that names the file; others pass. */
export function namingFile(file: string): (error: unknown) => never {
  return (error) => {
    const code = errorCode(error) ?? ''
    if (error instanceof DatabaseUnavailable || !/^E[A-Z]+$/.test(code)) throw error
    throw new Refusal(`${file}: ${REASONS[code] ?? `can't be used (${code})`}`)
  }
}
