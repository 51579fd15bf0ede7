import { graphemesOf } from '../../../components/base/fit.ts'
import { viewOf } from '../core/front.ts'
import type { Form } from '../core/form.ts'
import { changingView, type Overlay, type Transition } from '../core/state.ts'

// Types text into the front view, and into the fields of a form.

/** Adds a letter, or a whole paste, whose line breaks become spaces. */
export const type = (text: string): Transition => editing((before) => before + text.replace(/[\r\n\t]+/g, ' '))

export const rubOut: Transition = (state) =>
  editing((before) =>
    [...graphemesOf(before)]
      .slice(0, -1)
      .map(({ segment }) => segment)
      .join(''),
  )(state)

export const rubOutWord: Transition = (state) => editing((before) => before.replace(/\S*\s*$/, ''))(state)

export const rubOutAll: Transition = (state) => editing(() => '')(state)

/** Moves to the next or previous field. */
export const nextField = (by: 1 | -1): Transition =>
  inForm((form) => ({ ...form, at: (form.at + by + form.fields.length) % Math.max(1, form.fields.length) }))

/** Selects the next or previous option of a choice. */
export const choose = (by: 1 | -1): Transition =>
  inForm((form) => inField(form, (value, options) => (options ? neighbour(options, value, by) : value)))

/** Without a selection, the first or the last. */
const neighbour = (options: readonly string[], value: string, by: 1 | -1): string => {
  const at = options.indexOf(value)
  return (at === -1 ? options.at(by === 1 ? 0 : -1) : options[(at + by + options.length) % options.length]) ?? value
}

function editing(edit: (before: string) => string): Transition {
  return changingView(({ overlay }, state) =>
    overlay ? (viewOf(state, overlay).edit?.(state, overlay, edit) ?? {}) : {},
  )
}

function inForm(change: (form: Form) => Form): Transition {
  return changingView(({ overlay }) =>
    overlay?.kind === 'form' ? { overlay: withForm(overlay, change(overlay.form)) } : {},
  )
}

const withForm = (overlay: Overlay & { kind: 'form' }, form: Form): Overlay => ({ ...overlay, form })

export const inField = (form: Form, change: (value: string, options?: readonly string[]) => string): Form => ({
  ...form,
  fields: form.fields.map((field, index) =>
    index === form.at ? { ...field, value: change(field.value, field.options) } : field,
  ),
})

/** A letter selects the first option that begins with it. */
export const startingWith = (options: readonly string[], letter: string): string | undefined =>
  letter === ''
    ? undefined
    : options.find((option) => option.replace('(', '').toLowerCase().startsWith(letter.toLowerCase()))
