// Why a row is in its state, in a sentence, and since when.

export { agentReason, type AroundAgent, type ReasonedAgent } from './reasons/agent.ts'
export { coarse, type ProcessSeen, processWords } from './reasons/seen.ts'
export { agentSince, taskSince, worktreeSince } from './reasons/since.ts'
export { type AroundTask, type ReasonedTask, taskReason } from './reasons/task.ts'
export { whyNotItsTurn } from './reasons/turn.ts'
export { type AroundWorktree, type ReasonedWorktree, worktreeReason } from './reasons/worktree.ts'
