import { isRefusal, Refusal } from '../../../domain/rules/refusal.ts'
import { type Instant, instant } from '../../../domain/words/time.ts'
import { memoryPlace, needsNoRoot } from '../../../memory/working-memory/paths.ts'
import { WorkingMemoryStore } from '../../../memory/working-memory/store.ts'
import { type Answer, type Call, silence } from '../../call/command.ts'
import { exitCodes } from '../../call/exit-codes.ts'

/** The working memories of the call's repository; no database is opened. */
export const workingMemory = async (
  call: Call,
): Promise<{ readonly store: WorkingMemoryStore; readonly root: string | null }> => {
  const root = needsNoRoot(call.environment) ? null : await call.services.repositoryRoot(call.root)
  return {
    root,
    store: new WorkingMemoryStore(memoryPlace(root ?? call.root, call.environment), await call.services.fileLock()),
  }
}

/** Writes an agent's memory. An error of the seed is printed in the seed's words, with code 1. */
export const remember = async (
  call: Call,
  agent: string,
  write: (store: WorkingMemoryStore, now: Instant) => Answer,
): Promise<Answer> => {
  const { root, store } = await workingMemory(call)
  refuseOthers(call, root, agent)
  try {
    return write(store, instant(Date.now()))
  } catch (error) {
    if (isRefusal(error) && error.code === 'invalid_input') return mistake(call, error.message)
    throw error
  }
}

/**
 * A person writes any memory, an agent its own. Its name comes from the environment, unproven without a database: this
 * prevents an agent's mistakes, not deception. An agent of another repository is not an agent here.
 */
const refuseOthers = ({ environment }: Call, root: string | null, agent: string): void => {
  const self = environment['AISWARM_AGENT_ID']
  const elsewhere = root !== null && environment['AISWARM_ROOT'] !== undefined && environment['AISWARM_ROOT'] !== root
  if (self === undefined || self === '' || self === agent || elsewhere) return
  throw new Refusal('not_owner', `You are ${self} and cannot write the working memory of ${agent}. Write your own.`)
}

/** `Error: observation text required` on standard error. */
const mistake = ({ streams, json }: Call, sentence: string): Answer => {
  streams.err(
    json ? `${JSON.stringify({ error: { code: 'invalid_input', message: sentence } })}\n` : `Error: ${sentence}\n`,
  )
  return { ...silence, code: exitCodes.refused }
}

/** JSON for people: characters that a terminal would interpret, or that reorder text, are escaped. */
export const readableJson = (value: unknown, indent = 2): string =>
  JSON.stringify(value, null, indent).replace(
    /[\u007f-\u009f\u200e\u200f\u2028-\u202e\u2066-\u2069]/g,
    (one) => `\\u${one.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )
