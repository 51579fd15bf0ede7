import { parseFilter } from '../../domain/task-filter.ts'
import type { Desk } from '../desk.ts'
import type { Form } from '../forms.ts'
import { withFilter, withoutFilter } from '../kept.ts'
import { close, closeAll, open } from '../overlays.ts'
import { type ConsoleState, looking } from '../state.ts'
import { typeFilter } from './state.ts'
import { commonText } from '../../text/common.ts'
import { filterText } from '../../text/filter.ts'

// What the keys of the filter do.

/** Enter: a filter that means nothing is not kept. */
export const keepFilter = (desk: Desk): void => {
  const { overlay } = desk.state().view
  if (overlay?.kind !== 'filter') return
  const { problem } = parseFilter(overlay.text)
  // The sentence stands in the line already.
  if (problem === null) desk.change(close)
}

export const whyNotSave = (state: ConsoleState): string | undefined => {
  const { overlay } = state.view
  if (overlay?.kind !== 'filter') return undefined
  return overlay.text.trim() === '' ? commonText.nothingToSave : (parseFilter(overlay.text).problem ?? undefined)
}

/** Asks for the name under which the filter is saved. */
export const saveFilter = (desk: Desk): void => {
  const { overlay } = desk.state().view
  if (overlay?.kind !== 'filter') return
  const form: Form = {
    kind: 'filter',
    title: filterText.save(overlay.text.trim()),
    worktree: '',
    at: 0,
    fields: [{ key: 'name', label: filterText.name, value: '', hint: filterText.nameHint }],
  }
  desk.change(open({ kind: 'form', form }))
}

/** The form's enter. */
export const saveUnder = (desk: Desk, name: string): void => {
  if (name === '') return desk.tell(filterText.needsName, 'refused')
  const behind = desk.state().view.overlay?.behind
  if (behind?.kind !== 'filter') return desk.change(closeAll)
  desk.keep(withFilter({ name, filter: behind.text.trim() }))
  desk.change(closeAll)
  desk.tell(filterText.isSaved(name), 'done')
}

export const whyNotSaved = (state: ConsoleState): string | undefined => (state.kept.filters.length === 0 ? filterText.noneSaved : undefined)

export const openSaved = (desk: Desk): void => desk.change(open({ kind: 'filters', at: 0, top: 0 }))

/** Enter in the list: its filter takes the place of what was typed. */
export const takeSaved = (desk: Desk): void => {
  const chosen = chosenIn(desk.state())
  desk.change(close)
  if (chosen) desk.change(typeFilter(chosen.filter))
  keepFilter(desk)
}

export const forgetSaved = (desk: Desk): void => {
  const chosen = chosenIn(desk.state())
  if (!chosen) return
  desk.keep(withoutFilter(chosen.name))
  desk.change(looking(({ overlay }, { kept }) => (overlay?.kind === 'filters' && kept.filters.length === 0 ? { overlay: overlay.behind ?? null } : {})))
  desk.tell(filterText.isForgotten(chosen.name, chosen.filter), 'done')
}

const chosenIn = ({ view, kept }: ConsoleState) => (view.overlay?.kind === 'filters' ? kept.filters[Math.min(view.overlay.at, kept.filters.length - 1)] : undefined)
