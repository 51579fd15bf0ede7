import type { CommandValues, CommandWord, ConsoleCommand } from '../../../contracts/console.ts'
import { whyNotApprove } from '../../../domain/integration/integration.ts'
import { asRefusal } from '../../../domain/rules/system-error.ts'
import { ours, safeLines, type SafeText } from '../../../domain/words/safe-text.ts'
import { shellLine } from '../../../domain/words/shell-words.ts'
import { guardText } from '../../../text/inbox.ts'
import { paletteText } from '../../../text/palette.ts'
import { asked, type Question } from '../../actions/answers.ts'
import { cancelQuestion, terminateQuestion } from '../../actions/cancel.ts'
import { discardForm } from '../../actions/discard.ts'
import { integrate, isUnderWay } from '../../actions/integration.ts'
import { openItem } from '../../actions/open-item.ts'
import { answerForm } from '../../actions/requests.ts'
import { withCommand } from '../../core/console-memory.ts'
import { type Controller, sentenceOf } from '../../core/controller.ts'
import { type Field, filledIn, type Form } from '../../core/form.ts'
import { close, closeAll, open, replace } from '../../core/overlays.ts'
import { agentAtHand, agentOf, selectedTask, taskOf, worktreeAtHand, worktreeOf } from '../../core/selection.ts'
import { changingView, type ConsoleState } from '../../core/state.ts'
import { selectWorktree } from '../../panes/movement.ts'

// Runs a command after it was selected.

/** The text of an answer with several lines. */
export interface AnswerOverlay {
  readonly kind: 'answer'
  readonly title: SafeText
  readonly lines: readonly SafeText[]
  readonly top: number
}

/** Replaces the palette. A command without words needs no form. */
export const chooseCommand = (controller: Controller, command: ConsoleCommand, values?: CommandValues): void =>
  controller.change((state) =>
    replace({
      kind: 'form',
      form: commandForm(
        { ...state, view: { ...state.view, overlay: state.view.overlay?.behind ?? null } },
        controller.connection.core.kinds,
        command,
        submitCommand,
        values,
      ),
    })(state),
  )

/** Enter: what the schema refuses stands under its field; what takes something away is asked about first. */
const submitCommand: Form['submit'] = (controller, _, form) => {
  if (!form.command || form.command.running) return
  const { command } = form.command
  const values = filledIn(form)
  const wrong = Object.entries(command.refusals(values))
  if (wrong.length > 0) {
    const at = form.fields.findIndex(({ key }) => wrong.some(([word]) => word === key))
    controller.change(inCommand({ wrong: wrong.length }, at === -1 ? form.at : at))
    return controller.tell(whatIsWrong(form, new Map(wrong)), 'refused')
  }
  const instead = ownWays[command.path]
  if (instead) {
    controller.keep(withCommand({ path: command.path, values }))
    return instead(controller, values)
  }
  if (command.destroys(values))
    return controller.change((state) => replace(asked(commandQuestion(state, command, values)))(state))
  controller.change(inCommand({ running: true }))
  runCommand(controller, command, values)
}

/** One sentence: the error of the whole, otherwise of the first field, with the names of the others. */
const whatIsWrong = ({ fields }: Form, wrong: ReadonlyMap<string, string>): string => {
  const [first, ...others] = fields.filter(({ key }) => wrong.has(key))
  return (
    wrong.get('') ??
    (first
      ? paletteText.wrong(
          first.label,
          wrong.get(first.key)!,
          others.map(({ label }) => label),
        )
      : [...wrong.values()].join(' '))
  )
}

/** Does it; the form stays until it is done, and where it is refused. */
const runCommand = (controller: Controller, command: ConsoleCommand, values: CommandValues): void => {
  controller.keep(withCommand({ path: command.path, values }))
  void command
    .run(values)
    .then(
      (text) => {
        const { overlay } = controller.state().view
        const waiting = overlay?.kind === 'form' && overlay.form.command?.running === true
        if (waiting) controller.change(close)
        const lines = safeLines(text.trimEnd())
        const first = unmarked(lines[0] ?? '')
        if (lines.length <= 1) return controller.tell(first === '' ? paletteText.isDone(command.path) : first, 'done')
        // Nothing opens once the person has moved on to another view.
        if (waiting) controller.change(open({ kind: 'answer', title: ours(command.path), lines, top: 0 }))
        else controller.tell(paletteText.answered(command.path, first), 'done')
      },
      (error: unknown) => {
        controller.change(inCommand({ running: false }))
        controller.tell(sentenceOf(error), asRefusal(error) ? 'refused' : 'bug')
      },
    )
    .finally(controller.refresh)
}

/** A receipt has its own mark here, and some commands print one as well. */
const unmarked = (line: string): string => line.replace(/^✓ /, '')

const commandQuestion = (state: ConsoleState, command: ConsoleCommand, values: CommandValues): Question => {
  const known =
    command.path === 'task cancel' && taskOf(state, Number(values['id']))
      ? cancelQuestion(state, Number(values['id'])).lines
      : command.path === 'agent terminate' && agentOf(state, values['id']!)
        ? terminateQuestion(state, values['id']!).lines
        : [`${command.summary}.`]
  return {
    lines: [...known, paletteText.runs(shellLine(command.line(values)))],
    carryOut: (controller) => runCommand(controller, command, values),
  }
}

const inCommand = (change: Partial<NonNullable<Form['command']>>, at?: number) =>
  changingView(({ overlay }) =>
    overlay?.kind === 'form' && overlay.form.command
      ? {
          overlay: {
            ...overlay,
            form: { ...overlay.form, at: at ?? overlay.form.at, command: { ...overlay.form.command, ...change } },
          },
        }
      : {},
  )

/** Commands for which the console shows more than one line before it asks. */
const ownWays: Readonly<Record<string, (controller: Controller, values: CommandValues) => void>> = {
  'worktree approve': (controller, { name = '' }) => {
    // As in a shell, an integration that was not requested is not requested here.
    const status = worktreeOf(controller.state(), name)?.integration?.status
    const why =
      worktreeOf(controller.state(), name) && !(status && isUnderWay(status)) ? whyNotApprove(name, status) : undefined
    if (why !== undefined) return controller.tell(why, 'refused')
    onWorktree(controller, name, () => integrate(controller))
  },
  'worktree discard': (controller, { name = '', reason = '' }) =>
    onWorktree(controller, name, () => {
      const form = discardForm(name)
      controller.change(
        open({ kind: 'form', form: { ...form, fields: form.fields.map((field) => ({ ...field, value: reason })) } }),
      )
    }),
  'worktree trust': (controller, { host }) => {
    controller.change(closeAll)
    const changed = controller
      .state()
      .board.attention.find((item) => item.kind === 'configuration' && (host === undefined || item.host === host))
    if (changed) openItem(controller, changed)
    else controller.tell(guardText.unchanged, 'refused')
  },
  'request answer': (controller, { id = '', words }) => {
    const request = controller.state().board.requests.find((one) => one.id === Number(id))
    if (!request) return controller.tell(paletteText.noRequest(id), 'refused')
    controller.change(replace({ kind: 'request', request: request.id, top: 0 }))
    if (words === undefined || request.kind !== 'question') return
    const form = answerForm(request)
    controller.change(
      open({
        kind: 'form',
        form: {
          ...form,
          fields: form.fields.map((field) => (field.key === 'words' ? { ...field, value: words } : field)),
        },
      }),
    )
  },
}

const onWorktree = (controller: Controller, name: string, next: () => void): void => {
  if (!worktreeOf(controller.state(), name)) return controller.tell(paletteText.noWorktree(name), 'refused')
  controller.change(closeAll)
  controller.change(selectWorktree(name))
  next()
}

/** The form of a command: a field a word, filled in with what is selected, or as it was filled in before. `kinds`: those of agents. */
const commandForm = (
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
