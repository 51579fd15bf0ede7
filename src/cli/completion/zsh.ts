import { type Level, namedPlaces } from './levels.ts'
import { walkWords } from './walk-words.ts'

// `path`, `commands` and `options` are special in zsh, so the variables have other names.

export const zshScript = (levels: readonly Level[]): string => `#compdef aiswarm
# zsh completion of aiswarm; in ~/.zshrc after compinit: source <(aiswarm completion zsh)
_aiswarm_names() {
  local -a found
  found=(\${(f)"$(aiswarm names $1 \${root:+--root} $root 2> /dev/null)"})
  found=(\${found//:/\\\\:})
  found=(\${found/$'\\t'/:})
  _describe -V $1 found
}
_aiswarm() {
  local at='' skip='' root='' word i
  local -i place=0
  local -a following switches
${walkWords(levels, { first: 2, end: 'CURRENT', word: '$words[i]' })}
  if [[ -n $skip ]]; then
    case "$at $words[CURRENT-1]" in
${levels.flatMap(({ path, options }) => options.filter(({ choices }) => choices.length > 0).map(({ name, choices }) => `      '${path} ${name}') compadd -- ${choices.join(' ')} ;;`)).join('\n')}
${levels.flatMap(({ path, options }) => options.flatMap(({ name, names }) => (names === null ? [] : [`      '${path} ${name}') _aiswarm_names ${names} ;;`]))).join('\n')}
      *) _files ;;
    esac
    return
  fi
  case $at in
${levels.map(levelCase).join('\n')}
  esac
  if [[ $words[CURRENT] == -* ]]; then
    _describe -o option switches
  elif (( $#following )); then
    _describe command following
  else
    case "$at $place" in
${levels.flatMap((level) => namedPlaces(level).map(({ at, more, sort }) => `      '${level.path} '${more ? '*' : at}) _aiswarm_names ${sort} ;;`)).join('\n')}
      *) _files ;;
    esac
  fi
}
if [[ $funcstack[1] == _aiswarm ]]; then _aiswarm "$@"; else compdef _aiswarm aiswarm; fi
`

const levelCase = ({ path, next, options }: Level): string => {
  const following = next.map(({ name, summary }) => described(name, summary)).join(' ')
  const switches = options.map(({ name, description }) => described(name, description)).join(' ')
  return `    '${path}')\n      following=(${following})\n      switches=(${switches}) ;;`
}

const described = (name: string, description: string): string =>
  `'${`${name}:${description}`.replaceAll("'", `'\\''`)}'`
