// The doorway between an agent's command line and aiswarm outside of its sandbox: one operation by its name, with its
// input as JSON, and the answer as JSON. No command line, no path and no option of the caller is used outside.

/** Who calls, by what it says itself; its token proves it. */
export interface Caller {
  readonly agentId: string
  readonly token: string
}

/** One operation of the list that is open to agents. */
export interface DoorwayCall {
  /** Its name, that of its command: `task list`. */
  readonly operation: string
  readonly input: unknown
  readonly shown: Shown
}

/** How the command line prints the answer. */
export interface Shown {
  readonly json: boolean
  /** True if it prints to a terminal, and whether that can be cleared. */
  readonly terminal: boolean
  readonly clears: boolean
  readonly columns: number | null
}

/** How a call ends. A bug's stack stays outside. */
export type DoorwayEnd =
  | { readonly answer: DoorwayAnswer }
  | { readonly refusal: { readonly code: string; readonly message: string } }
  | { readonly usage: string }
  | { readonly bug: string }

/** The answer of a command; `json` or `text`, whichever is printed, and neither if it has said all before. */
export interface DoorwayAnswer {
  readonly json?: unknown
  readonly text?: string
  readonly code: number
}

/** The output of a call before its end, and the signal that its caller has gone. */
export interface DoorwayOutput {
  readonly out: (text: string) => void
  readonly err: (text: string) => void
  readonly signal: AbortSignal
}
