import { asRefusal } from '../../../domain/rules/system-error.ts'
import { ours, safeLines, type SafeText } from '../../../domain/words/safe-text.ts'
import { shellLine } from '../../../domain/words/shell-words.ts'
import type { CommandValues, ConsoleCommand } from '../../../contracts/console.ts'
import { type Controller, sentenceOf } from '../../core/controller.ts'
import { cancelQuestion, terminateQuestion } from '../../actions/cancel.ts'
import { asked, type Question } from '../../actions/answers.ts'
import { filledIn, type Form } from '../../core/form.ts'
import { withCommand } from '../../core/console-memory.ts'
import { close, open, replace } from '../../core/overlays.ts'
import { agentOf, taskOf } from '../../core/selection.ts'
import { type ConsoleState, changingView } from '../../core/state.ts'
import { commandForm } from './command-form.ts'
import { ownWays } from './own-ways.ts'
import { paletteText } from '../../../text/palette.ts'

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
