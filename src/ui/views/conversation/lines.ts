import { contextMark } from '../../../domain/agent/context-health.ts'
import { usageOfRun, usedWords } from '../../../domain/budget/budget.ts'
import { ours, type SafeText, safeText } from '../../../domain/words/safe-text.ts'
import type { Line } from '../../../../components/Lines.tsx'
import { placesOf } from '../../rows/lines.ts'
import { agentOf } from '../../core/selection.ts'
import type { ConsoleState } from '../../core/state.ts'
import { talkText } from '../../../text/agents.ts'
import { paneText } from '../../../text/panes.ts'
import { cursorOf } from './cursor.ts'
import { rowsOf, shownBlocks, topOf } from './rows.ts'
import { compare, type ConversationOverlay } from './state.ts'

/** The visible rows of the conversation. A row is made when it becomes visible. */
export const conversationWindow = (
  state: ConsoleState,
  overlay: ConversationOverlay,
  height: number,
): { title: SafeText; lines: readonly Line[]; top: number; total: number } => {
  const blocks = shownBlocks(state)
  const top = topOf(state, overlay, height)
  const cursor = cursorOf(state, overlay, height)
  const lines: Line[] = []
  for (let index = top.index; index < blocks.length && lines.length < height; index++) {
    const block = blocks[index]!
    const rows = rowsOf(state, overlay, block)
    const first = rows.findIndex(({ text }) => text !== '')
    const isCursor = cursor !== undefined && compare(cursor, block) === 0
    for (let row = index === top.index ? top.piece : 0; row < rows.length && lines.length < height; row++) {
      const line = rows[row]!
      const isHead = isCursor && (row === first || (index === top.index && row === top.piece && row > first))
      const marks = overlay.sought === '' ? undefined : placesOf(line.text, overlay.sought)
      lines.push({
        ...line,
        ...(isHead ? { cursor: true } : {}),
        ...(marks === undefined || marks.length === 0 ? {} : { marks }),
      })
    }
  }
  if (blocks.length === 0)
    lines.push({ text: ours(state.talk.loaded ? talkText.nothing : talkText.reading), dim: true })
  return { title: titleOf(state, overlay), lines, top: top.index, total: lines.length }
}

/** A conversation keeps the whole body: it grows while it is read. */
export const conversationHeight = (_: ConsoleState, __: ConversationOverlay, body: number): number => body

const titleOf = (state: ConsoleState, { subject, place, sought }: ConversationOverlay): SafeText => {
  const last = state.talk.runs.at(-1)
  const agent = agentOf(state, 'agentId' in subject ? subject.agentId : (last?.agentId ?? null))
  const used = last === undefined ? '' : usedWords(usageOfRun(last))
  const context = contextMark(agent?.context ?? null)
  const who =
    'agentId' in subject ? talkText.title(subject.agentId, agent?.kind ?? '') : talkText.ofTask(subject.taskId)
  return safeText(
    [
      who,
      place === null ? paneText.following : paneText.held,
      ...(sought === '' ? [] : [`/${sought}`]),
      ...(used === '' ? [] : [used]),
      ...(context === '' ? [] : [talkText.context(context)]),
    ].join(' · '),
  )
}
