// Differences between the CLIs that speak the Agent Client Protocol, each seen with the real program. The opening line
// of a journal contains those that the relay needs.

export interface Differences {
  /** Modes in which it asks, in the order of preference; each session, also a loaded one, is put into the first that it has. */
  readonly modes: readonly string[]
  /** The title of a command is the exact command; there is no other field with it. */
  readonly titled?: boolean
  /** A rejected call ends its turn. Otherwise the turn goes on, and is cancelled if there are words to be read. */
  readonly rejectEnds?: boolean
  /** It asks for words after each call of a tool, with this method: they reach it in the middle of a turn. */
  readonly drains?: string
  /** An error of its service that it prints as if the model had said it. */
  readonly errorText?: RegExp
  /** How long it may take to end after the end of its input (ms). */
  readonly patience: number
}

/** Any other agent: what the protocol promises. */
export const plain: Differences = { modes: ['default'], patience: 5000 }

export const geminiAcp: Differences = { modes: ['default'], titled: true, patience: 1000 }

export const qwenAcp: Differences = {
  modes: ['default'],
  rejectEnds: true,
  drains: 'craft/drainMidTurnQueue',
  patience: 1000,
}

export const opencodeAcp: Differences = {
  modes: ['aiswarm'],
  rejectEnds: true,
  patience: 4000,
}

export const copilotAcp: Differences = {
  modes: [],
  rejectEnds: true,
  errorText: /^Error: /,
  patience: 3000,
}
