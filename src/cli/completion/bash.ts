import type { Level } from './levels.ts'
import { walkWords } from './walk-words.ts'

export const bashScript = (levels: readonly Level[]): string => `# bash completion of aiswarm; in ~/.bashrc: source <(aiswarm completion bash)
_aiswarm() {
  local cur=\${COMP_WORDS[COMP_CWORD]} prev=\${COMP_WORDS[COMP_CWORD-1]} at='' skip='' word i
${walkWords(levels, { first: 1, end: 'COMP_CWORD', word: '${COMP_WORDS[i]}' })}
  if [[ -n $skip ]]; then
    case "$at $prev" in
${levels.flatMap(({ path, options }) => options.filter(({ choices }) => choices.length > 0).map(({ name, choices }) => `      '${path} ${name}') ${reply(choices)} ;;`)).join('\n')}
      *) COMPREPLY=($(compgen -f -- "$cur")) ;;
    esac
    return
  fi
  if [[ $cur == -* ]]; then
    case $at in
${levels.map(({ path, options }) => `      '${path}') ${reply(options.map(({ name }) => name))} ;;`).join('\n')}
    esac
    return
  fi
  case $at in
${levels
  .filter(({ next }) => next.length > 0)
  .map(({ path, next }) => `    '${path}') ${reply(next.map(({ name }) => name))} ;;`)
  .join('\n')}
    *) COMPREPLY=($(compgen -f -- "$cur")) ;;
  esac
}
complete -F _aiswarm aiswarm
`

const reply = (words: readonly string[]): string => `COMPREPLY=($(compgen -W '${words.join(' ')}' -- "$cur"))`
