/** Asks once more before what can't be undone. */
import { createInterface } from 'node:readline/promises'
import { Refusal } from './command.ts'

interface Options {
  yes?: boolean
  json?: boolean
}

/**
 * Asks on a terminal, unless `--yes` was given.
 * @param what as a sentence begins with it: "an erasure". @param question for somebody who reads it. @param undone what is said then
 * @throws Refusal where nobody says yes
 */
export async function confirm(
  { yes, json }: Options,
  { what, question, undone }: { what: string; question: string; undone: string },
): Promise<void> {
  if (yes) return
  const isTerminal = process.stdin.isTTY === true && process.stderr.isTTY === true
  if (!isTerminal || json) throw new Refusal(`${what} can’t be undone: repeat it with --yes`)
  const terminal = createInterface({ input: process.stdin, output: process.stderr })
  try {
    const answer = await terminal.question(`${question} It can’t be undone. [y/N] `)
    if (!/^y(es)?$/i.test(answer.trim())) throw new Refusal(undone)
  } finally {
    terminal.close()
  }
}
