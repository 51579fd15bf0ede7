import { ours, safeText, type SafeText, spelledOut } from '../domain/safe-text.ts'
import { isHeld } from '../domain/task.ts'
import type { TaskView } from '../operations/kernel/views.ts'
import { cancelTask } from '../operations/cancel-task.ts'
import { discardWorktree } from '../operations/discard-worktree.ts'
import { spawnAgent } from '../operations/spawn-agent.ts'
import { terminateAgent } from '../operations/terminate-agent.ts'
import type { Desk } from './desk.ts'
import { type BulkIntent, bulkLines, carryOutBulk } from './inbox/bulk.ts'
import { itemOf, settle } from './inbox/settle.ts'
import { linesOfChanges, sendComments } from './review/comments.ts'
import type { Comment } from './review/state.ts'
import type { Census } from '../operations/kernel/census.ts'
import { beyondWords, blockedWords, keptWords, landedWords } from '../operations/kernel/census-words.ts'
import type { CommandValues } from '../operations/kernel/console-command.ts'
import { linesOfCommand, runCommand } from './palette/presses.ts'
import { agentOf, taskOf } from './selection.ts'
import type { ConsoleState } from './state.ts'
import { intentText, receiptText } from '../text/forms.ts'

/** What `y` will do once it was asked for. */
export type Intent =
  | { readonly kind: 'cancel'; readonly taskId: number }
  | { readonly kind: 'terminate'; readonly agentId: string }
  | { readonly kind: 'discard'; readonly worktree: string; readonly reason: string; readonly unfinished: readonly number[]; readonly census: Census }
  | { readonly kind: 'changes'; readonly worktree: string; readonly comments: readonly Comment[] }
  | { readonly kind: 'spawn'; readonly taskId: number; readonly personaId: string; readonly command: string | null; readonly beside?: string | undefined }
  | { readonly kind: 'command'; readonly path: string; readonly values: CommandValues }
  | BulkIntent

type Of<Kind extends Intent['kind']> = Extract<Intent, { kind: Kind }>

/** What exactly would happen, a line each. */
export const linesOf = (state: ConsoleState, intent: Intent): readonly SafeText[] =>
  (lines[intent.kind] as (state: ConsoleState, intent: Intent) => string[])(state, intent).map(safeText)

export const carryOut = (desk: Desk, intent: Intent): void => (deeds[intent.kind] as (desk: Desk, intent: Intent) => void)(desk, intent)

const lines: { readonly [Kind in Intent['kind']]: (state: ConsoleState, intent: Of<Kind>) => string[] } = {
  cancel: (state, { taskId }) => {
    const task = taskOf(state, taskId)
    const holder = task && isHeld(task.status) ? task.assignedAgentId : null
    const process = agentOf(state, holder)?.process
    const named = intentText.cancel(taskId, task?.title ?? null)
    const ends = process === 'wanted' || process === 'started' ? intentText.stopsProcess : intentText.takesFrom
    return [holder === null ? `${named}.` : intentText.endsFor(named, ends, processOf(state, holder)), intentText.whatStays]
  },
  terminate: (state, { agentId }) => {
    const held = state.board.tasks.filter((task) => task.assignedAgentId === agentId && isHeld(task.status)).map((task) => task.id)
    const current = agentOf(state, agentId)?.taskId ?? null
    const back = current === null || held.includes(current) ? held : [...held, current]
    return [intentText.terminate(processOf(state, agentId), back)]
  },
  discard: (state, { worktree, reason, unfinished, census }) => {
    const agents = stoppedWith(state, worktree)
    const [landed, blocked, kept, beyond] = [landedWords(census), blockedWords(census), keptWords(census), beyondWords(census)]
    return [
      intentText.discard(worktree, reason),
      intentText.cancelsTasks(unfinished),
      intentText.stopsAgents(agents),
      ...(blocked === undefined ? [] : [intentText.folderStays(blocked)]),
      ...(landed === undefined ? [] : [landed]),
      ...(kept.length === 0 ? [intentText.nothingBeside] : [intentText.archives, ...kept.map((line) => `· ${line}`)]),
      ...(beyond.length === 0 ? [] : [intentText.onlyInTrash, ...beyond.map((line) => `· ${line}`)]),
      intentText.restore(worktree),
    ]
  },
  changes: (state, { worktree, comments }) => linesOfChanges(state, worktree, comments),
  command: (state, intent) => [...linesOfCommand(state, intent)],
  bulk: (state, intent) => bulkLines(state, intent),
  spawn: (_, { taskId, personaId, command, beside }) => [
    ...(beside === undefined ? [] : [intentText.beside(beside)]),
    ...(command === null ? [intentText.spawnTask(personaId, taskId)] : [intentText.spawn(personaId, taskId), ...spelledOut(command)]),
  ],
}

const deeds: { readonly [Kind in Intent['kind']]: (desk: Desk, intent: Of<Kind>) => void } = {
  cancel: (desk, { taskId }) => settle(desk, itemOf(desk.state(), { requestId: null, taskId }), receiptText.didCancel, cancelTask, { taskId }, () => receiptText.cancelled(taskId)),
  terminate: (desk, { agentId }) =>
    desk.perform(terminateAgent, { agentId }, (agent) => (agent.status === 'terminated' ? receiptText.ended(agentId) : receiptText.stopping(agentId))),
  discard: (desk, { worktree, reason }) => desk.perform(discardWorktree, { worktreeName: worktree, reason }, () => receiptText.discarded(worktree)),
  changes: (desk, { worktree, comments }) => sendComments(desk, worktree, comments),
  command: (desk, { path, values }) => {
    const command = desk.state().commands.find((one) => one.path === path)
    if (command) runCommand(desk, command, values)
  },
  bulk: (desk, intent) => carryOutBulk(desk, intent),
  spawn: (desk, { taskId, personaId, beside: busy }) => {
    const item = itemOf(desk.state(), { kind: 'command', taskId })
    const beside = busy === undefined ? {} : { beside: true }
    if (item) settle(desk, item, receiptText.started, spawnAgent, { taskId, personaId, ...beside }, (agent) => startingReceipt(agent, taskId))
    else spawnFor(desk, { id: taskId, personaId }, beside)
  },
}

export const spawnFor = (desk: Desk, { id, personaId }: Pick<TaskView, 'id' | 'personaId'>, beside: { readonly beside?: boolean } = {}): void =>
  desk.perform(spawnAgent, { taskId: id, personaId, ...beside }, (agent) => startingReceipt(agent, id))

const startingReceipt = ({ id, kind }: { readonly id: string; readonly kind: string }, taskId: number): string => receiptText.starting(id, kind, taskId)

/** Agents that a worktree's end would stop. */
export const stoppedWith = (state: ConsoleState, worktree: string): readonly SafeText[] =>
  state.board.agents.filter((agent) => agent.assignedWorktree === worktree && agent.status !== 'terminated').map((agent) => ours(processOf(state, agent.id)))

const processOf = (state: ConsoleState, agentId: string): string => {
  const pid = agentOf(state, agentId)?.processId ?? null
  return safeText(pid === null ? agentId : intentText.withPid(agentId, pid))
}
