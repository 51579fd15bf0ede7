/** A program to be run on the terminal of a person. */
export type OnTerminal = Pick<Taken, 'argv' | 'folder' | 'environment'>

/** A conversation that a person has taken over, and the CLI's own program that goes on with it on a terminal. */
export interface Taken {
  /** The row by which the person holds the task. */
  readonly holderId: string
  readonly agentId: string
  readonly taskId: number
  readonly argv: readonly string[]
  /** The absolute path of the agent's working folder. */
  readonly folder: string
  /** Variables in addition to the person's own. */
  readonly environment: Readonly<Record<string, string>>
}
