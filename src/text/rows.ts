// The state of a row, beyond the word of its look.

export const rowText = {
  quotaOf: (kind: string) => `${kind}'s quota`,
  hostSilent: (since: string) => `host silent since ${since}`,
  silent: (since: string) => `silent ${since}`,
  hostLost: 'host lost',
  hostWasLost: (host: string) => `host ${host} was declared lost`,
  hostIsSilent: (host: string, since: string) => `host ${host} has been silent since ${since}`,
  sleepsUntil: (at: string) => `asleep until ${at}`,
  blockedBy: (tasks: readonly number[], most: number) => `blocked by ${some(tasks, most)}`,
  retryIn: 'retries in',
  working: (percent: number) => `working ${percent}%`,
  also: (tasks: readonly number[], most: number) => `also ${some(tasks, most)}`,
  left: (time: string) => `~${time} left`,
  overUsual: (time: string) => `over the usual ${time}`,
  lasts: (time: string) => `for ${time}`,
  ended: 'ended',
  exit: (code: number) => (code === 0 ? 'ended ✓' : `exit ${code}`),
  verified: 'verified ✓',
  discarded: 'discarded',
  beingBuilt: 'creating',
  conflictsWith: (target: string) => `conflicts with ${target}`,
  conflictedWith: (target: string) => `conflicted with ${target}, retry`,
  held: (why: string) => `blocked: ${why}`,
  noRemote: 'no git remote answers',
  dirty: (files: number) => `${files} dirty`,
} as const

/** The last request of an agent, or its answer. */
export const askedText = {
  notAllowed: (tool: string) => `denied ${tool}`,
  asks: (subject: string) => `asks: ${subject}`,
  asksFor: (tool: string, subject: string) => `asks ${tool}: ${subject}`,
  allowed: (tool: string) => `allowed ${tool}`,
  denied: (tool: string) => `denied ${tool}`,
  answered: 'answered',
  expired: 'expired',
  withdrawn: 'withdrawn',
} as const

const some = (tasks: readonly number[], most: number): string =>
  `${tasks.slice(0, most).join(', ')}${tasks.length > most ? ', …' : ''}`

/** How an agent ended, without its name, for places beside the name. */
export const withoutAgent = (reason: string, agent: string): string => {
  const before = reason.startsWith(NO_ARTIFACT) ? NO_ARTIFACT : ''
  const named = `${before}${agent} ended with `
  return reason.startsWith(named) ? `${before}${reason.slice(named.length)}` : reason
}

const NO_ARTIFACT = 'no-artifact: '

/** Headings of the columns. */
export const headings = {
  id: 'ID',
  priority: 'PRI',
  state: 'STATE',
  time: 'TIME',
  agent: 'AGENT',
  title: 'TITLE',
  tree: 'TASK  ◆ critical path',
  worktree: 'WORKTREE',
  position: '↑ ↓',
  lines: '   + −',
  age: 'AGE',
  branch: 'BRANCH',
  host: 'HOST',
} as const

const selectedFirst = (selected: boolean): string => (selected ? 'selected: ' : '')
const asksLast = (asks: boolean): string => (asks ? ', needs you' : '')

/** Drawn rows, for screen readers. */
export const heardRows = {
  task: (row: {
    id: number
    says: string
    time: string
    agent: string
    title: string
    reason: string
    asks: boolean
    selected: boolean
  }) =>
    `${selectedFirst(row.selected)}task ${row.id}, ${row.says} ${row.time}, ${row.agent}, ${row.title}${row.reason === '' ? '' : `, ${row.reason}`}${asksLast(row.asks)}`,
  card: (row: { id: number; word: string; time: string; title: string; asks: boolean; selected: boolean }) =>
    `${selectedFirst(row.selected)}task ${row.id}, ${row.word} ${row.time}, ${row.title}${asksLast(row.asks)}`,
  branch: (row: {
    level: number
    id: number
    says: string
    title: string
    also: string
    reason: string
    critical: boolean
    asks: boolean
    matches: boolean
    selected: boolean
  }) =>
    `${selectedFirst(row.selected)}level ${row.level}, task ${row.id}, ${row.says}, ${row.title} ${row.also}${row.reason === '' ? '' : `, ${row.reason}`}${row.critical ? ', on the critical path' : ''}${row.matches ? '' : ', no filter match'}${asksLast(row.asks)}`,
  worktree: (row: { name: string; ahead: number | null; behind: number | null; says: string; selected: boolean }) =>
    `${selectedFirst(row.selected)}worktree ${row.name}, ${row.ahead ?? 0} ahead, ${row.behind ?? 0} behind, ${row.says}`,
} as const
