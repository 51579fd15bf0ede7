import type { z } from 'zod'
import { selectAgent } from '../../db/agents.ts'
import { insertEvent } from '../../db/events.ts'
import type { Db } from '../../db/sqlite.ts'
import { type Actor, checkAuthority } from '../../domain/actor.ts'
import { Refusal } from '../../domain/refusal.ts'
import type { Context, Core } from './core.ts'
import type { Operation, Subject } from './operation.ts'
import type { Connection } from './outside.ts'

/**
 * The only door: reads the input once, checks the actor's authority, runs the operation in one transaction
 * and appends one event. Refuses with a `Refusal`; anything else that is thrown is a bug.
 */
export const perform = async <I extends z.ZodType, O extends z.ZodType>(core: Core, operation: Operation<I, O>, input: z.input<I>, actor: Actor): Promise<z.output<O>> => {
  const parsed = parse(operation, input)
  checkAuthority(operation.name, operation.authority, actor)
  if (operation.access === 'read') return operation.run(contextOf(core, core.store.read, actor), parsed)
  return core.store.write(async (db) => {
    const context = contextOf(core, db, actor)
    if (actor.kind === 'agent') await refuseEnded(context, actor.id)
    const output = await operation.run(context, parsed)
    if (operation.access === 'write') await append(context, operation.name, operation.subject ? operation.subject(output, parsed) : {})
    return output
  })
}

/** As `perform`, then does outside what the operation left to be done, and answers as things then stand. */
export const act = async <I extends z.ZodType, O extends z.ZodType>({ core, actor, outside }: Connection, operation: Operation<I, O>, input: z.input<I>): Promise<z.output<O>> => {
  const output = await perform(core, operation, input, actor)
  const wish = operation.wish?.(output, parse(operation, input))
  if (!wish) return output
  await outside.carryOut(wish)
  return operation.reread ? operation.reread(contextOf(core, core.store.read, actor), output) : output
}

const parse = <I extends z.ZodType>(operation: Operation<I, z.ZodType>, input: z.input<I>): z.output<I> => {
  const result = operation.input.safeParse(input)
  if (result.success) return result.data
  const issue = result.error.issues[0]!
  const where = issue.path.length > 0 ? ` at ${issue.path.join('.')}` : ''
  throw new Refusal('invalid_input', `${operation.name}${where}: ${issue.message}.`)
}

const contextOf = ({ store: _, clock, ...rest }: Core, db: Db, actor: Actor): Context => ({ ...rest, db, now: clock(), actor })

const refuseEnded = async ({ db }: Context, agentId: string): Promise<void> => {
  const agent = await selectAgent(db, agentId)
  if (!agent || agent.status === 'terminated') throw new Refusal('not_allowed', `Agent ${agentId} has ended; nothing more is taken from it.`)
}

const append = async ({ db, now, actor }: Context, operation: string, subject: Subject | null): Promise<void> => {
  if (subject === null) return
  await insertEvent(db, {
    at: now,
    actor: actor.id,
    operation,
    task_id: subject.taskId ?? null,
    agent_id: subject.agentId ?? null,
    worktree: subject.worktree ?? null,
    details: subject.details === undefined ? null : JSON.stringify(subject.details),
  })
}
