import { whyNotApprove } from '../../domain/integration.ts'
import { asRefusal } from '../../domain/system-error.ts'
import { ours, safeLines, type SafeText } from '../../domain/safe-text.ts'
import { shellLine } from '../../domain/shell-words.ts'
import type { CommandValues, ConsoleCommand } from '../../operations/kernel/console-command.ts'
import { integrate, isUnderWay } from '../approval.ts'
import { type Desk, sentenceOf } from '../desk.ts'
import { answerForm, type Form, reasonForm } from '../forms.ts'
import { openGuard, whyNotGuard } from '../guard.ts'
import { linesOf } from '../intents.ts'
import { withCommand } from '../kept.ts'
import { selectWorktree } from '../movement.ts'
import { close, closeAll, open, replace } from '../overlays.ts'
import { agentOf, taskOf, worktreeOf } from '../selection.ts'
import { type ConsoleState, looking } from '../state.ts'
import { commandForm, commandOf, lineFor, valuesOf } from './command-form.ts'
import { paletteText } from '../../text/palette.ts'

// What is done with a command once it is chosen.

/** The text of an answer that has more than a line. */
export interface AnswerOverlay {
  readonly kind: 'answer'
  readonly title: SafeText
  readonly lines: readonly SafeText[]
  readonly top: number
}

/** Takes the palette's place. A command without words has nothing to ask. */
export const chooseCommand = (desk: Desk, command: ConsoleCommand, values?: CommandValues): void =>
  desk.change((state) =>
    replace({ kind: 'form', form: commandForm({ ...state, view: { ...state.view, overlay: state.view.overlay?.behind ?? null } }, desk.connection.core.kinds, command, values) })(
      state,
    ),
  )

/** Enter: what the schema refuses stands under its field; what takes something away is asked about first. */
export const submitCommand = (desk: Desk, form: Form): void => {
  const command = commandOf(desk.state(), form)
  if (!command || form.command?.running) return
  const values = valuesOf(form)
  const wrong = Object.entries(command.refusals(values))
  if (wrong.length > 0) {
    const at = form.fields.findIndex(({ key }) => wrong.some(([word]) => word === key))
    desk.change(inCommand({ wrong: wrong.length }, at === -1 ? form.at : at))
    return desk.tell(whatIsWrong(form, new Map(wrong)), 'refused')
  }
  const instead = ownWays[command.path]
  if (instead) {
    desk.keep(withCommand({ path: command.path, values }))
    return instead(desk, values)
  }
  if (command.destroys(values))
    return desk.change((state) =>
      replace({ kind: 'confirm', intent: { kind: 'command', path: command.path, values }, lines: linesOf(state, { kind: 'command', path: command.path, values }) })(state),
    )
  desk.change(inCommand({ running: true }))
  runCommand(desk, command, values)
}

/** In one sentence: of the whole, else of the first field, with the names of the others. */
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
export const runCommand = (desk: Desk, command: ConsoleCommand, values: CommandValues): void => {
  desk.keep(withCommand({ path: command.path, values }))
  void command
    .run(values)
    .then(
      (text) => {
        const { overlay } = desk.state().view
        const waiting = overlay?.kind === 'form' && overlay.form.command?.running === true
        if (waiting) desk.change(close)
        const lines = safeLines(text.trimEnd())
        const first = unmarked(lines[0] ?? '')
        if (lines.length <= 1) return desk.tell(first === '' ? paletteText.isDone(command.path) : first, 'done')
        // Nothing opens before somebody who has gone on to something else.
        if (waiting) desk.change(open({ kind: 'answer', title: ours(command.path), lines, top: 0 }))
        else desk.tell(paletteText.answered(command.path, first), 'done')
      },
      (error: unknown) => {
        desk.change(inCommand({ running: false }))
        desk.tell(sentenceOf(error), asRefusal(error) ? 'refused' : 'bug')
      },
    )
    .finally(desk.refresh)
}

/** A receipt has a mark of its own here; some commands print one as well. */
const unmarked = (line: string): string => line.replace(/^✓ /, '')

export const whyNotCopy = ({ view: { overlay } }: ConsoleState): string | undefined => (overlay?.kind === 'form' && overlay.form.command ? undefined : paletteText.nothingToCopy)

export const copyLine = (desk: Desk): void => {
  const { overlay } = desk.state().view
  const command = overlay?.kind === 'form' ? commandOf(desk.state(), overlay.form) : undefined
  if (overlay?.kind !== 'form' || !command) return
  const line = lineFor(command, overlay.form)
  desk.copy(line)
  desk.tell(paletteText.copied(line), 'done')
}

/** What `y` is about to do. */
export const linesOfCommand = (state: ConsoleState, { path, values }: { readonly path: string; readonly values: CommandValues }): readonly string[] => {
  const command = state.commands.find((one) => one.path === path)
  const known =
    path === 'task cancel' && taskOf(state, Number(values['id']))
      ? linesOf(state, { kind: 'cancel', taskId: Number(values['id']) })
      : path === 'agent terminate' && agentOf(state, values['id']!)
        ? linesOf(state, { kind: 'terminate', agentId: values['id']! })
        : [`${command?.summary ?? path}.`]
  return [...known, paletteText.runs(shellLine(command?.line(values) ?? []))]
}

/** Where the console shows more before it asks than a line could. */
const ownWays: Readonly<Record<string, (desk: Desk, values: CommandValues) => void>> = {
  'worktree approve': (desk, { name = '' }) => {
    // As the line does in a shell: what nobody asked for is not asked for here.
    const status = worktreeOf(desk.state(), name)?.integration?.status
    const why = worktreeOf(desk.state(), name) && !(status && isUnderWay(status)) ? whyNotApprove(name, status) : undefined
    if (why !== undefined) return desk.tell(why, 'refused')
    onWorktree(desk, name, () => integrate(desk))
  },
  'worktree discard': (desk, { name = '', reason = '' }) =>
    onWorktree(desk, name, () => {
      const form = reasonForm('discard', name)
      desk.change(open({ kind: 'form', form: { ...form, fields: form.fields.map((field) => ({ ...field, value: reason })) } }))
    }),
  'worktree trust': (desk) => {
    desk.change(closeAll)
    const why = whyNotGuard(desk.state())
    if (why === undefined) openGuard(desk)
    else desk.tell(why, 'refused')
  },
  'request answer': (desk, { id = '', words }) => {
    const request = desk.state().board.requests.find((one) => one.id === Number(id))
    if (!request) return desk.tell(paletteText.noRequest(id), 'refused')
    desk.change(replace({ kind: 'request', request: request.id, top: 0 }))
    if (words === undefined || request.kind !== 'question') return
    const form = answerForm(request.id, request.subject, request.options)
    desk.change(open({ kind: 'form', form: { ...form, fields: form.fields.map((field) => (field.key === 'words' ? { ...field, value: words } : field)) } }))
  },
}

const onWorktree = (desk: Desk, name: string, next: () => void): void => {
  if (!worktreeOf(desk.state(), name)) return desk.tell(paletteText.noWorktree(name), 'refused')
  desk.change(closeAll)
  desk.change(selectWorktree(name))
  next()
}

const inCommand = (change: Partial<NonNullable<Form['command']>>, at?: number) =>
  looking(({ overlay }) =>
    overlay?.kind === 'form' && overlay.form.command
      ? { overlay: { ...overlay, form: { ...overlay.form, at: at ?? overlay.form.at, command: { ...overlay.form.command, ...change } } } }
      : {},
  )
