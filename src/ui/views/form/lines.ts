import type { FormProps } from '../../../../components/Form.tsx'
import { widthOf } from '../../../../components/base/fit.ts'
import { formHeight, formLines } from '../../../../components/lines/form.ts'
import { ours, safeText, type SafeText, spelledOut } from '../../../domain/words/safe-text.ts'
import { answerForm, formHints, formText } from '../../../text/forms.ts'
import { type Field, filledIn, type Form, shellLineOf } from '../../core/form.ts'
import { layoutOf } from '../../core/layout.ts'
import { changingView, type ConsoleState, type Transition } from '../../core/state.ts'
import { keyed, shownKey } from '../../keys/bindings.ts'
import { optionsLeft } from './form.ts'

/** The state that drawing a form needs in addition to the form. */
type FormTable = Pick<ConsoleState, 'preferences' | 'table'>

/** A form as it is drawn, and as its lines are counted. */
export const wordsOf = (state: FormTable, form: Form, columns: number): Omit<FormProps, 'width' | 'height'> => {
  const wrong = form.command?.wrong ? form.command.command.refusals(filledIn(form)) : {}
  return {
    ...titleOf(form, columns),
    from: form.question?.from ?? 0,
    readsOn: ours(shownKey(state, 'read-on')),
    fields: form.fields.map((field, index) => ({
      label: ours(field.label),
      value: ours(spelledOut(field.value).join(' ')),
      ...(field.lines ? { lines: spelledOut(field.value) } : {}),
      choice: field.options !== undefined,
      // Words of a command are not our catalogue's: no key is named in them.
      hint: form.command ? safeText(field.hint) : hintFor(state, field, index === form.at),
      wrong: wrong[field.key] === undefined ? null : safeText(wrong[field.key]!),
    })),
    at: form.at,
    line: form.command ? ours(spelledOut(shellLineOf(form) ?? '').join(' ')) : null,
    hint: hintBelow(state, form),
  }
}

/** Names and options are by others, so no key is named in them. */
const hintFor = (state: FormTable, field: Field, active: boolean): SafeText => {
  const { offers = [], options = [], sought = '', last, value, lines, heard = '' } = field
  if (active && offers.length > 0) {
    const names = offers.map(({ id, title }) => safeText(`${id} ${title}`))
    return ours(`${shownKey(state, 'next-option')} ${formText.offers(names)}`)
  }
  if (active && options.length > 2 && field.hint === '')
    return ours(
      [formText.options(optionsLeft(options, sought).slice(0, MOST_OPTIONS).map(safeText)), heard]
        .filter((words) => words !== '')
        .join('; '),
    )
  const hint = lines ? formText.linesHint(field.hint) : field.hint
  if (active && value === '' && last !== undefined)
    return ours(`${shownKey(state, 'next-option')} ${formText.last(safeText(last), keyed(state, hint))}`)
  return ours(keyed(state, active ? hint : field.hint) + heard)
}

/** Options that are listed beside a choice. */
const MOST_OPTIONS = 12

/** Lines that a form takes, including its border. */
export const formTakes = (state: FormTable, form: Form, columns: number): number =>
  formHeight(wordsOf(state, form, columns), columns) + 2

/** A question that does not fit in the title is above the fields. */
const titleOf = ({ title, question }: Form, columns: number): Pick<FormProps, 'title' | 'question'> => {
  const whole = spelledOut(title)
  const fits = whole.length === 1 && widthOf(whole[0]!) <= columns - AROUND_TITLE
  return question === undefined || fits
    ? { title: ours(whole.join(' ')), question: [] }
    : { title: ours(answerForm.label), question: spelledOut(question.text) }
}

/** Columns of a title line that the border takes. */
const AROUND_TITLE = 6

/** The keys of a form, below it. */
const hintBelow = (state: FormTable, form: Form): SafeText => {
  if (form.command?.running) return ours(formHints.running)
  const hint = form.command ? formHints.command : form.fields.length > 1 ? formHints.several : formHints.one
  // The keys that submit a form in the strict mode.
  return ours(keyed(state, state.preferences.strict ? hint.replace('{submit}', '{leader} {submit}') : hint))
}

/** Scrolls a long question. */
export const readQuestion =
  (by: number): Transition =>
  (state) => {
    const { overlay, size, pane } = state.view
    if (overlay?.kind !== 'form' || !overlay.form.question) return state
    const { form } = overlay
    const { body } = layoutOf(size.columns, size.rows, pane)
    const words = wordsOf(state, form, size.columns)
    // A notice may appear and take lines; the last line must still be reachable.
    const { asked, askedFrom, askedOf } = formLines(
      words,
      size.columns,
      Math.max(1, Math.min(body - NOTICE, formTakes(state, form, size.columns)) - 2),
    )
    const from = Math.max(0, Math.min(askedOf - asked.length, askedFrom + by))
    return changingView(() => ({ overlay: { ...overlay, form: { ...form, question: { ...form.question!, from } } } }))(
      state,
    )
  }

/** Scrolls a page, with one line of overlap. */
export const pageQuestion =
  (direction: 1 | -1): Transition =>
  (state) => {
    const { size, pane } = state.view
    return readQuestion(
      direction * Math.max(1, Math.floor((layoutOf(size.columns, size.rows, pane).body - 2) / 2) - 1),
    )(state)
  }

/** Additional lines of a long notice. */
const NOTICE = 2
