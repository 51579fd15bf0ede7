import type { z } from 'zod'
import type { Authority } from '../../domain/actor.ts'
import type { Context } from './core.ts'
import type { Wish } from './outside.ts'

/** What an event row names. */
export interface Subject {
  readonly taskId?: number | null
  readonly agentId?: string | null
  readonly worktree?: string | null
  readonly details?: unknown
}

/**
 * One thing that the system can do. `access`: a read needs no transaction, a write is one transaction and one event,
 * a beat is a write without an event (a sign of life).
 */
export interface Operation<Input extends z.ZodType = z.ZodType, Output extends z.ZodType = z.ZodType> {
  readonly name: string
  readonly summary: string
  readonly access: 'read' | 'write' | 'beat'
  readonly authority: Authority
  /** Nobody in this process has to look at the rows again for it. */
  readonly quiet?: true
  /** Takes something away, lets something in, or answers for a person for good: the console does it only when a question was answered that could be read. */
  readonly grave?: true
  readonly input: Input
  readonly output: Output
  run(context: Context, input: z.output<Input>): Promise<z.output<Output>>
  /** What the event names; null where nothing happened that is worth an event. */
  subject?(output: z.output<Output>, input: z.output<Input>): Subject | null
  /** What remains to be done outside, if anything; the row already says so too. */
  wish?(output: z.output<Output>, input: z.output<Input>): Wish | undefined
  /** The output as it stands after the wish was carried out. */
  reread?(context: Context, output: z.output<Output>): Promise<z.output<Output>>
}

/** Names the types of an operation once. */
export const operation = <Input extends z.ZodType, Output extends z.ZodType>(definition: Operation<Input, Output>): Operation<Input, Output> => definition
