import { ours, type SafeText, spelledOut } from '../../domain/safe-text.ts'
import { shellLine } from '../../domain/shell-words.ts'
import type { CommandValues, CommandWord, ConsoleCommand } from '../../operations/kernel/console-command.ts'
import type { Field, Form } from '../forms.ts'
import { agentAtHand, selectedTask, worktreeAtHand } from '../selection.ts'
import type { ConsoleState } from '../state.ts'
import { paletteText } from '../../text/palette.ts'

/** The form of a command: a field a word, filled in with what is selected, or as it was filled in before. `kinds`: those of agents. */
export const commandForm = (state: ConsoleState, kinds: readonly string[], command: ConsoleCommand, values?: CommandValues): Form => ({
  kind: 'command',
  title: command.path,
  worktree: '',
  at: 0,
  command: { path: command.path, wrong: 0, running: false },
  fields: command.words.map((word): Field => {
    const options = optionsOf(state, kinds, command, word)
    const value = values ? (values[word.key] ?? '') : atHand(state, command, word)
    const taken = options === undefined || options.includes(value) ? value : (options[0] ?? '')
    return { key: word.key, label: `${labelOf(word)}${word.required ? ' *' : ''}`, value: taken, hint: hintOf(word), ...(options ? { options } : {}) }
  }),
})

const labelOf = ({ name, repeated }: CommandWord): string => `${name}${repeated ? '…' : ''}`

const hintOf = ({ description, form, kind, repeated }: CommandWord): string => {
  if (kind === 'number') return paletteText.number(description)
  if (form !== null) return paletteText.formed(description, form)
  return repeated ? paletteText.several(description) : description
}

/** What a word is chosen among; a text where that is not known. */
const optionsOf = (state: ConsoleState, kinds: readonly string[], { path }: ConsoleCommand, { name, kind, required, choices }: CommandWord): readonly string[] | undefined => {
  const texts: Readonly<Record<string, readonly string[]>> = {
    '--persona': state.personas,
    '--worktree': worktreesOf(state),
    ...(startsAgents.has(path) ? { '--kind': kinds } : {}),
  }
  const known = kind === 'flag' ? ['yes'] : kind === 'choice' ? choices : (texts[name] ?? [])
  if (known.length === 0) return undefined
  return required ? known : ['', ...known]
}

/** Elsewhere `--kind` is about something else. */
const startsAgents: ReadonlySet<string> = new Set(['task add', 'agent spawn'])

const worktreesOf = ({ board }: ConsoleState): readonly string[] => board.worktrees.filter(({ status }) => status === 'active').map(({ name }) => name)

/** A command that is about one thing is about the one that is selected. */
const atHand = (state: ConsoleState, { path, words }: ConsoleCommand, word: CommandWord): string => {
  if (word.key !== words.find(({ name }) => !name.startsWith('-'))?.key) return ''
  const [noun] = path.split(' ')
  if (noun === 'task' && word.name === 'ID') return String(selectedTask(state)?.id ?? '')
  if (noun === 'agent' && word.name === 'ID') return agentAtHand(state)?.id ?? ''
  if (noun === 'request' && word.name === 'ID') return String(state.board.requests.find(({ status }) => status === 'open')?.id ?? '')
  return noun === 'worktree' && word.name === 'NAME' && path !== 'worktree create' ? (worktreeAtHand(state)?.name ?? '') : ''
}

export const valuesOf = (form: Form): CommandValues => Object.fromEntries(form.fields.filter(({ value }) => value.trim() !== '').map(({ key, value }) => [key, value.trim()]))

export const commandOf = ({ commands }: Pick<ConsoleState, 'commands'>, form: Form): ConsoleCommand | undefined => commands.find(({ path }) => path === form.command?.path)

/** The line that does the same, for a shell. */
export const lineFor = (command: ConsoleCommand, form: Form): string => shellLine(command.line(valuesOf(form)))

/** As it stands below the fields. */
export const shownLine = (commands: ConsoleState['commands'], form: Form): SafeText => {
  const command = commands.find(({ path }) => path === form.command?.path)
  return ours(spelledOut(command ? lineFor(command, form) : '').join(' '))
}
