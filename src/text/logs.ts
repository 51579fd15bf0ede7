/** The logs of all agents. */
export const logText = {
  title: 'Logs of all agents',
  errorsOnly: 'errors only',
  andWorse: (level: string) => `${level} and worse`,
  wrapped: 'wrapped',
  dropped: (lines: number) => `${lines} older lines let go`,
  nothingThatBad: 'Nothing is as bad as that; another level shows more.',
  // The command first: it is what a narrow terminal must not cut.
  onlyTheNotes: (notes: number) => `… 'aiswarm task logs ID': older than the last ${notes} notes`,
  onlyTheAgents: (agents: number) => `… 'aiswarm agent logs ID': output of agents that ended before the last ${agents}`,
  onlyTheEnd: (size: string, agent: string) => `… 'aiswarm agent logs ${agent} --raw': ${size} before this`,
  tooFast: (size: string) => `… ${size} were printed faster than they could be shown …`,
  typeFirst: 'Type {search-logs} and the words to look for first.',
  notFound: (words: string) => `No line that is shown has ‘${words}’.`,
  noError: 'There is no error among these lines.',
  // The path first: it is what a narrow terminal must not cut.
  saved: (lines: number, path: string) => `Saved ${path}, ${lines} ${lines === 1 ? 'line' : 'lines'}.`,
} as const

/** What the console costs, in cells that do not change their width. */
export const gaugeText = {
  noKey: 'key→frame: no key yet',
  keys: (p50: string, p99: string) => `key→frame p50 ${p50} p99 ${p99} ms`,
  refresh: (p50: string, p99: string) => `refresh p50 ${p50} p99 ${p99} ms`,
  wrote: (kilobytes: string, all: string) => `wrote ${kilobytes}K/s, ${all} in all`,
  waits: (ms: string, longest: string) => `db wait ${ms} ms, most ${longest}`,
  processes: (ofAgents: number, running: number, started: number) => `procs: agents ${ofAgents}, own ${running}/${started}`,
  heldUp: (p99: string, longest: string) => `held up p99 ${p99} most ${longest} ms`,
  noRoom: 'The gauge has no room here: it needs more rows.',
} as const
