import { commonText, counts } from './common.ts'

const waits = (n: number): string => `${n} ${n === 1 ? 'needs' : 'need'} you`

/** The header, drawn and spoken. */
export const headerText = {
  polled: 'polled',
  paused: 'paused',
  noSession: 'no session',
  notSupervised: 'not supervised',
  supervisedBy: (pid: number) => `supervised by pid ${pid}`,
  supervisedByHosts: (hosts: number) => `supervised by ${hosts} ${hosts === 1 ? 'host' : 'hosts'}`,
  cutOff: (since: string) => `cut off from the board since ${since}`,
  cutOffSince: (since: string) => `cut off since ${since}`,
  cutOffShort: 'cut off',
  noSandbox: 'no sandbox',
  refused: 'nothing starts without a sandbox',
  because: (what: string, why: string) => `${what}: ${why}`,
  agents: (running: number, most: number) => `agents ${running}/${most}`,
  agentsHeard: (running: number, most: number) => `${commonText.partOf(running, most)} agents`,
  tasks: (bar: string, done: number, all: number) => `tasks ${bar}${done}/${all}`,
  tasksHeard: (done: number, all: number) => `${commonText.partOf(done, all)} tasks done`,
  waits,
  pace: { done: 'done', failed: 'failed' },
  paceHeard: (attempts: number, how: string) => `${counts.attempts(attempts)} ${how} in the last two hours`,
} as const
