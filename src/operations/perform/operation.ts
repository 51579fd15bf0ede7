import type { z } from 'zod'
import type { Wish } from '../../contracts/outside.ts'
import type { RowScope } from '../../db/engine/store.ts'
import type { Actor, Authority } from '../../domain/agent/actor.ts'
import type { RecordedOperation } from '../../domain/session/replay.ts'
import { once } from '../../domain/words/once.ts'
import type { Context, KeptNote } from './core.ts'

/** The objects that an event row names. */
export interface Subject {
  readonly taskId?: number | null
  readonly agentId?: string | null
  readonly worktree?: string | null
  readonly details?: unknown
}

/**
 * One operation of the system. `access`: a read needs no transaction, a write is one transaction and one event, a beat
 * is a write without an event (such as a heartbeat).
 */
export interface Operation<Input extends z.ZodType = z.ZodType, Output extends z.ZodType = z.ZodType> {
  readonly name: string
  readonly summary: string
  readonly access: 'read' | 'write' | 'beat'
  readonly authority: Authority
  /** True if no reader in this process must reload the rows for it. */
  readonly quiet?: true
  /**
   * True if it discards, merges, or answers for a person permanently: the console performs it only after a readable
   * question was answered.
   */
  readonly grave?: true
  /**
   * The rows that a write decides over and changes, if those are one agent, what it holds, and one task: on a server it
   * then runs beside other such writes. Undefined: it is alone on the board. What it reads of other rows must not change
   * its decision, or only from yes to no.
   */
  readonly scope?: (input: z.output<Input>, actor: Actor) => RowScope | undefined
  /** The note that is kept on this host while the store cannot be reached, to be delivered later. */
  readonly keeps?: (input: z.output<Input>, actor: Actor) => KeptNote | undefined
  readonly input: Input
  readonly output: Output
  run(context: Context, input: z.output<Input>): Promise<z.output<Output>>
  /** The objects that the event names; null if nothing happened that deserves an event. */
  subject?(output: z.output<Output>, input: z.output<Input>): Subject | null
  /** The outside work that remains, if any; the row also records it. */
  wish?(output: z.output<Output>, input: z.output<Input>): Wish | undefined
  /** The output after the wish was carried out. */
  reread?(context: Context, output: z.output<Output>): Promise<z.output<Output>>
}

/** A write leaves an event, so the replay must know its name. */
type Recorded = { readonly access: 'write'; readonly name: RecordedOperation } | { readonly access: 'read' | 'beat' }

/** An operation as it is written down: its schemas as functions, because building all of them took 4 % of the console's first frame. */
type Definition<Input extends z.ZodType, Output extends z.ZodType> = Omit<
  Operation<Input, Output>,
  'input' | 'output'
> & { readonly input: () => Input; readonly output: () => Output }

/** Infers the types of an operation from its definition, and builds its schemas when they are first used. */
export const operation = <Input extends z.ZodType, Output extends z.ZodType>({
  input,
  output,
  ...definition
}: Definition<Input, Output> & Recorded): Operation<Input, Output> => {
  const schemas = { input: once(input), output: once(output) }
  return {
    ...definition,
    get input() {
      return schemas.input()
    },
    get output() {
      return schemas.output()
    },
  }
}

/**
 * The scope of an operation on the agent that acts (and the task that it names); undefined if the call does not say which
 * agent that is.
 */
export const ofActing = (
  { agentId, taskId }: { readonly agentId?: string | undefined; readonly taskId?: number | undefined },
  actor: Actor,
): RowScope | undefined => {
  const acting = agentId ?? (actor.kind === 'agent' ? actor.id : undefined)
  return acting === undefined ? undefined : { agentId: acting, ...(taskId === undefined ? {} : { taskId }) }
}
