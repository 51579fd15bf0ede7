/** The subject of each group of commands. */
export const nouns: Readonly<Record<string, string>> = {
  task: 'Tasks on the board.',
  agent: 'Agents and their processes.',
  request: 'What agents ask of a person.',
  worktree: 'Git worktrees that agents work in, and their way into the target branch.',
  target: 'Target branches that something other than aiswarm has moved.',
  checkout: 'The main checkout, as far as it changed while agents ran.',
  persona: 'Personas: what an agent is told to be.',
  session: 'Sessions: one stretch of work on the board.',
  memory: 'What the swarm remembers: session files, working memories, the project, conversations.',
  'memory adr': 'Decisions of the project and how they relate.',
  'memory phase': 'Phases of the project.',
  'memory conversations': 'Conversations that are remembered.',
  'memory executions': 'What was executed in them.',
  db: 'The coordination database.',
}
