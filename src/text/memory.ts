import { commonText, counts } from './common.ts'

/** The pane of what the swarm remembers. */
export const memoryText = {
  title: 'Memory',
  tabs: { working: 'Working', decisions: 'Decisions', timeline: 'Timeline', conversations: 'Conversations' },
  nothing: {
    working: 'No agent has a working memory yet.',
    decisions: 'There are no decisions yet.',
    timeline: 'Nothing stands in the timeline yet.',
    conversations: 'Nothing was said yet; every attempt is stored once it has ended.',
    found: 'Nothing has all these words. Conversations are searched by whole words.',
  },
  unreadable: 'This could not be read',
  longer: (characters: number, whole: string) => `… and ${characters} characters more: ${whole}`,
  tryOf: (task: string, attempt: string) => `task ${task} try ${attempt}`,
} as const

export const memoryRefusals = {
  trailOfWorktree: 'Select a task, or an agent that works on one, to see its trail.',
  trailOfNoAgent: 'Select an agent to see the trail of its task.',
  agentWithoutTask: (agent: string | null) => `Agent ${agent} has no task now.`,
  trailOfNoTask: 'Select a task to see its trail.',
  noAttempt: (task: number) => `Task ${task} has had no attempt yet.`,
  nothingToOpen: 'There is nothing to open here.',
} as const

/** What a search found, and where. */
export const foundText = {
  executions: 'Executions',
  taskLogs: 'Task logs',
  inPlace: (place: string, listed: number, total: number) => `${listed < total ? commonText.partOf(listed, total) : total} in ${place}`,
  noneInNotes: (among: number) => `none in the newest ${among} of Task logs`,
  inNotes: (listed: number, orMore: boolean, among: number | null) => `${listed}${orMore ? ' or more' : ''} in ${among === null ? '' : `the newest ${among} of `}Task logs`,
} as const

/** Names of the facts at the top of a record. */
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
  states: { Draft: 'draft', Accepted: 'accepted', Superseded: 'superseded', missing: 'is not there' },
  noFile: '(no file of its own)',
  unreadable: '(its file cannot be read)',
  inGraphAlone: 'none; it stands in the graph alone',
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
  holds: 'Holds',
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

/** What was said and done, turn by turn. */
export const turnText = {
  conversationAndExecution: 'Conversation and execution',
  trailOf: (task: number, title: string | null) => `Trail of task ${task}${title === null ? '' : `: ${title}`}`,
  noteOn: (task: number) => `Note on task ${task}`,
  noAttempt: 'It has had no attempt yet.',
  wholeNote: (task: number) => `'aiswarm task logs ${task}' prints all of it`,
  wholeConversation: "'aiswarm memory conversations search --message-id' prints all of it",
  attempt: (attempt: number, agent: string, how: string) => `Attempt ${attempt}  ${agent}  ${how}`,
  outcomeAfter: (outcome: string | null, took: string) => `${outcome} after ${took}`,
  error: (error: string) => `error: ${error}`,
  notEndedYet: 'What it says is remembered once it has ended.',
  nothingStored: 'Nothing that was said is stored.',
  prompt: 'Prompt',
  answer: 'Answer',
  noExecution: 'No execution belongs to it.',
  furtherCalls: (n: number) => `, and ${n} calls more`,
  execution: (success: boolean) => `Execution ${success ? '✓ succeeded' : '✗ failed'}`,
  tools: (n: number) => `Tools (${n})`,
  errors: (n: number) => `Errors (${n})`,
  observations: 'Observations',
} as const
