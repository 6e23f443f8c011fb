/** `import --help --fields` says of every field what the import knows of it. */
import { expect, test } from 'bun:test'
import { Command, CommanderError } from 'commander'
import { FIELDS } from '../../../src/intake/import/kinds.ts'
import { registerImport } from '../../../src/server/commands/import.ts'

/** What the command prints before it ends with exit code 0. */
function printed(...args: string[]): string {
  let text = ''
  const program = new Command().exitOverride()
  registerImport(program)
  for (const command of [program, ...program.commands]) {
    command.exitOverride().configureOutput({ writeOut: (part) => (text += part) })
  }
  try {
    program.parse(['import', ...args], { from: 'user' })
  } catch (error) {
    if (error instanceof CommanderError && error.exitCode === 0) return text
    throw error
  }
  throw new Error('the command went on')
}

const words = (text: string) => text.replaceAll('`', '').replace(/\s+/g, ' ')

test('every field with type, meaning, example, other names and what cleans it', () => {
  const text = words(printed('--help', '--fields'))
  for (const [kind, fields] of Object.entries(FIELDS)) {
    expect(text).toContain(`Fields of --${kind}:`)
    for (const [name, { type, meaning, cleans, example, aliases }] of Object.entries(fields)) {
      expect(text).toContain(words(`${name} (${type}) ${meaning}`))
      for (const said of [`Read: ${cleans}`, `Example: ${example}`, aliases.join(', ')]) {
        expect(text).toContain(words(said))
      }
    }
  }
})

test('without --fields the help says how to see them; --fields alone is help', () => {
  expect(printed('--help')).toContain('--help --fields')
  expect(printed('--fields')).toBe(printed('--help', '--fields'))
})
