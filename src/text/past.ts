/** The timeline: a past moment of the session. */
export const pastText = {
  title: (at: string, session: string) => `Timeline  ${at}${session === '' ? '' : `  ${session}`}`,
  tasks: (n: number, isWhole: boolean) => `${n} tasks${isWhole ? '' : ', earlier ones unknown'}`,
  noTask: 'No tasks yet.',
  agents: 'Agents',
  noAgent: 'No agents.',
  some: (rows: number, of: number) => `${rows} of ${of}`,
  worktrees: 'Worktrees',
  noWorktree: 'No worktrees.',
  beforeFirst: 'Before the first event.',
  task: (id: number, title: string | undefined) => `task ${id}${title === undefined ? '' : ` (${title})`}`,
  bar: (playing: boolean, at: number, of: number, after: string) =>
    `timeline, ${playing ? 'playing, ' : ''}event ${at} of ${of}, ${after}`,
} as const
