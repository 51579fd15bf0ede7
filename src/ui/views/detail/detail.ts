import type { Line } from '../../../../components/Lines.tsx'
import { ours, safeText, type SafeText } from '../../../domain/words/safe-text.ts'
import { nothingToFold } from '../../../text/common.ts'
import { spokenText } from '../../../text/screen-reader.ts'
import type { Controller } from '../../core/controller.ts'
import { selectedAgent, selectedTask, selectedWorktree } from '../../core/selection.ts'
import { changingView, type ConsoleState, type ListPane, type Overlay } from '../../core/state.ts'
import { sheetHeight } from '../../panes/movement.ts'
import { agentLines, agentSections } from './agent.ts'
import { type DetailSection, isOpen } from './sections.ts'
import { taskLines, taskSections } from './task.ts'
import { worktreeLines, worktreeSections } from './worktree.ts'

export type DetailOver = Extract<Overlay, { kind: 'detail' }>

/** The details of the selected row: its facts, then sections that fold. */
interface Detail {
  /** Its subject: another one is loaded anew. */
  readonly of: string
  readonly title: SafeText
  readonly head: readonly Line[]
  readonly sections: readonly DetailSection[]
}

const details: Record<ListPane, (state: ConsoleState) => Detail | undefined> = {
  board: (state) => {
    const task = selectedTask(state)
    if (!task) return undefined
    const [title, head] = taskLines(state, task)
    return { of: `board ${task.id}`, title, head, sections: taskSections(state, task) }
  },
  agents: (state) => {
    const agent = selectedAgent(state)
    if (!agent) return undefined
    const [title, head] = agentLines(state, agent)
    return { of: `agents ${agent.id}`, title, head, sections: agentSections(state, agent) }
  },
  worktrees: (state) => {
    const worktree = selectedWorktree(state)
    if (!worktree) return undefined
    const [title, head] = worktreeLines(state, worktree)
    return { of: `worktrees ${worktree.name}`, title, head, sections: worktreeSections(state, worktree) }
  },
}

export const detailOf = (state: ConsoleState, overlay: DetailOver): Detail | undefined => details[overlay.of](state)

/** The lines of a detail, and the line at which each section begins. */
export const detailSheet = (state: ConsoleState, overlay: DetailOver) => {
  const detail = detailOf(state, overlay)
  if (!detail) return undefined
  const lines: Line[] = [...detail.head]
  const starts = new Map<string, number>()
  for (const section of detail.sections) {
    const opened = isOpen(overlay, section)
    lines.push({ text: ours('') })
    starts.set(section.id, lines.length)
    const note = section.note === undefined ? '' : `  ${safeText(section.note)}`
    lines.push({
      text: ours(
        `${state.preferences.spoken ? spokenText.section(section.title, opened) : `${opened ? '▾' : '▸'} ${section.title}`}${note}`,
      ),
      bold: true,
      colour: section.colour ?? 'cyan',
      ...(overlay.at === section.id ? { cursor: true, lead: ours('') } : {}),
    })
    // One by one: there may be more lines than a call accepts arguments.
    if (opened) for (const line of section.lines()) lines.push(line)
  }
  return {
    title: detail.title,
    total: lines.length,
    line: (index: number): Line => lines[index]!,
    starts,
    sections: detail.sections,
  }
}

// Keys for the sections of a detail.

const shown = (state: ConsoleState) => {
  const { overlay } = state.view
  const sheet = overlay?.kind === 'detail' ? detailSheet(state, overlay) : undefined
  return overlay?.kind === 'detail' && sheet ? { overlay, sheet } : undefined
}

export const whyNoSection = (state: ConsoleState): string | undefined =>
  (shown(state)?.sheet.sections.length ?? 0) > 0 ? undefined : nothingToFold

/** Selects the next or previous section. If the selected one is not visible, it starts from the visible part. */
export const toSection =
  (by: 1 | -1) =>
  (controller: Controller): void =>
    controller.change((state) => {
      const open = shown(state)
      if (!open || open.sheet.sections.length === 0) return state
      const starts = open.sheet.sections.map(({ id }) => open.sheet.starts.get(id)!)
      const [height, last] = [sheetHeight(state), starts.length - 1]
      const top = Math.min(open.overlay.top, Math.max(0, open.sheet.total - height))
      const at = open.sheet.sections.findIndex(({ id }) => id === open.overlay.at)
      const isSeen = at !== -1 && starts[at]! >= top && starts[at]! < top + height
      const above = starts.filter((start) => start < top).length
      const next = Math.min(last, Math.max(0, isSeen ? at + by : by > 0 ? above : above - 1))
      const overlay = inSight(state, { ...open.overlay, at: open.sheet.sections[next]!.id })
      return changingView(() => ({
        overlay: isSeen
          ? overlay
          : { ...overlay, top: by > 0 ? Math.max(top, overlay.top) : Math.min(top, overlay.top) },
      }))(state)
    })

/** Selects the section of a line of the detail; nothing scrolls. */
export const selectSection = (state: ConsoleState, overlay: DetailOver, line: number): ConsoleState => {
  const sheet = detailSheet(state, overlay)
  const height = sheetHeight(state)
  if (!sheet || line >= height) return state
  const at = Math.min(overlay.top, Math.max(0, sheet.total - height)) + line
  const section = at < sheet.total ? sheet.sections.findLast(({ id }) => sheet.starts.get(id)! <= at) : undefined
  return section ? changingView(() => ({ overlay: { ...overlay, at: section.id } }))(state) : state
}

/** Opens or folds the selected section. */
export const foldSection = (controller: Controller): void =>
  controller.change((state) => {
    const open = shown(state)
    const section = open?.sheet.sections.find(({ id }) => id === open.overlay.at) ?? open?.sheet.sections[0]
    if (!open || !section) return state
    const opens = !isOpen(open.overlay, section)
    const overlay = inSight(state, {
      ...open.overlay,
      at: section.id,
      folds: { ...open.overlay.folds, [section.id]: opens },
    })
    // The new top may be beyond the end, so that the contents become visible as they arrive.
    const top = opens && section === open.sheet.sections.at(-1) ? open.sheet.starts.get(section.id)! : overlay.top
    return changingView(() => ({ overlay: { ...overlay, top } }))(state)
  })

/** Scrolled so that the selected section is visible, with its first lines if they fit. */
export const inSight = (state: ConsoleState, overlay: DetailOver): DetailOver => {
  const { starts, total } = detailSheet(state, overlay)!
  const [height, start] = [sheetHeight(state), starts.get(overlay.at!)!]
  const next = [...starts.values()].filter((other) => other > start).sort((a, b) => a - b)[0] ?? total
  const lowest = Math.max(0, total - height)
  const below = Math.min(next - start, height)
  const seen = Math.min(lowest, overlay.top)
  const top = start < seen ? start : start + below > seen + height ? start + below - height : seen
  return { ...overlay, top: Math.min(lowest, Math.max(0, top)) }
}
