/** Completion, in the shells themselves: what each offers where the cursor stands. */
import { describe, expect, test } from 'bun:test'
import { spawnSync } from 'node:child_process'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { run } from '../../helpers/command.ts'
import { installed } from '../../helpers/proxies.ts'
import { sharedDirectory } from '../../helpers/shared.ts'

const directory = sharedDirectory()

/** The words before the cursor, the last of them unfinished, and what is to be offered. */
const LINES: readonly [words: string[], offered: string[]][] = [
  [['acc'], ['account']],
  [
    ['account', ''],
    ['create', 'list', 'note', 'notes', 'resume', 'set', 'show', 'suspend'],
  ],
  [['account', 'create', '--ti'], ['--tier']],
  [['account', 'create', '--tier', 'p'], ['pro']],
  // The label is a value, though it is spelled like a command.
  [['key', 'create', '--label', 'list', '--sc'], ['--scopes']],
  [['print', 'comp'], ['compose']],
  [['print', '--out', 'compose', 'cad'], ['caddy']],
  [['plan', 'start', 'an-id', 'ess'], ['essential']],
  [['completion', 'f'], ['fish']],
]

const quoted = (text: string) => `'${text}'`

/** A shell that loads the script of the environment's `SCRIPT`, then says what it offers for each line, in a line of its own. */
const SHELLS = {
  bash: {
    args: ['--norc'],
    text: `source "$SCRIPT"\n${LINES.map(
      ([words]) =>
        `COMP_WORDS=(chainkin ${words.map(quoted).join(' ')}); COMP_CWORD=${words.length}; _chainkin; echo "\${COMPREPLY[*]}"`,
    ).join('\n')}`,
  },
  // Completion of zsh works in its line editor alone, so the functions that it would tell print what they are told.
  zsh: {
    args: ['-f'],
    text: `compdef() { }; compset() { }; _files() { }; _message() { }
_describe() { offered=(\${(P)argv[-1]}) }
compadd() { shift; offered=("$@") }
source "$SCRIPT"
${LINES.map(
  ([words]) =>
    `words=(chainkin ${words.map(quoted).join(' ')}); CURRENT=${words.length + 1}; PREFIX=\${words[-1]}; offered=(); _chainkin; print -r -- \${\${(M)offered:#$PREFIX*}%%:*}`,
).join('\n')}`,
  },
  fish: {
    args: ['--no-config'],
    text: `source "$SCRIPT"\n${LINES.map(
      ([words]) =>
        `echo (complete -C 'chainkin ${words.join(' ')}' | string replace -r '\\t.*' '')`,
    ).join('\n')}`,
  },
}

describe.each(Object.entries(SHELLS))('%s', (shell, { args, text }) => {
  const program = installed(shell)
  test.skipIf(!program)(
    'completes commands, options and their words, and takes no value for a command',
    async () => {
      const script = await run(['completion', shell])
      expect(script.code).toBe(0)
      const file = join(directory.path, shell)
      await writeFile(file, script.stdout)
      const { stdout, stderr } = spawnSync(program ?? '', args, {
        input: text,
        encoding: 'utf8',
        env: { ...process.env, SCRIPT: file },
      })
      const offered = stdout
        .trimEnd()
        .split('\n')
        .map((line) => line.split(' ').sort().join(' '))
      const expected = LINES.map(([, words]) => words.join(' '))
      expect([stderr, ...offered]).toEqual(['', ...expected])
    },
  )
})

test('the script names every command that help does', async () => {
  const [help, script] = await Promise.all([run(['--help']), run(['completion', 'bash'])])
  const commands = [...help.stdout.matchAll(/^ {2}([a-z-]+)(?: \[| {2}|\n)/gm)].map(
    ([, name = '']) => name,
  )
  expect(commands.length).toBeGreaterThan(20)
  const [, top = ''] = /^ {4}''\) COMPREPLY=\(\$\(compgen -W '([^']+)'/m.exec(script.stdout) ?? []
  expect(top.split(' ').sort()).toEqual(commands.filter((name) => name !== 'help').sort())
})
