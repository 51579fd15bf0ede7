import { formText } from '../../../text/forms.ts'
import { paletteText } from '../../../text/palette.ts'
import type { Controller } from '../../core/controller.ts'
import { type Field, filledIn, type Form, nameIn, shellLineOf } from '../../core/form.ts'
import { noticed } from '../../core/reducers.ts'
import { changingView, type ConsoleState, type Overlay, type Transition } from '../../core/state.ts'
import { keyed } from '../../keys/bindings.ts'
import { takesLines } from '../../keys/typing.ts'

// Moves between the fields of a form, and changes their values.

/** Moves to the next or previous field. */
export const nextField = (by: 1 | -1): Transition =>
  inForm((form) => toField(form, (form.at + by + form.fields.length) % Math.max(1, form.fields.length)))

/** A choice that gets the focus is sought anew. */
export const toField = (form: Form, at: number): Form => ({
  ...form,
  at,
  fields: form.fields.map(({ sought: _, ...field }) => field),
})

/** Selects the next or previous option of a choice. */
export const choose = (by: 1 | -1): Transition =>
  inForm((form) =>
    changeField(form, ({ sought: _, ...field }) =>
      field.options ? { ...field, value: neighbour(field.options, field.value, by) } : field,
    ),
  )

/** Without a selection, the first or the last. */
const neighbour = (options: readonly string[], value: string, by: 1 | -1): string => {
  const at = options.indexOf(value)
  return (at === -1 ? options.at(by === 1 ? 0 : -1) : options[(at + by + options.length) % options.length]) ?? value
}

function inForm(change: (form: Form) => Form): Transition {
  return changingView(({ overlay }) =>
    overlay?.kind === 'form' ? { overlay: withForm(overlay, change(overlay.form)) } : {},
  )
}

const withForm = (overlay: Overlay & { kind: 'form' }, form: Form): Overlay => ({ ...overlay, form })

export const changeField = (form: Form, change: (field: Field) => Field): Form => ({
  ...form,
  fields: form.fields.map((field, index) => (index === form.at ? change(field) : field)),
})

/** Typed text goes into a text; in a choice it selects the option that it begins, or that contains it. */
export const typeInField = (form: Form, edit: (before: string) => string): Form =>
  changeField(form, (field) => {
    if (!field.options) return { ...field, value: edit(field.value) }
    const sought = edit(field.sought ?? '')
    if (sought.length < (field.sought ?? '').length) return { ...field, sought }
    const found = optionFor(field.options, sought)
    if (found !== undefined) return { ...field, value: found, sought }
    // A letter that no longer fits begins another search.
    const letter = sought.slice((field.sought ?? '').length)
    const other = optionFor(field.options, letter)
    return other === undefined ? field : { ...field, value: other, sought: letter }
  })

/** The options that typed letters leave. */
export const optionsLeft = (options: readonly string[], sought: string): readonly string[] => {
  const plain = (option: string): string => option.replace('(', '').toLowerCase()
  const letters = sought.toLowerCase()
  const begun = options.filter((option) => plain(option).startsWith(letters))
  return [...begun, ...options.filter((option) => !begun.includes(option) && plain(option).includes(letters))]
}

const optionFor = (options: readonly string[], sought: string): string | undefined =>
  sought === '' ? undefined : optionsLeft(options, sought)[0]

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

export const whyNotCopy = (state: ConsoleState): string | undefined =>
  lineIn(state) === undefined ? paletteText.nothingToCopy : undefined

/** Copies the line that does the same in a shell. */
export const copyLine = (controller: Controller): void => {
  const line = lineIn(controller.state())
  if (line === undefined) return
  controller.copy(line)
  controller.tell(paletteText.copied(line), 'done')
}

const lineIn = ({ view: { overlay } }: ConsoleState): string | undefined =>
  overlay?.kind === 'form' ? shellLineOf(overlay.form) : undefined

/** True if a person has typed a text into the form of a new task, which a slip of Esc must not lose. */
export const draftIn = (form: Form): boolean =>
  form.kind === 'task' && form.fields.some(({ options, value }) => options === undefined && value.trim() !== '')

export const keepingDraft =
  (form: Form): Transition =>
  (state) => ({ ...noticed(keyed(state, formText.draftKept), 'told')(state), draft: filledIn(form) })
