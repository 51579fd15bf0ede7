import { taskStates } from './task.ts'

// The query language for tasks: `state:failed persona:tester age>10m "exact words" -draft`. Terms are joined by `and`,
// a minus negates, a comma inside a value is an `or`.

export type Compare = '>' | '>=' | '<' | '<=' | ':'

/** A name as typed: `*` matches anything, null stands for `none`. */
export type NameTest = { readonly name: string; readonly wild: boolean } | null

export type Test =
  | { readonly kind: 'words'; readonly words: string }
  | { readonly kind: 'state'; readonly states: readonly FilterState[] }
  | { readonly kind: 'name'; readonly key: NameKey; readonly names: readonly NameTest[] }
  | { readonly kind: 'id'; readonly ranges: readonly { readonly from: number; readonly to: number }[] }
  | { readonly kind: 'number'; readonly key: NumberKey; readonly compare: Compare; readonly value: number }
  | { readonly kind: 'span'; readonly key: SpanKey; readonly compare: Exclude<Compare, ':'>; readonly ms: number }
  | { readonly kind: 'is'; readonly what: Standing }

export interface Term {
  readonly not: boolean
  readonly test: Test
}

export interface Filter {
  readonly terms: readonly Term[]
  /** One sentence about the first invalid term; then `terms` is empty. */
  readonly problem: string | null
}

/** States that the board shows and no row stores. */
export const shownStates = ['blocked', 'waiting', 'sleeping', 'stalled', 'over-budget'] as const

export const filterStates = [...taskStates, ...shownStates] as const
export type FilterState = (typeof filterStates)[number]

/**
 * States that are derived: waiting is a retry that is not due, sleeping has no quota, available could be claimed now,
 * over has ended.
 */
export const standings = [...shownStates, 'available', 'held', 'over'] as const
type Standing = (typeof standings)[number]

export type NameKey = 'persona' | 'agent' | 'worktree' | 'session'
export type NumberKey = 'id' | 'priority' | 'attempt'
export type SpanKey = 'age' | 'time'

/** Every key with an example, for completion and for the error about an unknown key. */
export const filterKeys: Readonly<Record<string, { readonly example: string; readonly help: string }>> = {
  state: { example: 'state:failed,blocked', help: 'in this state' },
  persona: { example: 'persona:tester', help: 'for this persona' },
  agent: { example: 'agent:tester-1', help: 'claimed or done by this agent' },
  worktree: { example: 'worktree:user-auth', help: 'in this worktree; none for the main checkout' },
  session: { example: 'session:session-20260130*', help: 'created in this session' },
  is: { example: 'is:stalled', help: 'blocked, waiting, sleeping, stalled, over-budget, available, held or over' },
  blocked: { example: 'blocked:yes', help: 'blocked by another task' },
  id: { example: 'id:3,10-20', help: 'with these numbers' },
  priority: { example: 'priority>=50', help: 'with this priority' },
  attempt: { example: 'attempt>1', help: 'with this many attempts' },
  age: { example: 'age>10m', help: 'created this long ago' },
  time: { example: 'time>5m', help: 'in its state for this long' },
}
