import type { Census } from '../../contracts/observations.ts'
import { isRefusal, Refusal } from '../../domain/rules/refusal.ts'
import { someOf } from '../../domain/words/counts.ts'
import { safeText } from '../../domain/words/safe-text.ts'
import { listAgents } from '../../operations/agents/list.ts'
import type { Connection } from '../../operations/perform/core.ts'
import { act, perform } from '../../operations/perform/perform.ts'
import { listTasks } from '../../operations/tasks/list.ts'
import { beyondWords, blockedWords, keptWords, landedWords } from '../../operations/worktrees/census.ts'
import { discardWorktree } from '../../operations/worktrees/discard.ts'
import { readMove, requestMove } from '../../operations/worktrees/moves.ts'
import { restoreWorktree } from '../../operations/worktrees/restore.ts'
import { getWorktreeStatus } from '../../operations/worktrees/status.ts'
import { type Answer, type Call, given, open } from '../call/command.ts'
import { askForName, refuseAgent } from '../call/confirmation.ts'
import { GLANCE, patiently } from '../call/follow.ts'
import { blocks, counted, section } from '../print/columns.ts'

// A worktree that ends, returns or moves: discard, restore, move to another host.

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

/** Restores a worktree. The archive's ref is sufficient: a database that has lost the worktree gets its row back. */
export const restore = async (
  call: Call,
  { name, branch }: { name: string; branch: string | undefined },
): Promise<Answer> => {
  const connection = await open(call)
  const ask = () => act(connection, restoreWorktree, { worktreeName: name, ...given('branchName', branch) })
  const worktree = await ask().catch(async (error: unknown) => {
    if (!isRefusal(error) || error.code !== 'not_found' || !(await call.services.adoptArchive(connection, name)))
      throw error
    return ask()
  })
  return {
    json: worktree,
    text: safeText(`Worktree ${name} is restored in ${worktree.path}, on ${worktree.branchName}.`),
  }
}

/** Frees disk space: deletes old folders from the trash; the archives stay. */
export const sweep = async (call: Call): Promise<Answer> => {
  const connection = await open(call)
  refuseAgent(call, connection, 'empty the trash')
  const swept = await call.services.sweepTrash(connection)
  const kept = swept.kept.map(({ path, why }) => `${path} is kept: ${why}`)
  const removed =
    swept.removed.length === 0
      ? 'Nothing in the trash is old enough.'
      : `${counted(swept.removed.length, 'folder')} removed from the trash:`
  return { json: swept, text: [removed, ...swept.removed, ...kept].join('\n') }
}

/** How long the host of the worktree may take before the command returns (ms). */
const PATIENCE = 60_000

/** Asks for the move, and waits until the host of the worktree has pushed it and the other one has built it. */
export const move = async (call: Call, { name, host }: { name: string; host: string }): Promise<Answer> => {
  const connection = await open(call)
  const { core, actor } = connection
  const asked = await act(connection, requestMove, { worktreeName: name, host })
  if (asked.stays) return { json: asked, text: `Worktree ${name} stays on host ${asked.from}; its move was undone.` }
  const until = performance.now() + PATIENCE
  const look = patiently(call)
  let { successor, to } = asked
  for (;;) {
    const found = await look(() => perform(core, readMove, { worktreeName: name }, actor))
    if (found && found.problem !== null) throw new Refusal('invalid_state', found.problem)
    successor = found?.successor ?? successor
    to = found?.to ?? to
    if (found?.isWaiting === false) {
      if (found.successor === null)
        throw new Refusal('invalid_state', `The move of worktree ${name} was undone. It stays on host ${asked.from}.`)
      return {
        json: { ...asked, successor, to },
        text: `Worktree ${successor} continues ${name} on host ${to}. The old folder on host ${asked.from} is archived.`,
      }
    }
    if (performance.now() > until || call.streams.signal?.aborted)
      return {
        json: { ...asked, successor, to },
        text: !found
          ? `The board does not answer, so it is not known how far the move of ${name} to host ${to} is. The hosts finish it once they reach the board.`
          : successor === null
            ? `Host ${asked.from} has not pushed ${name} yet; it is moved to host ${to} when it has. ${undo(name, asked.from)}`
            : `Host ${to} has not built ${successor} yet; ${name} is archived when it has, and stays if it cannot. ${undo(name, asked.from)}`,
      }
    await call.services.nextChange(connection, GLANCE)
  }
}

const undo = (name: string, from: string): string => `'aiswarm worktree move ${name} --host ${from}' undoes the move.`
