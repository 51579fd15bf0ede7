import type { Controller } from '../../core/controller.ts'
import { close, open, replace } from '../../core/overlays.ts'
import { agentOf, selectedAgent, selectedTask } from '../../core/selection.ts'
import type { ConsoleState } from '../../core/state.ts'
import { rowsOf } from './lists.ts'
import { listIn, memoryOverlay, type MemoryRow } from './state.ts'
import { memoryRefusals } from '../../../text/memory.ts'

// Key handlers of the memory pane, and the reasons why they are unavailable.

export const openMemory = (controller: Controller): void => controller.change(open(memoryOverlay()))

/** The task whose trail `t` would open: the selected one, or that of the selected agent. */
const trailTask = (state: ConsoleState): number | null => {
  if (state.view.about === 'board') return state.view.task
  return state.view.about === 'agents' ? (selectedAgent(state)?.taskId ?? null) : null
}

export const whyNotTrail = (state: ConsoleState): string | undefined => {
  const { about, agent } = state.view
  if (about === 'worktrees') return memoryRefusals.trailOfWorktree
  if (about === 'agents') {
    if (!agentOf(state, agent)) return memoryRefusals.trailOfNoAgent
    return trailTask(state) === null ? memoryRefusals.agentWithoutTask(agent) : undefined
  }
  const task = selectedTask(state)
  if (!task) return memoryRefusals.trailOfNoTask
  return task.attempt === 0 ? memoryRefusals.noAttempt(task.id) : undefined
}

export const openTrail = (controller: Controller): void =>
  controller.change(open({ kind: 'record', record: { of: 'trail', taskId: trailTask(controller.state())! }, top: 0 }))

const selectedRow = (state: ConsoleState): MemoryRow | undefined => {
  const { overlay } = state.view
  if (overlay?.kind !== 'memory') return undefined
  const list = listIn(overlay)
  const rows = rowsOf(state, list)
  return rows && rows.total > 0 ? rows.row(Math.min(overlay.places[list].at, rows.total - 1)) : undefined
}

export const whyNotRecord = (state: ConsoleState): string | undefined =>
  selectedRow(state)?.opens ? undefined : memoryRefusals.nothingToOpen

export const openRecord = (controller: Controller): void =>
  controller.change(open({ kind: 'record', record: selectedRow(controller.state())!.opens!, top: 0 }))

export const typeSearch = (controller: Controller): void => {
  const { overlay } = controller.state().view
  if (overlay?.kind === 'memory') controller.change(open({ kind: 'memory-search', text: overlay.words }))
}

/** The longest search (characters); a paste may have any length. */
const LONGEST = 500

/** Enter after the typed words: the results replace the tabs. */
export const search = (controller: Controller): void => {
  const { overlay } = controller.state().view
  if (overlay?.kind !== 'memory-search') return
  const words = overlay.text.trim().slice(0, LONGEST)
  controller.change(close)
  const memory = controller.state().view.overlay
  if (memory?.kind !== 'memory' || words === memory.words) return
  controller.change((state) => ({ ...state, memory: { ...state.memory, found: null } }))
  controller.change(replace({ ...memory, words, places: { ...memory.places, found: { key: null, at: 0, top: 0 } } }))
}
