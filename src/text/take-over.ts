import type { HandBack } from '../domain/agent/conversation.ts'

/** A person who takes a conversation over and hands it back. */
export const takeOverText = {
  noAgent: 'No agent to take over: select one, or a task with one.',
  asks: (agent: string, task: number | null) =>
    `Stop ${agent} and continue its conversation yourself, in its own program on this terminal. You hold ${task === null ? 'its task' : `task ${task}`} meanwhile.`,
  isEnded: (agent: string, task: number | null) =>
    `Continue the conversation of ${agent} yourself, in its own program on this terminal. You hold ${task === null ? 'its task' : `task ${task}`} meanwhile.`,
  isElsewhere: (agent: string, host: string) =>
    `Agent ${agent} is on host ${host}. Run 'aiswarm agent take-over ${agent}' there, or let this key do it: 'aiswarm host label ${host} --ssh ADDRESS'.`,
  stays: 'When you leave the program, you choose how the task continues.',
  stopping: (agent: string) => `Stopping ${agent}…`,
  title: (task: number, agent: string) => `Hand task ${task} back (conversation of ${agent})`,
  labels: { how: 'How', text: 'Words' },
  hint: 'a word for the agent, the result, or the reason of a failure',
  ways: {
    agent: 'the agent continues',
    done: 'the task is done',
    failed: 'the task has failed',
    board: 'pending for any agent',
  } satisfies Record<HandBack, string>,
  again: 'open it again',
  receipts: {
    agent: (task: number, agent: string | null) => `${agent} continues task ${task}.`,
    done: (task: number) => `Task ${task} is completed.`,
    failed: (task: number) => `Task ${task} has failed.`,
    board: (task: number) => `Task ${task} is pending again.`,
  },
} as const

/** A second agent from a copy of a conversation. */
export const forkText = {
  noAgent: 'No agent to fork: select one, or a task with one.',
  title: (agent: string, kind: string) => `Fork ${agent} (${kind})`,
  label: 'Words',
  hint: (task: number | null) =>
    `what the copy does${task === null ? '' : ` in addition to the rest of task ${task}`}; optional`,
  receipt: (fork: string, agent: string, task: number, worktree: string) =>
    `${fork} continues a copy of the conversation of ${agent}: task ${task} in ${worktree}.`,
} as const
