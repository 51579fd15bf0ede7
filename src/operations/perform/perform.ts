import { createHash } from 'node:crypto'
import type { z } from 'zod'
import type { Wish } from '../../contracts/outside.ts'
import { selectAgent } from '../../db/agents.ts'
import type { Db } from '../../db/engine/db.ts'
import type { RowScope } from '../../db/engine/store.ts'
import { insertCallResult, insertEvent, selectCallResult } from '../../db/events.ts'
import { type Actor, checkAuthority } from '../../domain/agent/actor.ts'
import { isRefusal, Refusal, type RefusalCode } from '../../domain/rules/refusal.ts'
import { NUL, placeOfNul } from '../../domain/words/json-limits.ts'
import { type Instant, milliseconds } from '../../domain/words/time.ts'
import type { Connection, Context, Core, KeptNote } from './core.ts'
import type { Operation, Subject } from './operation.ts'
import { refuseRoleLost } from './roles.ts'

/**
 * The only door to the rows: parses the input once, checks the actor's authority, runs the operation in one transaction
 * and appends one event. Refuses with a `Refusal`; any other error is a bug.
 */
export const perform = async <I extends z.ZodType, O extends z.ZodType>(
  core: Core,
  operation: Operation<I, O>,
  input: z.input<I>,
  actor: Actor,
  options: PerformOptions = {},
): Promise<z.output<O>> => {
  const parsed = parse(operation, input, actor)
  if (options.requestId !== undefined) refuseNul(operation, options.requestId, ['requestId'])
  checkAuthority(operation.name, operation.authority, actor)
  if (operation.access === 'read') {
    const read = async (db: Db): Promise<z.output<O>> => {
      const context = contextOf(core, db, actor)
      await refuseEnded(context)
      return operation.run(context, parsed)
    }
    return core.store.reading ? core.store.reading(read) : read(core.store.read)
  }
  const done = core.store.write(
    async (db, at, last) => {
      const context = contextOf(core, db, actor, at)
      await refuseEnded(context)
      await refuseRoleLost(context)
      const call =
        operation.access === 'write' && options.requestId !== undefined
          ? { requestId: options.requestId, operation: operation.name, input: parsed }
          : undefined
      const known = call && (await resultOf(context, call))
      if (known) return known.result as z.output<O>
      const output = await operation.run(context, parsed)
      const wish = operation.wish?.(output, parsed)
      if (wish) options.check?.(wish)
      if (call) await rememberResult(context, call, output)
      if (operation.access === 'write')
        await append(
          { ...context, db: last },
          operation.name,
          operation.subject ? operation.subject(output, parsed) : {},
        )
      return output
    },
    { quiet: operation.quiet === true, scope: scopeOf(operation, parsed, actor, options) },
  )
  return operation.keeps === undefined || core.keep === undefined
    ? done
    : kept(core, done, operation.keeps(parsed, actor))
}

export interface PerformOptions {
  /** A repeated call with the same id by the same actor is done once and gets the same answer. */
  readonly requestId?: string
  /** Milliseconds after which `act` answers even if outside work remains; the rows record the rest. */
  readonly patience?: number
  /** Refuses the outside work that the operation would request; then nothing is written. */
  readonly check?: ((wish: Wish) => void) | undefined
}

/**
 * As `perform`, then does the outside work and returns the resulting state; refuses beforehand if the work would be in
 * vain.
 */
export const act = async <I extends z.ZodType, O extends z.ZodType>(
  { core, actor, outside }: Connection,
  operation: Operation<I, O>,
  input: z.input<I>,
  options: PerformOptions = {},
): Promise<z.output<O>> => {
  const output = await perform(core, operation, input, actor, { ...options, check: outside.check })
  const wish = operation.wish?.(output, parse(operation, input, actor))
  if (!wish) return output
  try {
    await within(outside.carryOut(wish), options.patience)
    return operation.reread ? await operation.reread(contextOf(core, core.store.read, actor), output) : output
  } catch (error) {
    throw isRefusal(error) && OUT.has(error.code) ? writtenBefore(error) : error
  }
}

/** Waits no longer than `patience`; a later refusal is found in the rows. */
const within = async (work: Promise<void>, patience: number | undefined): Promise<void> => {
  if (patience === undefined) return work
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<void>((resolve) => (timer = setTimeout(resolve, patience)))
  work.catch(() => {})
  await Promise.race([work, late])
  clearTimeout(timer)
}

/** The refusals of a board that cannot be asked now. */
const OUT: ReadonlySet<RefusalCode> = new Set(['store_unreachable', 'database_busy'])

/** The same call again would be another one: its write is on the board, and the supervisor does the rest. */
const writtenBefore = (cause: Refusal): Refusal =>
  new Refusal(
    cause.code,
    'This is recorded on the board, but the board did not answer afterwards, so its end could not be seen. Do not repeat it; look at it when the board answers again.',
    { cause, retryable: false },
  )

/**
 * The input of an operation in its parsed form. Refuses what the schema refuses, and a text with a NUL character, which
 * not every database can store. The loops record what programs print and files contain, and cannot ask for another
 * text: theirs is kept with the replacement character instead.
 */
const parse = <I extends z.ZodType>(operation: Operation<I, z.ZodType>, input: z.input<I>, actor: Actor): z.output<I> =>
  safely(operation, () => {
    const result = operation.input.safeParse(input)
    if (!result.success) {
      const { path, message } = result.error.issues[0]!
      throw invalid(operation, path, message)
    }
    if (actor.kind === 'system') return withoutNul(result.data)
    refuseNul(operation, result.data)
    return result.data
  })

/** Refuses a text with a NUL character anywhere in a value; its path follows `path` in the refusal. */
const refuseNul = (operation: { readonly name: string }, value: unknown, path: readonly string[] = []): void => {
  const place = placeOfNul(value)
  if (place)
    throw invalid(operation, [...path, ...place], 'it has a NUL character, which a text cannot have; remove it')
}

const invalid = (operation: { readonly name: string }, path: readonly PropertyKey[], message: string): Refusal => {
  const where = path.length > 0 ? ` at ${path.map(String).join('.').replaceAll(NUL, INSTEAD)}` : ''
  return new Refusal('invalid_input', `${operation.name}${where}: ${message}.`)
}

/** A value of ten thousand levels needs more stack than available. */
const safely = <T>(operation: { readonly name: string }, work: () => T): T => {
  try {
    return work()
  } catch (error) {
    if (!(error instanceof RangeError)) throw error
    throw new Refusal(
      'invalid_input',
      `${operation.name}: the input is nested too deeply. Use fewer levels, or write it to a file.`,
      { cause: error },
    )
  }
}

/** U+FFFD, which stands for what could not be read. */
const INSTEAD = '\ufffd'

const withoutNul = <T>(value: T): T => (placeOfNul(value) === undefined ? value : (replaced(value) as T))

const replaced = (value: unknown): unknown => {
  if (typeof value === 'string') return value.replaceAll(NUL, INSTEAD)
  if (Array.isArray(value)) return value.map(replaced)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([key, part]) => [replaced(key), replaced(part)]))
}

/** A store with a clock of its own gives the instant of a write; its users share that clock and no other. */
const contextOf = ({ store, clock, monotonic, ...rest }: Core, db: Db, actor: Actor, at?: Instant): Context => {
  const now = at ?? store.now?.() ?? clock()
  const tick = (store.now ? undefined : monotonic?.()) ?? { boot: 'wall', ms: milliseconds(now) }
  return { ...rest, db, now, tick, ahead: store.isAhead?.() === true, actor }
}

/** An agent's token is checked with every call: it ends with the attempt for which it was issued. */
const refuseEnded = async ({ db, actor }: Context): Promise<void> => {
  if (actor.kind !== 'agent') return
  const agent = await selectAgent(db, actor.id)
  if (!agent || agent.status === 'terminated')
    throw new Refusal('not_allowed', `Agent ${actor.id} has ended, so its calls are rejected.`)
  if (actor.tokenHash !== undefined && agent.token_hash !== actor.tokenHash) {
    throw new Refusal(
      'not_allowed',
      `The run of ${actor.id} has ended, so its token is not valid any more. End your turn now.`,
    )
  }
}

/** A call with an id, so that it can be repeated if its answer was lost. */
interface NamedCall {
  readonly requestId: string
  readonly operation: string
  readonly input: unknown
}

/** The earlier answer to the same call; undefined if it is new. Refuses an id that was used for another call. */
const resultOf = async ({ db, actor }: Context, call: NamedCall): Promise<{ readonly result: unknown } | undefined> => {
  const known = await selectCallResult(db, actor.id, call.requestId)
  if (!known) return undefined
  if (known.operation !== call.operation || known.input_hash !== hashOf(call.input)) {
    throw new Refusal(
      'invalid_input',
      `The requestId '${call.requestId.slice(0, 60)}' was used for another call. Use a new id for every call.`,
    )
  }
  return { result: JSON.parse(known.result) as unknown }
}

const rememberResult = ({ db, actor, now }: Context, call: NamedCall, result: unknown): Promise<void> =>
  insertCallResult(db, {
    actor: actor.id,
    request_id: call.requestId,
    operation: call.operation,
    input_hash: hashOf(call.input),
    result: JSON.stringify(result),
    at: now,
  })

const hashOf = (input: unknown): string => createHash('sha256').update(JSON.stringify(input)).digest('hex')

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

/** The answer to a request id belongs to the caller, so only an agent's own call may remember it beside other writes. */
const scopeOf = <I extends z.ZodType>(
  operation: Operation<I, z.ZodType>,
  input: z.output<I>,
  actor: Actor,
  { requestId }: PerformOptions,
): RowScope | undefined => {
  const scope = operation.scope?.(input, actor)
  return requestId === undefined || scope?.agentId === actor.id ? scope : undefined
}

/** A note that cannot be written now is kept on this host; its agent must not repeat it. */
const kept = async <T>({ keep }: Core, done: Promise<T>, note: KeptNote | undefined): Promise<T> => {
  try {
    return await done
  } catch (error) {
    if (!isOut(error) || note === undefined || !keep!(note)) throw error
    throw noteKept(error)
  }
}

/** True if the board could not be reached and nothing was written: what may be there would be written twice. */
export const isOut = (error: unknown): error is Refusal =>
  isRefusal(error) && error.code === 'store_unreachable' && error.retryable

/** Tells an agent that its note is not lost. */
export const noteKept = (cause: unknown): Refusal =>
  new Refusal(
    'store_unreachable',
    'The board cannot be reached now. Your note is kept on this host with its time and is delivered later: do not send it again, and keep working.',
    { cause, retryable: false },
  )
