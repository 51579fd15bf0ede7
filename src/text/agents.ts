import type { HandBack } from '../domain/agent/conversation.ts'
import { commonText, counts } from './common.ts'

// An agent: its details, the conversation with it, and a person who takes it over.

/** The sum of several processes. */
const use = (processes: string, cpu: number, memory: string): string =>
  `${processes}, ${Math.round(cpu)}% of a core, ${memory}`

export const agentText = {
  title: (id: string) => `Agent ${id}`,
  facts: {
    persona: 'persona',
    kind: 'kind',
    process: 'process',
    host: 'host',
    task: 'task',
    worktree: 'worktree',
    permissions: 'permissions',
    context: 'context',
    used: 'used',
    paused: 'paused',
    spawnedBy: 'spawned by',
    registered: 'registered',
    heartbeat: 'heartbeat',
    stopAsked: 'stop requested',
    ended: 'ended',
    folder: 'folder',
  },
  process: (pid: number, run: number) => `${pid}, run ${run}`,
  uses: (processes: number, cpu: number, memory: string) => use(counts.processes(processes), cpu, memory),
  usesShort: (processes: number, cpu: number, memory: string) => use(String(processes), cpu, memory),
  paused: (at: string, task: number | null) => `${at}, until you decide on the budget of task ${task}`,
  exitCode: (code: number) => `, exit code ${code}`,
  failure: 'Start failed',
  messages: 'Messages',
  refused: 'Refused hosts',
  allowsHosts: '{allow-host} allows them in the sandbox, from the next start on.',
  command: 'Command line',
  masked: 'secrets masked',
  environment: 'Environment',
  namesOnly: 'names only',
  secret: (name: string) => `${name} (secret)`,
  processes: 'Processes',
  columns: { pid: 'PID', cpu: 'CPU', memory: 'MEM', command: 'COMMAND' },
  runs: 'Runs',
  notHere: 'The agent is not running on this machine; this data is not stored.',
} as const

/** Parts of the lines of one message to an agent. */
export const messageText = {
  stop: 'Stop the turn.',
  to: (address: string) => ` to ${address}`,
  whens: { now: 'now', turn: 'end of turn', attempt: 'next attempt' },
  states: { queued: 'queued', handed_over: 'handed over', seen: 'seen', refused: 'refused' },
} as const

/** Parts of the line of one run. */
export const runText = {
  task: (id: number) => ` task ${id}`,
  resumed: ', session resumed',
  goesOn: ', running',
  endedBySignal: `, ${commonText.endedBySignal}`,
  exit: (code: number) => `, exit ${code}`,
  problem: (problem: string) => `failed: ${problem}`,
  said: (said: string) => `last message: ${said}`,
} as const

/** A host that the sandbox refused, allowed from now on. */
export const allowHostText = {
  title: 'Allow a refused host',
  label: 'Host',
  all: (n: number) => `all ${n}`,
  none: 'No host was refused to this agent.',
  saves: (n: number, path: string) => `Adds ${n === 1 ? 'the host' : 'the hosts'} to sandbox.hosts in ${path}:`,
  saved: (hosts: readonly string[]) => `Allowed ${hosts.join(', ')} from the next start on.`,
} as const

/** The conversation with an agent. */
export const talkText = {
  title: (who: string, kind: string) => (kind === '' ? who : `${who} (${kind})`),
  ofTask: (id: number) => `Task ${id}`,
  reading: 'Reading…',
  nothing: 'No run has begun yet.',
  context: (words: string) => `context ${words}`,
  run: (agent: string, run: number) => `${agent}, run ${run}`,
  about: (task: number, attempt: number | null) => `task ${task}${attempt === null ? '' : `, attempt ${attempt}`}`,
  resumed: 'session resumed',
  goesOn: 'running',
  bySignal: commonText.endedBySignal,
  exit: (code: number) => `exit ${code}`,
  plan: (done: number, all: number) => `Plan, ${done} of ${all} done`,
  thought: 'thought',
  changed: (added: number, removed: number) => `+${added} −${removed}`,
  lines: (count: number) => (count === 1 ? '1 line' : `${count} lines`),
  moreLines: (count: number) => `… ${count} more ${count === 1 ? 'line' : 'lines'}; copying takes all`,
  result: 'Result of an earlier call',
  denied: 'denied',
  failed: 'failed',
  asks: 'asks',
  answers: {
    open: 'waiting for you',
    allowed: 'allowed',
    denied: 'denied',
    answered: 'answered',
    expired: 'expired',
    withdrawn: 'withdrawn',
  },
  by: (who: string) => `by ${who}`,
  asked: 'asked',
  message: (author: string, when: string, state: string) => `${author}, ${when}: ${state}`,
  ended: 'turn ended',
  endedBadly: (why: string) => `turn ended with an error: ${why}`,
  gap: (size: string) => `… a line of ${size} is not shown …`,
  noSubject: 'No agent has worked on this. Select an agent, or a task with an attempt.',
  typeFirst: 'Press {search-talk} and type a search text first.',
  notFound: (words: string) => `Nothing else in this conversation contains ‘${words}’.`,
  searching: (words: string) => `Searching for ‘${words}’…`,
  nothingToCopy: 'Nothing is shown that could be copied.',
  copied: (count: number) => `Copied ${count} ${count === 1 ? 'line' : 'lines'}.`,
  nothingToFold: 'Nothing is folded here.',
} as const

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
