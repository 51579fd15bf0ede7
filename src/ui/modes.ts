import type { Mode } from './state.ts'

/** What may lie over the panes, in the order of the help, with the words above its keys there. */
export const modeTitles: Readonly<Record<Mode, string>> = {
  list: 'On the panes',
  detail: 'When something is open',
  approval: 'Before an integration',
  search: 'When looking for words in a diff',
  verification: 'In the output of a verification',
  request: 'When an agent asks',
  radar: 'In the conflict radar',
  guard: 'When the configuration has changed',
  inbox: 'In the inbox',
  budget: 'When a budget is used up',
  commands: 'In the git commands',
  memory: 'In the memories',
  'memory-search': 'When looking for words in the memories',
  record: 'In what is remembered',
  plots: 'In the plots',
  logs: 'In the logs of all agents',
  past: 'In the timeline',
  'log-search': 'When looking for words in the logs',
  confirm: 'When asked',
  help: 'In this help',
  'help-search': 'When looking for a key',
  palette: 'Among the commands',
  answer: 'In what a command said',
  filter: 'In the filter',
  filters: 'Among the saved filters',
  form: 'In a form',
}

export const modes = Object.keys(modeTitles) as readonly Mode[]
