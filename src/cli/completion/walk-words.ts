import { type Level, valueOptions } from './levels.ts'

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
export const walkWords = (
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
