import { ours, type SafeText, safeText } from '../../../domain/words/safe-text.ts'
import type { Line } from '../../../../components/Lines.tsx'
import { selectedAgent, selectedTask, selectedWorktree } from '../../core/selection.ts'
import type { ConsoleState, ListPane, Overlay } from '../../core/state.ts'
import { agentSections } from './agent-sections.ts'
import { worktreeLines } from './worktree-facts.ts'
import { agentLines } from './agent-facts.ts'
import { taskLines } from './task-facts.ts'
import { type DetailSection, isOpen } from './state.ts'
import { taskSections } from './task-sections.ts'
import { worktreeSections } from './worktree-sections.ts'
import { spokenText } from '../../../text/screen-reader.ts'

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
