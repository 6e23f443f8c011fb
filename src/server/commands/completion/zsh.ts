/** Completion for zsh: to source behind `compinit`, or as the file `_chainkin` in `fpath`. */
import { API_VERSION } from '../../../contract/version.ts'
import { type Next, type Place, quoted, valuedOptions } from './places.ts'

export function zshScript(places: readonly Place[]): string {
  const valued = valuedOptions(places)
  return `#compdef chainkin
# Completion of chainkin ${API_VERSION} for zsh: source <(chainkin completion zsh)
_chainkin() {
  local place='' prev=\${words[CURRENT-1]} word
  local -i i value=0
  local -a found
  for ((i = 2; i < CURRENT; i++)); do
    word=\${words[i]}
    case "$place $word" in
      (${anyOf(valued.map(({ at }) => at))}) ((i++)) ;;
      (${anyOf(places.slice(1).map(({ path }) => (path.includes(' ') ? path : ` ${path}`)))})
        place="\${place:+$place }$word" ;;
      (*' -'*) ;;
      (*) ((value++)) ;;
    esac
  done
  if [[ $PREFIX == --*=* ]]; then
    prev=\${PREFIX%%=*}
    compset -P '*='
  fi
  case "$place $prev" in
${valued.map(({ at, value }) => `    (${quoted(at)}) ${reply(value)}; return ;;`).join('\n')}
  esac
  if [[ $PREFIX == -* ]]; then
    case "$place" in
${places.map(({ path, options }) => `      (${quoted(path)}) found=(${described(options)}) ;;`).join('\n')}
    esac
    _describe -o option found
    return
  fi
  case "$place" in
${places.flatMap(behind).join('\n')}
  esac
}
if [[ \${funcstack[1]} == _chainkin ]]; then _chainkin "$@"; else compdef _chainkin chainkin; fi
`
}

const anyOf = (texts: readonly string[]) => texts.map(quoted).join('|')

const described = (items: readonly { name: string; says: string }[]) =>
  items.map(({ name, says }) => quoted(`${name}:${says.replaceAll(':', '\\:')}`)).join(' ')

function behind({ path, commands, values }: Place): string[] {
  if (commands.length > 0) {
    return [`    (${quoted(path)}) found=(${described(commands)}); _describe command found ;;`]
  }
  if (values.every((value) => value === 'unknown')) return []
  const cases = values.map((value, place) => `(${place}) ${reply(value)} ;;`)
  return [`    (${quoted(path)}) case "$value" in ${cases.join(' ')} esac ;;`]
}

function reply(next: Next): string {
  if (next === 'unknown') return '_message value'
  if (next === 'file') return '_files'
  return `compadd -- ${next.words.join(' ')}`
}
