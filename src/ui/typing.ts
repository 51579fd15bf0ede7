import { graphemesOf } from '../../components/fit.ts'
import { typeFilter } from './filter/state.ts'
import type { Form } from './forms.ts'
import { pastOf } from './palette/rows.ts'
import { looking, type Overlay, type Transition } from './state.ts'

// Text that is typed into the filter, the palette or a field of a form.

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

/** To the next or previous field. */
export const nextField = (by: 1 | -1): Transition => inForm((form) => ({ ...form, at: (form.at + by + form.fields.length) % Math.max(1, form.fields.length) }))

/** To the next or previous option of a choice. */
export const choose = (by: 1 | -1): Transition => inForm((form) => inField(form, (value, options) => (options ? neighbour(options, value, by) : value)))

/** Where nothing is chosen yet, the first or the last. */
const neighbour = (options: readonly string[], value: string, by: 1 | -1): string => {
  const at = options.indexOf(value)
  return (at === -1 ? options.at(by === 1 ? 0 : -1) : options[(at + by + options.length) % options.length]) ?? value
}

/** To the next or previous command of the palette; before the first stand the lines of earlier times. */
export const pick = (by: 1 | -1): Transition =>
  looking(({ overlay }, state) => (overlay?.kind === 'palette' ? { overlay: { ...overlay, at: Math.max(-pastOf(state).length, overlay.at + by) } } : {}))

function editing(edit: (before: string) => string): Transition {
  return looking(({ overlay }, state) => {
    if (!overlay) return {}
    if (overlay.kind === 'filter') return typeFilter(edit(overlay.text))(state).view
    if (overlay.kind === 'search' || overlay.kind === 'memory-search' || overlay.kind === 'help-search' || overlay.kind === 'log-search')
      return { overlay: { ...overlay, text: edit(overlay.text) } }
    if (overlay.kind === 'palette') return { overlay: { ...overlay, text: edit(overlay.text), at: 0 } }
    if (overlay.kind !== 'form') return {}
    return {
      overlay: withForm(
        overlay,
        inField(overlay.form, (value, options) => (options ? (startingWith(options, edit('')) ?? value) : edit(value))),
      ),
    }
  })
}

function inForm(change: (form: Form) => Form): Transition {
  return looking(({ overlay }) => (overlay?.kind === 'form' ? { overlay: withForm(overlay, change(overlay.form)) } : {}))
}

const withForm = (overlay: Overlay & { kind: 'form' }, form: Form): Overlay => ({ ...overlay, form })

const inField = (form: Form, change: (value: string, options?: readonly string[]) => string): Form => ({
  ...form,
  fields: form.fields.map((field, index) => (index === form.at ? { ...field, value: change(field.value, field.options) } : field)),
})

/** A letter chooses the first option that begins with it. */
const startingWith = (options: readonly string[], letter: string): string | undefined =>
  letter === '' ? undefined : options.find((option) => option.replace('(', '').toLowerCase().startsWith(letter.toLowerCase()))
