import { formLines } from '../../../../components/lines/form.ts'
import { modeText } from '../../../text/keys.ts'
import { close, heightIn, stayingIn } from '../../core/overlays.ts'
import { by, type DrawnView, type Step } from '../../core/registry.ts'
import type { Controller } from '../../core/controller.ts'
import { type Form, type FormValues, submit } from '../../core/form.ts'
import { formTakes, pageQuestion, readQuestion, wordsOf } from './lines.ts'
import {
  choose,
  copyLine,
  draftIn,
  editText,
  keepingDraft,
  nextField,
  takeNext,
  toField,
  typeInField,
  whyNoEditor,
  whyNotCopy,
} from './form.ts'
import { changingView } from '../../core/state.ts'
import { breakLine } from '../../keys/typing.ts'
import { startFormFeed } from './feed.ts'

/** A form to fill in before an action. */
export interface FormOverlay {
  readonly kind: 'form'
  readonly form: Form
}

export interface FormContents {
  /** The values of a new task that was not created yet. */
  readonly draft: FormValues | null
}

const submitForm = (controller: Controller): void => {
  const { overlay } = controller.state().view
  if (overlay?.kind === 'form') submit(controller, overlay.form)
}

const selectField: Step<FormOverlay, [line: number]> = (state, overlay, line) => {
  const { columns } = state.view.size
  const { asked, rows } = formLines(wordsOf(state, overlay.form, columns), columns, heightIn(state, overlay) - 2)
  const found = rows[line - asked.length]?.index
  return found === undefined
    ? state
    : changingView(() => ({ overlay: { ...overlay, form: toField(overlay.form, found) } }))(state)
}

// prettier-ignore
export const form: DrawnView<FormOverlay, FormContents> = {
  kind: 'form',
  title: modeText.form,
  manner: 'typing',
  keys: [
    { id: 'submit', keys: ['enter'], shown: 'enter', acts: true, footer: true, press: submitForm },
    { id: 'next-field', keys: ['tab', 'down'], shown: 'tab ↓', footer: true, press: by(nextField(1)) },
    { id: 'previous-field', keys: ['shift-tab', 'up'], shown: 'shift-tab ↑', press: by(nextField(-1)) },
    { id: 'next-option', keys: ['right'], shown: '→', footer: true, press: takeNext },
    { id: 'previous-option', keys: ['left'], shown: '←', press: by(choose(-1)) },
    { id: 'read-on', keys: ['page-down'], shown: 'pgdn', press: by(pageQuestion(1)) },
    { id: 'read-back', keys: ['page-up'], shown: 'pgup', press: by(pageQuestion(-1)) },
    { id: 'open-text', keys: ['ctrl-e'], shown: 'ctrl-e', blocked: whyNoEditor, press: editText },
    { id: 'break-line', keys: ['ctrl-n'], shown: 'ctrl-n', press: by(breakLine) },
    { id: 'copy-line', keys: ['ctrl-y'], shown: 'ctrl-y', blocked: whyNotCopy, press: copyLine },
  ],
  also: ['leader'],
  empty: { draft: null },
  feed: startFormFeed,
  back: (state, { form }) => (draftIn(form) ? close(keepingDraft(form)(state)) : undefined),
  drawn: true,
  lines: ({ form }, columns, state) => formTakes(state, form, columns),
  notice: (overlay, body, from) => (stayingIn(from, overlay) ? 1 : body < 10 ? 2 : 3),
  words: (state, { form }, line, height) => {
    const { columns } = state.view.size
    const { asked, rows, line: typed, hints } = formLines(wordsOf(state, form, columns), columns, height - 2)
    const text = hints[line - 1 - asked.length - rows.length - typed.length]
    return text === undefined ? undefined : { text, from: 2 }
  },
  takesLines: ({ form }) => form.fields[form.at]?.lines === true,
  edit: (_, overlay, edit) => ({
    overlay: { ...overlay, form: typeInField(overlay.form, edit) },
  }),
  click: selectField,
  wheel: (state, _, lines) => readQuestion(lines)(state),
  // True if its first enter would answer an agent, or reject an integration.
  asks: ({ form }) => form.kind === 'answer' || form.kind === 'reject',
}
