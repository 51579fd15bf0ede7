import type { Controller } from '../../core/controller.ts'
import { type Field, type Form, nameIn } from '../../core/form.ts'
import { changingView, type ConsoleState } from '../../core/state.ts'
import { takesLines } from '../../keys/typing.ts'
import { changeField, choose } from './fields.ts'
import { formText } from '../../../text/forms.ts'

/** Takes the first offer of a text, or the next option of a choice. */
export const takeNext = (controller: Controller): void =>
  controller.change((state) => {
    const { overlay } = state.view
    if (overlay?.kind !== 'form' || overlay.form.fields[overlay.form.at]?.options) return choose(1)(state)
    return changingView(() => ({ overlay: { ...overlay, form: changeField(overlay.form, completed) } }))(state)
  })

const completed = (field: Field): Field => {
  if (field.value === '') return { ...field, value: field.last ?? '' }
  const [first] = field.offers ?? []
  const word = nameIn(field.value)
  if (first === undefined || word === '') return field
  return { ...field, value: `${field.value.slice(0, field.value.lastIndexOf(word))}${first.id}, `, offers: [] }
}

export const whyNoEditor = (state: ConsoleState): string | undefined =>
  takesLines(state) ? undefined : formText.notLines

/** Opens the person's editor on the active text, which it replaces. */
export const editText = (controller: Controller): void => {
  const { overlay } = controller.state().view
  if (overlay?.kind !== 'form') return
  const { key, value } = overlay.form.fields[overlay.form.at]!
  controller.editText(value, (text) =>
    controller.change(
      changingView(({ overlay: now }) =>
        now?.kind === 'form' ? { overlay: { ...now, form: withValue(now.form, key, text) } } : {},
      ),
    ),
  )
}

const withValue = (form: Form, key: string, value: string): Form => ({
  ...form,
  fields: form.fields.map((field) => (field.key === key ? { ...field, value } : field)),
})
