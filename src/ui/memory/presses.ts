import type { Desk } from '../desk.ts'
import { close, open, replace } from '../overlays.ts'
import { agentOf, selectedAgent, selectedTask } from '../selection.ts'
import type { ConsoleState } from '../state.ts'
import { rowsOf } from './lists.ts'
import { listIn, memoryOverlay, type MemoryRow } from './state.ts'
import { memoryRefusals } from '../../text/memory.ts'

// What the keys of the memory pane do, and why not.

export const openMemory = (desk: Desk): void => desk.change(open(memoryOverlay()))

/** The task whose trail `t` would open: the selected one, or the one that the selected agent works on. */
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

export const openTrail = (desk: Desk): void => desk.change(open({ kind: 'record', record: { of: 'trail', taskId: trailTask(desk.state())! }, top: 0 }))

const selectedRow = (state: ConsoleState): MemoryRow | undefined => {
  const { overlay } = state.view
  if (overlay?.kind !== 'memory') return undefined
  const list = listIn(overlay)
  const rows = rowsOf(state, list)
  return rows && rows.total > 0 ? rows.row(Math.min(overlay.places[list].at, rows.total - 1)) : undefined
}

export const whyNotRecord = (state: ConsoleState): string | undefined => (selectedRow(state)?.opens ? undefined : memoryRefusals.nothingToOpen)

export const openRecord = (desk: Desk): void => desk.change(open({ kind: 'record', record: selectedRow(desk.state())!.opens!, top: 0 }))

export const typeSearch = (desk: Desk): void => {
  const { overlay } = desk.state().view
  if (overlay?.kind === 'memory') desk.change(open({ kind: 'memory-search', text: overlay.words }))
}

/** Characters that a search can have; a paste may have any number. */
const LONGEST = 500

/** Enter behind what was typed: what is found takes the place of the tabs. */
export const search = (desk: Desk): void => {
  const { overlay } = desk.state().view
  if (overlay?.kind !== 'memory-search') return
  const words = overlay.text.trim().slice(0, LONGEST)
  desk.change(close)
  const memory = desk.state().view.overlay
  if (memory?.kind !== 'memory' || words === memory.words) return
  desk.change((state) => ({ ...state, memory: { ...state.memory, found: null } }))
  desk.change(replace({ ...memory, words, places: { ...memory.places, found: { key: null, at: 0, top: 0 } } }))
}
