/** What may stand where on the command line, from the commands' own description. */
import type { Argument, Command, Option } from 'commander'

/** What comes next: one of these words, a file, or something that nobody can guess. */
export type Next = { words: readonly string[] } | 'file' | 'unknown'

export interface PlaceOption {
  /** With its dashes: `--tier`. */
  name: string
  says: string
  /** Absent where it takes no value. */
  value?: Next
}

/** A command, and what may stand behind it. */
export interface Place {
  /** As it is typed behind the program's name: `account create`; '' is the program itself. */
  path: string
  commands: readonly { name: string; says: string }[]
  options: readonly PlaceOption[]
  /** Its arguments in their order. The last of them may be repeated. */
  values: readonly Next[]
}

/** Every command that help shows, the program first. */
export function placesOf(program: Command): Place[] {
  return placesBelow(program, '')
}

function placesBelow(command: Command, path: string): Place[] {
  const help = command.createHelp()
  const commands = help.visibleCommands(command).filter((one) => one.name() !== 'help')
  const place: Place = {
    path,
    commands: commands.map((one) => ({ name: one.name(), says: firstLine(one.description()) })),
    options: help.visibleOptions(command).flatMap(optionOf),
    values: command.registeredArguments.map((one) => nextOf(one, one.name())),
  }
  const below = commands.flatMap((one) => placesBelow(one, `${path} ${one.name()}`.trim()))
  return [place, ...below]
}

function optionOf(option: Option): PlaceOption[] {
  if (!option.long) return []
  const [, valueName] = /[<[](.+?)[\]>]/.exec(option.flags) ?? []
  const value = valueName === undefined ? {} : { value: nextOf(option, valueName) }
  return [{ name: option.long, says: firstLine(option.description), ...value }]
}

function nextOf({ argChoices, parseArg }: Option | Argument, name: string): Next {
  const words = argChoices ?? (parseArg && choicesOf(parseArg))
  if (words) return { words }
  return /^(file|folder|list)$/.test(name) ? 'file' : 'unknown'
}

/** The words that a parser takes, where it says them (`parseChoice`). */
function choicesOf(parse: object): readonly string[] | undefined {
  return 'choices' in parse ? (parse.choices as readonly string[]) : undefined
}

function firstLine(text: string): string {
  return text.split('\n')[0]?.trim() ?? ''
}

/** The options of all commands that take a value, as `path --option`, so that their values are no commands. */
export function valuedOptions(places: readonly Place[]): { at: string; value: Next }[] {
  return places.flatMap(({ path, options }) =>
    options.flatMap(({ name, value }) => (value ? [{ at: `${path} ${name}`, value }] : [])),
  )
}

/** A text inside single quotes of a shell that knows no escapes there. */
export const quoted = (text: string) => `'${text.replaceAll("'", "'\\''")}'`
