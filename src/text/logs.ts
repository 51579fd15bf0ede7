/** The logs of all agents. */
export const logText = {
  title: 'Logs of all agents',
  attempt: (task: number, attempt: number) => `── task ${task}, attempt ${attempt} ──`,
  errorsOnly: 'errors only',
  andWorse: (level: string) => `${level} and above`,
  wrapped: 'wrapped',
  dropped: (lines: number) => `${lines} older lines dropped`,
  nothingThatBad: 'No line has this level. Choose a lower level.',
  // The command comes first, so that a narrow terminal does not cut it.
  onlyTheNotes: (notes: number) => `… 'aiswarm task logs ID': older than the last ${notes} notes`,
  onlyTheAgents: (agents: number) => `… 'aiswarm agent logs ID': output of agents that ended before the last ${agents}`,
  onlyTheEnd: (size: string, agent: string) => `… 'aiswarm agent logs ${agent} --raw': ${size} before this`,
  tooFast: (size: string) => `… ${size} of output arrived too fast to show …`,
  typeFirst: 'Press {search-logs} and type a search text first.',
  notFound: (words: string) => `No shown line contains ‘${words}’.`,
  noError: 'No error in these lines.',
  // The path comes first, so that a narrow terminal does not cut it.
  saved: (lines: number, path: string) => `Saved ${path}, ${lines} ${lines === 1 ? 'line' : 'lines'}.`,
} as const
