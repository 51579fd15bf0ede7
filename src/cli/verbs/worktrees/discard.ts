import { someOf } from '../../../domain/words/counts.ts'
import { Refusal } from '../../../domain/rules/refusal.ts'
import { safeText } from '../../../domain/words/safe-text.ts'
import { discardWorktree } from '../../../operations/worktrees/discard-worktree.ts'
import { getWorktreeStatus } from '../../../operations/worktrees/get-worktree-status.ts'
import type { Census } from '../../../contracts/observations.ts'
import { beyondWords, blockedWords, keptWords, landedWords } from '../../../operations/worktrees/census-words.ts'
import type { Connection } from '../../../operations/door/connection.ts'
import { act, perform } from '../../../operations/door/perform.ts'
import { listAgents } from '../../../operations/agents/list-agents.ts'
import { listTasks } from '../../../operations/tasks/list-tasks.ts'
import { askForName } from '../../call/ask-for-name.ts'
import { type Answer, type Call, open } from '../../call/command.ts'
import { blocks, counted, section } from '../../print/columns.ts'

/**
 * Discards a worktree after a person has seen what would be deleted, or if nothing would be deleted that the archive
 * does not keep.
 */
export const discard = async (
  call: Call,
  { name, reason, loseNothing }: { name: string; reason: string; loseNothing: boolean },
): Promise<Answer> => {
  const connection = await open(call)
  await refuseOver(connection, name)
  if (!loseNothing) refuseWithoutTerminal(call, name)
  const census = await connection.outside.census(name)
  refuseStrangers(name, census)
  if (loseNothing) refuseLoss(name, census)
  else
    await askForName(
      call,
      name,
      await preview(connection, name, census),
      `Discard ${name}? Type the name of the worktree:`,
    )
  const worktree = await act(connection, discardWorktree, { worktreeName: name, reason })
  const kept =
    worktree.archiveRef === null
      ? ''
      : `. Its content is archived under ${worktree.archiveRef}; 'aiswarm worktree restore ${name}' restores it`
  return { json: worktree, text: `Worktree ${name} is discarded${kept}.` }
}

const refuseOver = async ({ core, actor }: Connection, worktreeName: string): Promise<void> => {
  const [worktree] = await perform(core, getWorktreeStatus, { worktreeName }, actor)
  if (worktree!.status !== 'active')
    throw new Refusal('invalid_state', `Worktree ${worktreeName} is already ${worktree!.status}.`)
}

const refuseWithoutTerminal = ({ streams }: Call, name: string): void => {
  if (!streams.stdinIsTerminal) {
    throw new Refusal(
      'needs_terminal',
      `Discarding ${name} needs a person at a terminal. In a script, use --lose-nothing, which refuses if anything cannot be archived.`,
    )
  }
}

/** Refuses before anything is stopped or cancelled in vain. */
const refuseStrangers = (name: string, census: Census): void => {
  const why = blockedWords(census)
  if (why !== undefined)
    throw new Refusal('folder_in_use', safeText(`${why}; end it or leave the folder, then discard ${name} again.`))
}

const refuseLoss = (name: string, { beyond }: Census): void => {
  if (beyond.length === 0) return
  throw new Refusal(
    'would_lose_work',
    `The archive of ${name} would not contain ${counted(beyond.length, 'ignored file')}: ${firstOf(beyond)}. Move them elsewhere first, or discard ${name} at a terminal.`,
  )
}

/** Refuses if the end of a worktree would delete what its archive does not keep. */
export const refuseToLose = async ({ outside }: Connection, name: string): Promise<void> => {
  const census = await outside.census(name)
  refuseStrangers(name, census)
  refuseLoss(name, census)
}

const preview = async ({ core, actor }: Connection, name: string, census: Census): Promise<string> => {
  const agents = await perform(core, listAgents, { worktree: name }, actor)
  const tasks = (await perform(core, listTasks, { worktree: name }, actor)).filter((task) =>
    ['pending', 'claimed', 'in_progress'].includes(task.status),
  )
  const landed = landedWords(census)
  return blocks([
    `Discarding ${name}`,
    landed === undefined ? '' : safeText(landed),
    section(
      'Kept in the archive',
      keptWords(census).map((line) => safeText(line)),
    ),
    section(
      'Kept only in the trash, deleted later',
      beyondWords(census).map((line) => safeText(line)),
    ),
    section(
      'Agents that will be stopped',
      agents.map((agent) => safeText(agent.id)),
    ),
    section(
      'Tasks that will be cancelled',
      tasks.map((task) => `${task.id}  ${safeText(task.title)}`),
    ),
  ])
}

const firstOf = (paths: readonly string[]): string => safeText(someOf(paths, 5))
