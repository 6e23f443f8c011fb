/** Completion for bash, without its package of helpers. Also for the 3.2 of macOS, which then completes no files. */
import { API_VERSION } from '../../../contract/version.ts'
import { type Next, type Place, quoted, valuedOptions } from './places.ts'

export function bashScript(places: readonly Place[]): string {
  const valued = valuedOptions(places)
  return `# Completion of chainkin ${API_VERSION} for bash: source <(chainkin completion bash)
_chainkin() {
  local cur=\${COMP_WORDS[COMP_CWORD]} prev=\${COMP_WORDS[COMP_CWORD-1]} place='' words='' value=0 i
  # Of --option=value bash makes three words.
  if [[ $cur == '=' ]]; then cur=''
  elif [[ $prev == '=' ]]; then prev=\${COMP_WORDS[COMP_CWORD-2]}
  fi
  COMPREPLY=()
  for ((i = 1; i < COMP_CWORD; i++)); do
    case "$place \${COMP_WORDS[i]}" in
      ${anyOf(valued.map(({ at }) => at))})
        # Its value is no command.
        if [[ \${COMP_WORDS[i+1]} == '=' ]]; then ((i++)); fi
        ((i++)) ;;
      ${anyOf(places.slice(1).map(({ path }) => (path.includes(' ') ? path : ` ${path}`)))})
        place="\${place:+$place }\${COMP_WORDS[i]}" ;;
      *' -'*) ;;
      *) ((value++)) ;;
    esac
  done
  case "$place $prev" in
${valued.map(({ at, value }) => `    ${quoted(at)}) ${reply(value)} ;;`).join('\n')}
  esac
  if [[ $cur == -* ]]; then
    case "$place" in
${places.map(({ path, options }) => `      ${quoted(path)}) words='${options.map(({ name }) => name).join(' ')}' ;;`).join('\n')}
    esac
    COMPREPLY=($(compgen -W "$words" -- "$cur"))
    return
  fi
  case "$place" in
${places.flatMap(behind).join('\n')}
  esac
}
complete -F _chainkin chainkin
`
}

const anyOf = (texts: readonly string[]) => texts.map(quoted).join('|')

/** What stands behind a command: other commands, or its arguments. */
function behind({ path, commands, values }: Place): string[] {
  if (commands.length > 0) {
    const words = commands.map(({ name }) => name)
    return [`    ${quoted(path)}) ${reply({ words })} ;;`]
  }
  if (values.every((value) => value === 'unknown')) return []
  const cases = values.map((value, place) => `${place}) ${reply(value)} ;;`)
  return [`    ${quoted(path)}) case "$value" in ${cases.join(' ')} esac ;;`]
}

function reply(next: Next): string {
  if (next === 'unknown') return 'return'
  // Names of files are readline's to complete: it quotes them.
  if (next === 'file') return 'compopt -o default 2>/dev/null; return'
  return `COMPREPLY=($(compgen -W '${next.words.join(' ')}' -- "$cur")); return`
}
