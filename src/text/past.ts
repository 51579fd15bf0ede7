/** A past moment of the session. */
export const pastText = {
  title: (at: string, session: string) => `The past  ${at}${session === '' ? '' : `  ${session}`}`,
  tasks: (n: number, isWhole: boolean) => `${n} tasks${isWhole ? '' : ', what was before is not known'}`,
  noTask: 'There was no task yet.',
  agents: 'Agents',
  noAgent: 'There was no agent.',
  worktrees: 'Worktrees',
  noWorktree: 'There was no worktree.',
  beforeFirst: 'Before the first event.',
  task: (id: number) => `task ${id}`,
  worktree: (name: string) => `worktree ${name}`,
  bar: (playing: boolean, at: number, of: number, after: string) => `the past, ${playing ? 'playing, ' : ''}event ${at} of ${of}, ${after}`,
} as const
