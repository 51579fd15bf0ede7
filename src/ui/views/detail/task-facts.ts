import { budgetWords, sleepWords, usedWords } from '../../../domain/budget/budget.ts'
import { metadataOf, wishOf } from '../../../domain/task/metadata.ts'
import { OWN_WORKTREE } from '../../../domain/worktree/worktree.ts'
import { safeText } from '../../../domain/words/safe-text.ts'
import { duration } from '../../../domain/words/time.ts'
import type { TaskView } from '../../../operations/views/tasks.ts'
import { boardLooks } from '../../../../components/base/look.ts'
import { shownKey } from '../../keys/bindings.ts'
import { boardSince, boardState, reasonOfTask } from '../../rows/tasks.ts'
import { fact, longFact, moment, paragraph, widthIn } from '../../rows/lines.ts'
import { estimateOf } from '../../rows/progress.ts'
import type { ConsoleState } from '../../core/state.ts'
import { standing, type Titled } from './section.ts'
import { taskText } from '../../../text/tasks.ts'

// The facts at the top of a task's detail; its sections follow them.

export const taskLines = (state: ConsoleState, task: TaskView): Titled => {
  const width = widthIn(state)
  const detail = state.detail?.id === task.id ? state.detail : null
  const asked = state.board.attention.filter((item) => item.taskId === task.id)
  const look = boardLooks[boardState(task, state.now, asked)]
  return [
    safeText(taskText.title(task.id)),
    [
      { text: safeText(task.title), bold: true, theirs: true },
      ...(task.sleep === null
        ? []
        : paragraph(taskText.wakes(sleepWords(task.sleep, state.now), shownKey(state, 'retry')), width)),
      standing(look, task.blockedBy.length > 0 ? taskText.blockedBy(task.blockedBy) : ''),
      ...paragraph(reasonOfTask(state, task, duration, boardSince(task, state.now, asked)), width),
      ...fact(taskText.facts.persona, task.personaId),
      ...fact(taskText.facts.priority, task.priority),
      ...fact(taskText.facts.agent, task.assignedAgentId),
      ...longFact(taskText.facts.worktree, task.targetWorktree ?? placeOf(task), width),
      ...longFact(taskText.facts.wishes, wishOf(task), width),
      ...fact(taskText.facts.attempt, task.attempt > 0 ? taskText.attempts(task.attempt, task.retryCount) : null),
      ...fact(taskText.facts.progress, task.progressPercent === null ? null : `${task.progressPercent}%`),
      ...fact(taskText.facts.estimate, estimateOf(state, task)),
      ...longFact(taskText.facts.dependsOn, list(task.dependencies), width),
      ...longFact(taskText.facts.neededBy, list(detail?.dependents ?? []), width),
      ...fact(taskText.facts.parent, task.parentTaskId),
      ...longFact(taskText.facts.subtasks, list(detail?.children ?? []), width),
      ...fact(taskText.facts.createdBy, task.createdBy),
      ...fact(taskText.facts.claimed, task.claimedAt === null ? null : moment(state, task.claimedAt)),
      ...fact(taskText.facts.started, task.startedAt === null ? null : moment(state, task.startedAt)),
      ...fact(taskText.facts.completed, task.completedAt === null ? null : moment(state, task.completedAt)),
      ...longFact(taskText.facts.context, task.contextRef, width),
      ...longFact(taskText.facts.used, detail ? usedWords(detail.usage) : null, width),
      ...longFact(
        taskText.facts.budget,
        detail && (detail.budget.costUsd !== null || detail.budget.tokens !== null)
          ? `${budgetWords(detail.budget, detail.usage)}${detail.budget.askedAt === null ? '' : taskText.waitsForAnswer}`
          : null,
        width,
      ),
    ],
  ]
}

const placeOf = ({ metadata }: TaskView): string =>
  metadataOf(JSON.stringify(metadata ?? null))['worktree'] === OWN_WORKTREE
    ? taskText.ownWorktree
    : taskText.repositoryRoot

const list = (ids: readonly number[]): string | null => (ids.length > 0 ? ids.join(', ') : null)
