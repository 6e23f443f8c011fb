/** Acts of an operator who types a command: the same as on the pages of `/operator`, in the same log. */
import { execFileSync } from 'node:child_process'
import { userInfo } from 'node:os'
import { type Act, type Actor, perform } from '../../console/acts/perform.ts'
import type { Database } from '../../database/client.ts'

const SUDO_USER_LENGTH = 64

/** The user of this process as the system knows it. Bun's `userInfo()` reads $USER, which anybody can set. */
function systemUser(): string {
  const uid = process.geteuid?.()
  if (uid === undefined) return userInfo().username
  try {
    const name = execFileSync('/usr/bin/id', ['-un'], {
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
    }).trim()
    if (name !== '' && name !== String(uid)) return name
  } catch {
    // A container may run under a number that no user has, and lack the program.
  }
  return `uid ${uid}`
}

/**
 * Who makes a change, for the journal and the audit log: the system's user, with who called `sudo` beside it, and both beside a name
 * that was given: `root`, `root (sudo ada)`, `Olga (root, sudo ada)`. `BETWEEN_NAMES` finds each of them.
 */
export function who(given: string | undefined): string {
  const user = systemUser()
  const caller = process.env.SUDO_USER?.slice(0, SUDO_USER_LENGTH)
  const beside = [
    ...(given === undefined || given === user ? [] : [user]),
    ...(caller && caller !== user ? [`sudo ${caller}`] : []),
  ]
  return `${given ?? user}${beside.length > 0 ? ` (${beside.join(', ')})` : ''}`
}

/** Whoever types a command, as the audit log names them. */
export const typist = (as?: string): Actor => ({
  ...{ via: 'command', userId: null, who: who(as), address: null },
})

/** Does an act; the audit log names the system's user. @returns undefined where there was nothing to do it to */
export const performed = <T>(database: Database, act: Act<T>): Promise<T | undefined> =>
  perform(database, typist(), act)
