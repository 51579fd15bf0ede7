import type { CommandValues, CommandWord, ConsoleCommand } from '../../../contracts/console.ts'
import type { Field, Form } from '../../core/form.ts'
import { agentAtHand, selectedTask, worktreeAtHand } from '../../core/selection.ts'
import type { ConsoleState } from '../../core/state.ts'
import { paletteText } from '../../../text/palette.ts'

/** The form of a command: a field a word, filled in with what is selected, or as it was filled in before. `kinds`: those of agents. */
export const commandForm = (
  state: ConsoleState,
  kinds: readonly string[],
  command: ConsoleCommand,
  submit: Form['submit'],
  values?: CommandValues,
): Form => ({
  kind: 'command',
  title: command.path,
  at: 0,
  command: { command, wrong: 0, running: false },
  submit,
  fields: command.words.map((word): Field => {
    const options = optionsOf(state, kinds, command, word)
    const value = values ? (values[word.key] ?? '') : atHand(state, command, word)
    const taken = options === undefined || options.includes(value) ? value : (options[0] ?? '')
    return {
      key: word.key,
      label: `${labelOf(word)}${word.required ? ' *' : ''}`,
      value: taken,
      hint: hintOf(word),
      ...(options ? { options } : {}),
    }
  }),
})

const labelOf = ({ name, repeated }: CommandWord): string => `${name}${repeated ? '…' : ''}`

const hintOf = ({ description, form, kind, repeated }: CommandWord): string => {
  if (kind === 'number') return paletteText.number(description)
  if (form !== null) return paletteText.formed(description, form)
  return repeated ? paletteText.several(description) : description
}

/** The options of a word; a text field if they are unknown. */
const optionsOf = (
  state: ConsoleState,
  kinds: readonly string[],
  { path }: ConsoleCommand,
  { name, kind, required, choices }: CommandWord,
): readonly string[] | undefined => {
  const texts: Readonly<Record<string, readonly string[]>> = {
    '--persona': state.personas,
    '--worktree': worktreesOf(state),
    ...(startsAgents.has(path) ? { '--kind': kinds } : {}),
  }
  const known = kind === 'flag' ? ['yes'] : kind === 'choice' ? choices : (texts[name] ?? [])
  if (known.length === 0) return undefined
  return required ? known : ['', ...known]
}

/** In other commands `--kind` has another meaning. */
const startsAgents: ReadonlySet<string> = new Set(['task add', 'agent spawn'])

const worktreesOf = ({ board }: ConsoleState): readonly string[] =>
  board.worktrees.filter(({ status }) => status === 'active').map(({ name }) => name)

/** The default of a word that names one thing: the selected one. */
const atHand = (state: ConsoleState, { path, words }: ConsoleCommand, word: CommandWord): string => {
  if (word.key !== words.find(({ name }) => !name.startsWith('-'))?.key) return ''
  const [noun] = path.split(' ')
  if (noun === 'task' && word.name === 'ID') return String(selectedTask(state)?.id ?? '')
  if (noun === 'agent' && word.name === 'ID') return agentAtHand(state)?.id ?? ''
  if (noun === 'request' && word.name === 'ID')
    return String(state.board.requests.find(({ status }) => status === 'open')?.id ?? '')
  return noun === 'worktree' && word.name === 'NAME' && path !== 'worktree create'
    ? (worktreeAtHand(state)?.name ?? '')
    : ''
}
