import { parseFilter } from '../../../domain/task/filter-parser.ts'
import type { Controller } from '../../core/controller.ts'
import type { Form } from '../../core/form.ts'
import { withFilter, withoutFilter } from '../../core/console-memory.ts'
import { close, closeAll, open } from '../../core/overlays.ts'
import { type ConsoleState, changingView } from '../../core/state.ts'
import { typeFilter } from './state.ts'
import { commonText } from '../../../text/common.ts'
import { filterText } from '../../../text/tasks.ts'

// Key handlers of the filter.

/** Enter: an invalid filter is not applied. */
export const keepFilter = (controller: Controller): void => {
  const { overlay } = controller.state().view
  if (overlay?.kind !== 'filter') return
  const { problem } = parseFilter(overlay.text)
  // The line already shows the error.
  if (problem === null) controller.change(close)
}

export const whyNotSave = (state: ConsoleState): string | undefined => {
  const { overlay } = state.view
  if (overlay?.kind !== 'filter') return undefined
  return overlay.text.trim() === '' ? commonText.nothingToSave : (parseFilter(overlay.text).problem ?? undefined)
}

/** Asks for the name under which the filter is saved. */
export const saveFilter = (controller: Controller): void => {
  const { overlay } = controller.state().view
  if (overlay?.kind !== 'filter') return
  const form: Form = {
    kind: 'filter',
    title: filterText.save(overlay.text.trim()),
    at: 0,
    fields: [{ key: 'name', label: filterText.name, value: '', hint: filterText.nameHint }],
    submit: (by, { name = '' }) => saveUnder(by, name),
  }
  controller.change(open({ kind: 'form', form }))
}

const saveUnder = (controller: Controller, name: string): void => {
  if (name === '') return controller.tell(filterText.needsName, 'refused')
  const behind = controller.state().view.overlay?.behind
  if (behind?.kind !== 'filter') return controller.change(closeAll)
  controller.keep(withFilter({ name, filter: behind.text.trim() }))
  controller.change(closeAll)
  controller.tell(filterText.isSaved(name), 'done')
}

export const whyNotSaved = (state: ConsoleState): string | undefined =>
  state.kept.filters.length === 0 ? filterText.noneSaved : undefined

export const openSaved = (controller: Controller): void => controller.change(open({ kind: 'filters', at: 0, top: 0 }))

/** Enter in the list: its filter replaces the typed text. */
export const takeSaved = (controller: Controller): void => {
  const chosen = chosenIn(controller.state())
  controller.change(close)
  if (chosen) controller.change(typeFilter(chosen.filter))
  keepFilter(controller)
}

export const forgetSaved = (controller: Controller): void => {
  const chosen = chosenIn(controller.state())
  if (!chosen) return
  controller.keep(withoutFilter(chosen.name))
  controller.change(
    changingView(({ overlay }, { kept }) =>
      overlay?.kind === 'filters' && kept.filters.length === 0 ? { overlay: overlay.behind ?? null } : {},
    ),
  )
  controller.tell(filterText.isForgotten(chosen.name, chosen.filter), 'done')
}

const chosenIn = ({ view, kept }: ConsoleState) =>
  view.overlay?.kind === 'filters' ? kept.filters[Math.min(view.overlay.at, kept.filters.length - 1)] : undefined
