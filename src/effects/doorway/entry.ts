// The doorway through which agents reach aiswarm: a socket of their sandbox, or that of the process that runs the agents
// of a host, so that no process of an agent has a connection to the board's server, or needs its password.

/** The variable that leads an agent's `aiswarm` to the folder of the socket. */
export const WORKER = 'AISWARM_WORKER'

/** The variable that lets an agent's `aiswarm` open the board itself while no process serves its host. */
export const ALONE = 'AISWARM_WITHOUT_WORKER'

/** The name of that socket. */
export const WORKER_SOCKET = 'worker'

/** The answer to a call while no process serves it: none is there, or it is stopped. */
export const NOT_SERVED =
  'The process that runs the agents of this host does not answer. Nothing is lost: keep working, and call again in a minute.'

/** Whether these words start the MCP server; an agent's server is the same in every role. */
export const isServer = (args: readonly string[], root: string): boolean => {
  const words = args.filter((word, at) => word !== '--root' && args[at - 1] !== '--root' && word !== `--root=${root}`)
  return words.join(' ') === 'mcp' || words.join(' ') === 'mcp --as planner'
}
