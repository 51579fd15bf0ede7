/** A state machine is a table with one interpreter: which verbs lead from which states to which. */
export type Machine<State extends string, Verb extends string> = Readonly<Record<Verb, { readonly from: readonly State[]; readonly to: State }>>

/** The state that `verb` leads to, or undefined where the verb does not apply. */
export const step = <State extends string, Verb extends string>(machine: Machine<State, Verb>, verb: Verb, state: State): State | undefined =>
  machine[verb].from.includes(state) ? machine[verb].to : undefined
