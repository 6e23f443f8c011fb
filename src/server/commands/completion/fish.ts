/** Completion for fish. */
import { API_VERSION } from '../../../contract/version.ts'
import { type Next, type Place, valuedOptions } from './places.ts'

export function fishScript(places: readonly Place[]): string {
  const valued = valuedOptions(places)
  return `# Completion of chainkin ${API_VERSION} for fish: chainkin completion fish > ~/.config/fish/completions/chainkin.fish
# Says where on the command line the cursor is: the command, and how many values stand behind it.
function __chainkin_place
    set -l place ''
    set -l value 0
    set -l skip 0
    for word in (commandline -opc)[2..-1]
        if test $skip -eq 1
            set skip 0
            continue
        end
        switch "$place $word"
            case ${anyOf(valued.map(({ at }) => at))}
                set skip 1
            case ${anyOf(places.slice(1).map(({ path }) => (path.includes(' ') ? path : ` ${path}`)))}
                set place (string trim "$place $word")
            case '* -*'
            case '*'
                set value (math $value + 1)
        end
    end
    echo "$place"
    echo $value
end
function __chainkin_at
    set -l here (__chainkin_place)
    test "$here[1]" = "$argv[1]"; and begin
        test (count $argv) -eq 1; or test "$here[2]" = "$argv[2]"
    end
end
complete -c chainkin -e
complete -c chainkin -f
${places.flatMap(linesOf).join('\n')}
`
}

/** In single quotes of fish, where a backslash escapes. */
const quoted = (text: string) => `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`
const anyOf = (texts: readonly string[]) => texts.map(quoted).join(' ')

function linesOf({ path, commands, options, values }: Place): string[] {
  const at = (...place: (string | number)[]) =>
    `complete -c chainkin -n ${quoted(`__chainkin_at ${place.map((one) => quoted(String(one))).join(' ')}`)}`
  return [
    ...commands.map(({ name, says }) => `${at(path)} -a ${name} -d ${quoted(says)}`),
    ...options.map(
      ({ name, says, value }) =>
        `${at(path)} -l ${name.replace(/^--/, '')} -d ${quoted(says)}${value ? ` -r${taken(value)}` : ''}`,
    ),
    ...values.flatMap((value, place) =>
      value === 'unknown' ? [] : [`${at(path, place)}${taken(value)}`],
    ),
  ]
}

function taken(next: Next): string {
  if (next === 'unknown') return ' -f'
  return next === 'file' ? ' -F' : ` -f -a ${quoted(next.words.join(' '))}`
}
