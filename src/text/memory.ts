import { commonText, counts } from './common.ts'

/** The view of the memories. */
export const memoryText = {
  title: 'Memory',
  tabs: { working: 'Working', decisions: 'Decisions', timeline: 'Timeline', conversations: 'Conversations' },
  nothing: {
    working: 'No agent has a working memory yet.',
    decisions: 'No decisions yet.',
    timeline: 'The timeline is empty.',
    conversations: 'No conversations yet. An attempt is stored when it ends.',
    found: 'No match. Conversations are searched by whole words.',
  },
  unreadable: 'Cannot read this',
  longer: (characters: number, whole: string) => `… and ${characters} more characters: ${whole}`,
  tryOf: (task: string, attempt: string) => `task ${task} try ${attempt}`,
} as const

export const memoryRefusals = {
  trailOfWorktree: 'Select a task, or an agent with a task, to see its trail.',
  trailOfNoAgent: 'Select an agent to see the trail of its task.',
  agentWithoutTask: (agent: string | null) => `Agent ${agent} has no task.`,
  trailOfNoTask: 'Select a task to see its trail.',
  noAttempt: (task: number) => `Task ${task} has had no attempt yet.`,
  nothingToOpen: 'Nothing to open here.',
} as const

/** The results of a search. */
export const foundText = {
  executions: 'Executions',
  taskLogs: 'Task logs',
  inPlace: (place: string, listed: number, total: number) =>
    `${listed < total ? commonText.partOf(listed, total) : total} in ${place}`,
  noneInNotes: (among: number) => `none in the newest ${among} of Task logs`,
  inNotes: (listed: number, orMore: boolean, among: number | null) =>
    `${listed}${orMore ? ' or more' : ''} in ${among === null ? '' : `the newest ${among} of `}Task logs`,
} as const

/** Labels of the facts at the top of a record. */
export const recordFacts = {
  agent: 'agent',
  attempt: 'attempt',
  began: 'began',
  begun: 'begun',
  duration: 'duration',
  epic: 'epic',
  file: 'file',
  lastUpdated: 'last updated',
  level: 'level',
  message: 'message',
  progress: 'progress',
  session: 'session',
  status: 'status',
  story: 'story',
  task: 'task',
  tokens: 'tokens',
  when: 'when',
  who: 'who',
  written: 'written',
} as const

export const decisionText = {
  states: { Draft: 'draft', Accepted: 'accepted', Superseded: 'superseded', missing: 'missing' },
  noFile: '(no file)',
  unreadable: '(unreadable file)',
  inGraphAlone: 'none (only in the graph)',
  relations: 'Relations',
  decision: 'Decision',
} as const

export const workingText = {
  title: (agent: string) => `Working memory of ${agent}`,
  kinds: {
    blocker: 'blocker',
    resolved: 'resolved',
    step: 'step',
    observation: 'observation',
    decision: 'decision',
    fact: 'key fact',
    critical: 'key fact',
    done: 'task done',
  },
  atStep: (step: number | null, steps: number) => `step ${step ?? '–'} of ${steps}`,
  step: (n: number) => `step ${n}`,
  plan: 'Plan',
  holds: 'Contents',
  held: (blockers: number, observations: number, decisions: number, keyFacts: number, completedTasks: number) => [
    counts.blockers(blockers),
    counts.observations(observations),
    counts.decisions(decisions),
    counts.keyFacts(keyFacts),
    counts.completedTasks(completedTasks),
  ],
  resolution: (when: string | null) => `Resolution${when === null ? '' : `, ${when}`}`,
  reasoning: 'Reasoning',
} as const

export const timelineText = {
  place: (file: string, line: number) => `${file}, line ${line}`,
  notes: 'Notes',
} as const

/** The trail: conversations and executions, by turn. */
export const turnText = {
  conversationAndExecution: 'Conversation and execution',
  trailOf: (task: number, title: string | null) => `Trail of task ${task}${title === null ? '' : `: ${title}`}`,
  noteOn: (task: number) => `Note on task ${task}`,
  noAttempt: 'No attempts yet.',
  wholeNote: (task: number) => `run 'aiswarm task logs ${task}' for the whole note`,
  wholeConversation: "run 'aiswarm memory conversations search --message-id' for all of it",
  attempt: (attempt: number, agent: string, how: string) => `Attempt ${attempt}  ${agent}  ${how}`,
  outcomeAfter: (outcome: string | null, took: string) => `${outcome} after ${took}`,
  error: (error: string) => `error: ${error}`,
  notEndedYet: 'The conversation is stored when the attempt ends.',
  nothingStored: 'No conversation is stored.',
  prompt: 'Prompt',
  answer: 'Answer',
  noExecution: 'No execution.',
  furtherCalls: (n: number) => `, and ${n} more calls`,
  execution: (success: boolean) => `Execution ${success ? '✓ succeeded' : '✗ failed'}`,
  tools: (n: number) => `Tools (${n})`,
  errors: (n: number) => `Errors (${n})`,
  observations: 'Observations',
} as const
