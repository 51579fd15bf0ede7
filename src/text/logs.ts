/** The logs of all agents. */
export const logText = {
  title: 'Logs of all agents',
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

/** The gauge: cells of constant width. */
export const gaugeText = {
  noKey: 'key→frame: no key yet',
  keys: (p50: string, p99: string) => `key→frame p50 ${p50} p99 ${p99} ms`,
  refresh: (p50: string, p99: string) => `refresh p50 ${p50} p99 ${p99} ms`,
  wrote: (kilobytes: string, all: string) => `wrote ${kilobytes}K/s, ${all} total`,
  waits: (ms: string, longest: string) => `db wait ${ms} ms, max ${longest}`,
  processes: (ofAgents: number, running: number, started: number) => `procs: agents ${ofAgents}, own ${running}/${started}`,
  heldUp: (p99: string, longest: string) => `blocked p99 ${p99} max ${longest} ms`,
  noRoom: 'The gauge needs more rows. Enlarge the terminal.',
} as const
