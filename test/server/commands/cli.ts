/** The command line as scripts use it: `--json`, and the exit code that says whether it is done. */
import { expect } from 'bun:test'
import { type Environment, run } from '../../helpers/command.ts'

/** @param environment is asked for at each run: what it names may start after the tests are declared. */
export function commandsIn(environment: () => Environment) {
  const chainkin = (args: readonly string[], input = '') => run(args, { env: environment(), input })

  /** Runs a command that must be done. @returns its one object. */
  async function done(...args: string[]) {
    const result = await chainkin([...args, '--json'])
    expect([args.join(' '), result.code, result.stderr]).toEqual([args.join(' '), 0, ''])
    return result.json()
  }

  /** Runs a command that must be refused. @returns the reason, on stderr and in the one object alike. */
  async function refused(...args: string[]): Promise<string> {
    const result = await chainkin([...args, '--json'])
    expect([args.join(' '), result.code]).toEqual([args.join(' '), 1])
    const { error } = result.json()
    expect(result.stderr).toContain(error)
    return error
  }

  return { chainkin, done, refused }
}
