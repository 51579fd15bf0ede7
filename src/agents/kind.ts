/** All that a kind of agent needs to know to start one run. */
export interface Brief {
  readonly agentId: string
  readonly run: number
  readonly persona: { readonly id: string; readonly definition: string }
  /** Absolute path of the folder to work in. */
  readonly folder: string
  readonly worktree: string | null
  readonly task: {
    readonly id: number
    readonly title: string
    readonly description: string
    readonly command: string | null
    readonly acceptanceCriteria: readonly string[]
    readonly contextRef: string | null
    readonly attempt: number
    readonly retryCount: number
    readonly lastError: string | null
  }
  /** Where a prompt can be written for the agent to read. */
  readonly promptFile: string
}

/** What a launcher starts: a program with its arguments, what it reads, what must lie there first. */
export interface Launch {
  readonly argv: readonly string[]
  readonly stdin: string | null
  readonly files: readonly { readonly path: string; readonly content: string }[]
  readonly environment: Readonly<Record<string, string>>
}

/** One kind of agent: facts and pure functions. */
export interface AgentKind {
  readonly name: string
  /**
   * The process is the whole of the work: its task begins with it, its exit code decides, and what it changed is
   * committed for it. Otherwise the agent reports by itself, and ending without having done so is a failure.
   */
  readonly exitDecides: boolean
  launch(brief: Brief): Launch
}
