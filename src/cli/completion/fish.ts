import { type Level, type Offer, valueOptions } from './levels.ts'

export const fishScript = (levels: readonly Level[]): string => `# fish completion of aiswarm; aiswarm completion fish > ~/.config/fish/completions/aiswarm.fish
function __aiswarm_at
    set -l at
    set -l skip 0
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
                end
        end
    end
    test "$at" = "$argv[1]"
end
${levels.flatMap(levelLines).join('\n')}
`

const levelLines = ({ path, next, options }: Level): string[] => [
  ...next.map(({ name, summary }) => `complete -c aiswarm -f -n "__aiswarm_at '${path}'" -a ${name}${about(summary)}`),
  ...options.map((option) => `complete -c aiswarm -n "__aiswarm_at '${path}'" -l ${option.name.slice(2)}${valueOf(option)}${about(option.description)}`),
]

const valueOf = ({ takesValue, choices }: Offer): string => {
  if (!takesValue) return ''
  return choices.length > 0 ? ` -x -a ${quoted(choices.join(' '))}` : ' -r'
}

const about = (description: string): string => (description === '' ? '' : ` -d ${quoted(description)}`)

const quoted = (text: string): string => `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`
