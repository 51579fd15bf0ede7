// The parts of a conversation with an agent that every CLI reports in its own form.

/** A change of a file by a tool: the text that it replaces, '' for a new file, and the text that it writes. */
export interface Edit {
  readonly path: string
  readonly before: string
  readonly after: string
}

export interface PlanStep {
  readonly text: string
  readonly state: 'open' | 'doing' | 'done'
}
