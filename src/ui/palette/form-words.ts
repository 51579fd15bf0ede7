import { ours, safeText, spelledOut } from '../../domain/safe-text.ts'
import type { SafeText } from '../../domain/safe-text.ts'
import { widthOf } from '../../../components/fit.ts'
import type { FormProps } from '../../../components/Form.tsx'
import { formHeight, formLines } from '../../../components/form-lines.ts'
import type { Form } from '../forms.ts'
import { keyed, shownKey } from '../key-names.ts'
import { layoutOf } from '../layout.ts'
import { type ConsoleState, looking, type Transition } from '../state.ts'
import { commandOf, shownLine, valuesOf } from './command-form.ts'
import { answerForm } from '../../text/forms.ts'
import { formHints } from '../../text/palette.ts'

/** What a form is made of beside itself. */
export type FormTable = Pick<ConsoleState, 'commands' | 'comfort'>

/** A form as it is drawn, and as its lines are counted. */
export const wordsOf = (state: FormTable, form: Form, columns: number): Omit<FormProps, 'width' | 'height'> => {
  const command = commandOf(state, form)
  const wrong = command && form.command?.wrong ? command.refusals(valuesOf(form)) : {}
  return {
    ...titleOf(form, columns),
    from: form.question?.from ?? 0,
    readsOn: ours(shownKey(state, 'read-on')),
    fields: form.fields.map((field) => ({
      label: ours(field.label),
      value: ours(spelledOut(field.value).join(' ')),
      choice: field.options !== undefined,
      // Words of a command are not ours: no key is named in them.
      hint: form.command ? safeText(field.hint) : ours(keyed(state, field.hint) + (field.heard ?? '')),
      wrong: wrong[field.key] === undefined ? null : safeText(wrong[field.key]!),
    })),
    at: form.at,
    line: form.command ? shownLine(state.commands, form) : null,
    hint: hintBelow(state, form),
  }
}

/** Lines that a form takes, with its border. */
export const formTakes = (state: FormTable, form: Form, columns: number): number => formHeight(wordsOf(state, form, columns), columns) + 2

/** A question that the title has no room for stands above the fields. */
const titleOf = ({ title, question }: Form, columns: number): Pick<FormProps, 'title' | 'question'> => {
  const whole = spelledOut(title)
  const fits = whole.length === 1 && widthOf(whole[0]!) <= columns - AROUND_TITLE
  return question === undefined || fits ? { title: ours(whole.join(' ')), question: [] } : { title: ours(answerForm.label), question: spelledOut(question.text) }
}

/** Columns of a title line that the border takes. */
const AROUND_TITLE = 6

/** The keys of a form, as they stand below it. */
const hintBelow = (state: FormTable, form: Form): SafeText => {
  if (form.command?.running) return ours(formHints.running)
  const hint = form.command ? formHints.command : form.fields.length > 1 ? formHints.several : formHints.one
  // What sends a form off in the strict mode.
  return ours(keyed(state, state.comfort.strict ? hint.replace('{submit}', '{leader} {submit}') : hint))
}

/** Reads on in a long question, or back. */
export const readQuestion =
  (by: number): Transition =>
  (state) => {
    const { overlay, size, pane } = state.view
    if (overlay?.kind !== 'form' || !overlay.form.question) return state
    const { form } = overlay
    const { body } = layoutOf(size.columns, size.rows, pane)
    const words = wordsOf(state, form, size.columns)
    // A notice may come and take its lines; the last line is reached all the same.
    const { asked, askedFrom, askedOf } = formLines(words, size.columns, Math.max(1, Math.min(body - NOTICE, formTakes(state, form, size.columns)) - 2))
    const from = Math.max(0, Math.min(askedOf - asked.length, askedFrom + by))
    return looking(() => ({ overlay: { ...overlay, form: { ...form, question: { ...form.question!, from } } } }))(state)
  }

/** A page of it, with a line that was seen before. */
export const pageQuestion =
  (direction: 1 | -1): Transition =>
  (state) => {
    const { size, pane } = state.view
    return readQuestion(direction * Math.max(1, Math.floor((layoutOf(size.columns, size.rows, pane).body - 2) / 2) - 1))(state)
  }

/** Lines that a long notice takes besides its own. */
const NOTICE = 2
