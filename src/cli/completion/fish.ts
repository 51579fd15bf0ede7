import { type Level, namedPlaces, type Offer, valueOptions } from './levels.ts'

export const fishScript = (
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
