/** The subject of each group of commands. */
export const nouns: Readonly<Record<string, string>> = {
  task: 'Tasks on the board.',
  agent: 'Agents and their processes.',
  request: 'Requests of agents to a person.',
  worktree: 'Git worktrees that agents work in, and their integration into the target branch.',
  target: 'Target branches that something other than aiswarm has moved.',
  checkout: 'Changes of the main checkout while agents ran.',
  persona: 'Personas: the roles of agents.',
  session: 'Sessions: periods of work on the board.',
  memory: 'Memories: session files, working memories, project memory, conversations.',
  'memory adr': 'Decisions of the project and their relations.',
  'memory phase': 'Phases of the project.',
  'memory conversations': 'Stored conversations.',
  'memory executions': 'Stored executions: tools, errors and observations of conversations.',
  db: 'The coordination database.',
  fleet: 'Several machines on one board.',
  host: 'The hosts of the board.',
}
