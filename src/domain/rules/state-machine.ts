/**
 * A state machine is a table with one interpreter: for each verb the states it starts from and the state it leads to.
 */
export type Machine<State extends string, Verb extends string> = Readonly<
  Record<Verb, { readonly from: readonly State[]; readonly to: State }>
>

/** The state after `verb`, or undefined if the verb does not apply. */
export const step = <State extends string, Verb extends string>(
  machine: Machine<State, Verb>,
  verb: Verb,
  state: State,
): State | undefined => (machine[verb].from.includes(state) ? machine[verb].to : undefined)
