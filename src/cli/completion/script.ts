import { type Command, nouns } from '../call/command.ts'
import type { Named, Word } from '../call/words.ts'

// One script per shell, each from the same levels: the words that may follow each path of the command line.

export const shells = ['bash', 'zsh', 'fish'] as const
type Shell = (typeof shells)[number]

/** A script for the shell that completes commands, options and the values of options with choices. */
export const completionScript = (shell: Shell, commands: readonly Command[]): string =>
  writers[shell](levelsOf(commands, nouns))

/** The possible words after one path of the command line (`''`, `task`, `task add`). */
interface Level {
  readonly path: string
  readonly next: readonly { readonly name: string; readonly summary: string }[]
  readonly options: readonly Offer[]
  /** The sort of things that each argument names; the last one is repeated if `repeats`. */
  readonly names: readonly (Named | null)[]
  readonly repeats: boolean
}

interface Offer {
  readonly name: string
  readonly description: string
  readonly takesValue: boolean
  readonly choices: readonly string[]
  readonly names: Named | null
}

const bashScript = (
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

// `path`, `commands` and `options` are special in zsh, so the variables have other names.
const zshScript = (levels: readonly Level[]): string => `#compdef aiswarm
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

const fishScript = (
  levels: readonly Level[],
): string => `# fish completion of aiswarm; aiswarm completion fish > ~/.config/fish/completions/aiswarm.fish
function __aiswarm_names
    set -l root
    set -l words (commandline -opc)
    if set -l found (contains -i -- --root $words)
        set root --root $words[(math $found + 1)]
    end
    aiswarm names $argv[1] $root 2> /dev/null
end
function __aiswarm_at
    set -l at
    set -l skip 0
    set -l place 0
    for word in (commandline -opc)[2..-1]
        if test $skip = 1
            set skip 0
            continue
        end
        switch $word
            case ${valueOptions(levels).join(' ')}
                set skip 1
            case '-*'
            case '*'
                set -l longer (string join ' ' -- $at $word)
                if contains -- "$longer" ${levels
                  .filter(({ path }) => path !== '')
                  .map(({ path }) => quoted(path))
                  .join(' ')}
                    set at $at $word
                else
                    set place (math $place + 1)
                end
        end
    end
    test "$at" = "$argv[1]"; or return 1
    if string match -q '*+' -- "$argv[2]"
        test $place -ge (string trim -c + -- $argv[2])
    else if test -n "$argv[2]"
        test $place = $argv[2]
    end
end
${levels.flatMap(levelLines).join('\n')}
`

const writers: Record<Shell, (levels: readonly Level[]) => string> = {
  bash: bashScript,
  zsh: zshScript,
  fish: fishScript,
}

const reply = (words: readonly string[]): string => `COMPREPLY=($(compgen -W '${words.join(' ')}' -- "$cur"))`

const levelCase = ({ path, next, options }: Level): string => {
  const following = next.map(({ name, summary }) => described(name, summary)).join(' ')
  const switches = options.map(({ name, description }) => described(name, description)).join(' ')
  return `    '${path}')\n      following=(${following})\n      switches=(${switches}) ;;`
}

const described = (name: string, description: string): string =>
  `'${`${name}:${description}`.replaceAll("'", `'\\''`)}'`

/** How a shell counts the words of the command line: the first one, the variable with the number of the current one, and one of them. */
interface ShellWords {
  readonly first: number
  readonly end: string
  readonly word: string
}

/**
 * A loop for bash and zsh over the words before the current one. It sets `at` to the path of the command, `place` to the
 * number of its arguments so far, `skip` to the option whose value the current word is, and `root` to the value of
 * `--root`.
 */
const walkWords = (
  levels: readonly Level[],
  { first, end, word }: ShellWords,
): string => `  for ((i = ${first}; i < ${end}; i++)); do
    word=${word}
    if [[ -n $skip ]]; then if [[ $skip == --root ]]; then root=$word; fi; skip=''; continue; fi
    case $word in
      ${valueOptions(levels).join('|')}) skip=$word ;;
      -*) ;;
      *)
        case "\${at:+$at }$word" in
          ${levels
            .filter(({ path }) => path !== '')
            .map(({ path }) => `'${path}'`)
            .join('|')}) at="\${at:+$at }$word" ;;
          *) place=$((place + 1)) ;;
        esac ;;
    esac
  done`

const levelLines = (level: Level): string[] => {
  const { path, next, options } = level
  return [
    ...next.map(
      ({ name, summary }) => `complete -c aiswarm -f -n "__aiswarm_at '${path}'" -a ${name}${about(summary)}`,
    ),
    ...namedPlaces(level).map(
      ({ at, more, sort }) =>
        `complete -c aiswarm -f -k -n "__aiswarm_at '${path}' ${more ? `${at}+` : at}" -a "(__aiswarm_names ${sort})"`,
    ),
    ...options.map(
      (option) =>
        `complete -c aiswarm -n "__aiswarm_at '${path}'" -l ${option.name.slice(2)}${valueOf(option)}${about(option.description)}`,
    ),
  ]
}

const valueOf = ({ takesValue, choices, names }: Offer): string => {
  if (!takesValue) return ''
  if (names !== null) return ` -x -k -a "(__aiswarm_names ${names})"`
  return choices.length > 0 ? ` -x -a ${quoted(choices.join(' '))}` : ' -r'
}

const about = (description: string): string => (description === '' ? '' : ` -d ${quoted(description)}`)

const quoted = (text: string): string => `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`

const levelsOf = (commands: readonly Command[], nouns: Readonly<Record<string, string>>): readonly Level[] => {
  const groups = [...new Set(commands.flatMap(({ path }) => groupsAbove(path)))]
  const offered = [
    ...commands.map(({ path, summary }) => ({ path, summary })),
    ...groups.map((path) => ({ path, summary: nouns[path] ?? '' })),
  ]
  const below = (group: string) =>
    offered
      .filter(({ path }) => parentOf(path) === group)
      .map(({ path, summary }) => ({ name: path.slice(group === '' ? 0 : group.length + 1), summary }))
  return [
    ...['', ...groups].map((path) => ({ path, next: below(path), options: common, names: [], repeats: false })),
    ...commands.map(levelOf),
  ]
}

const parentOf = (path: string): string => path.split(' ').slice(0, -1).join(' ')

/** `memory`, `memory adr` for `memory adr show`. */
const groupsAbove = (path: string): readonly string[] =>
  path
    .split(' ')
    .slice(0, -1)
    .map((_, at, words) => words.slice(0, at + 1).join(' '))

/** Options with a value, of any command; no name is an option in one command and a flag in another. */
const valueOptions = (levels: readonly Level[]): readonly string[] => [
  ...new Set(levels.flatMap(({ options }) => options.filter(({ takesValue }) => takesValue).map(({ name }) => name))),
]

const levelOf = ({ path, words }: Command): Level => {
  const all = Object.values(words)
  const places = all.filter(({ form }) => form === 'argument')
  return {
    path,
    next: places.flatMap(({ choices }) => choices).map((name) => ({ name, summary: '' })),
    options: [...all.filter(({ form }) => form !== 'argument').map(offer), ...common],
    names: places.map(({ names }) => names),
    repeats: places.at(-1)?.repeated ?? false,
  }
}

const offer = ({ name, description, form, choices, names }: Word<unknown>): Offer => ({
  name,
  description,
  takesValue: form === 'option',
  choices,
  names,
})

/** The arguments of a level that name something, with their positions; `more` if all later ones do too. */
const namedPlaces = ({
  names,
  repeats,
}: Level): readonly { readonly at: number; readonly more: boolean; readonly sort: Named }[] =>
  names.flatMap((sort, at) => (sort === null ? [] : [{ at, more: repeats && at === names.length - 1, sort }]))

const common: readonly Offer[] = [
  { name: '--json', description: 'Print one JSON value', takesValue: false, choices: [], names: null },
  { name: '--root', description: 'Repository to work on', takesValue: true, choices: [], names: null },
  { name: '--help', description: 'Show help', takesValue: false, choices: [], names: null },
]
