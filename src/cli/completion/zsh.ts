import type { Level } from './levels.ts'
import { walkWords } from './walk-words.ts'

// `path`, `commands` and `options` are special in zsh, so the variables have other names.

export const zshScript = (levels: readonly Level[]): string => `#compdef aiswarm
# zsh completion of aiswarm; in ~/.zshrc after compinit: source <(aiswarm completion zsh)
_aiswarm() {
  local at='' skip='' word i
  local -a following switches
${walkWords(levels, { first: 2, end: 'CURRENT', word: '$words[i]' })}
  if [[ -n $skip ]]; then
    case "$at $words[CURRENT-1]" in
${levels.flatMap(({ path, options }) => options.filter(({ choices }) => choices.length > 0).map(({ name, choices }) => `      '${path} ${name}') compadd -- ${choices.join(' ')} ;;`)).join('\n')}
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
    _files
  fi
}
if [[ $funcstack[1] == _aiswarm ]]; then _aiswarm "$@"; else compdef _aiswarm aiswarm; fi
`

const levelCase = ({ path, next, options }: Level): string => {
  const following = next.map(({ name, summary }) => described(name, summary)).join(' ')
  const switches = options.map(({ name, description }) => described(name, description)).join(' ')
  return `    '${path}')\n      following=(${following})\n      switches=(${switches}) ;;`
}

const described = (name: string, description: string): string => `'${`${name}:${description}`.replaceAll("'", `'\\''`)}'`
