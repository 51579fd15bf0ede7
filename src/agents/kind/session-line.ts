// The lines that aiswarm writes into the journal of an agent. They say what is to be done; the driver in the relay knows
// the session and the state of the turn, and makes the messages of the protocol.

/** The words of a person. */
export interface Words {
  readonly id: string
  readonly text: string
}

/** A verdict of a person. */
export interface Verdict {
  readonly call: string
  readonly allow: boolean
  /** Said after a denial, whose words the agent would not read otherwise. */
  readonly then?: Words | undefined
}

/** A line of the journal, with the opening and the verdict of one protocol. */
export type SessionLine<O, V extends Verdict> =
  | ({ readonly do: 'open' } & O)
  /** `now`: in the middle of a turn, or instead of the rest of it; otherwise after its end. */
  | ({ readonly do: 'say'; readonly now: boolean } & Words)
  | { readonly do: 'stop'; readonly id: string }
  | ({ readonly do: 'answer' } & V)
