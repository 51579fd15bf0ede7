/** As whom the agents of a host run, and why they are in no sandbox; null if they are in one. */
export interface AgentsThere {
  readonly as: string
  readonly unconfined: string | null
}

/** The power of the agents of a host, for a person who decides what runs there. */
export const agentsThere = ({ as, unconfined }: AgentsThere): string =>
  unconfined === null
    ? `agents run as ${as}, in a sandbox`
    : `agents run as ${as} without a sandbox (${unconfined.split('; ')[0]!}): they can use what ${as} can on this host, and approve nothing through aiswarm`
