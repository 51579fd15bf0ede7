import { type Level, namedPlaces } from './levels.ts'
import { walkWords } from './walk-words.ts'

export const bashScript = (
  levels: readonly Level[],
): string => `# bash completion of aiswarm; in ~/.bashrc: source <(aiswarm completion bash)
# Names with their descriptions; a single one, or one that is inserted from a menu, without.
_aiswarm_names() {
  local name about found=() described=()
  while IFS=$'\\t' read -r name about; do
    [[ $name == "$cur"* ]] || continue
    found+=("$name")
    described+=("$name  ($about)")
  done < <(aiswarm names "$1" \${root:+--root "$root"} 2> /dev/null)
  if (( \${#found[@]} > 1 )) && [[ $COMP_TYPE != 37 && $COMP_TYPE != 42 ]]; then COMPREPLY=("\${described[@]}"); else COMPREPLY=("\${found[@]}"); fi
  compopt -o nosort 2> /dev/null
}
_aiswarm() {
  local cur=\${COMP_WORDS[COMP_CWORD]} prev=\${COMP_WORDS[COMP_CWORD-1]} at='' skip='' root='' place=0 word i
${walkWords(levels, { first: 1, end: 'COMP_CWORD', word: '${COMP_WORDS[i]}' })}
  if [[ -n $skip ]]; then
    case "$at $prev" in
${levels.flatMap(({ path, options }) => options.filter(({ choices }) => choices.length > 0).map(({ name, choices }) => `      '${path} ${name}') ${reply(choices)} ;;`)).join('\n')}
${levels.flatMap(({ path, options }) => options.flatMap(({ name, names }) => (names === null ? [] : [`      '${path} ${name}') _aiswarm_names ${names} ;;`]))).join('\n')}
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
    *)
      case "$at $place" in
${levels.flatMap((level) => namedPlaces(level).map(({ at, more, sort }) => `        '${level.path} '${more ? `*` : at}) _aiswarm_names ${sort} ;;`)).join('\n')}
        *) COMPREPLY=($(compgen -f -- "$cur")) ;;
      esac ;;
  esac
}
complete -F _aiswarm aiswarm
`

const reply = (words: readonly string[]): string => `COMPREPLY=($(compgen -W '${words.join(' ')}' -- "$cur"))`
