import { commonText, counts } from './common.ts'
import { rangeText } from './panes.ts'

/** The plots of a session. */
export const plotText = {
  title: 'Plots',
  noSession: 'No session yet.',
  rates: (step: string) => `Per ${step}`,
  burnDown: 'Burn-down',
  lanes: 'Attempts',
  ended: (session: string, attempts: number) => `${session}, ${counts.attempts(attempts)} ended`,
  burnNote: (open: number | undefined, made: number, closed: number) =>
    `${open} open, ${made} created, ${closed} closed`,
  agentsSeen: (first: number, last: number, all: number) => `${rangeText(first, last, all)} agents`,
  leftOut: (what: string) => `not shown: ${what}`,
  /** The values at the bottom and at the top of a plot. */
  scale: (most: string, plain: boolean) => `scale 0${plain ? '-' : '–'}${most}`,
  cost: 'cost',
  tokens: 'tokens',
  notTold: 'not reported',
  unpriced: (costs: string, tokens: string) => `${costs} without ${tokens} tokens`,
  saidLane: (agent: string, attempts: number) => `${agent}: ${counts.attempts(attempts)}`,
  endingHeard: { completed: 'completed', failed: 'failed', stopped: 'stopped', working: 'working' },
  endings: { completed: 'completed', failed: 'failed', stopped: 'stopped', working: commonText.underWay },
} as const
