import { isRefusal, Refusal } from '../../domain/rules/refusal.ts'
import { instant, type Instant } from '../../domain/words/time.ts'
import {
  block,
  completeTask,
  type ContextChange,
  contextKeys,
  decide,
  observe,
  recordFact,
  resolveBlocker,
  setContext,
  setPlan,
  setStep,
} from '../../memory/working-memory/changes.ts'
import type { Change, WorkingMemory } from '../../memory/working-memory/memory.ts'
import { memoryPlace, needsNoRoot } from '../../memory/working-memory/paths.ts'
import { newFactKey, WorkingMemoryStore } from '../../memory/working-memory/store.ts'
import { type Answer, type Call, type Command, does, exitCodes, silence } from '../call/command.ts'
import { text, whole } from '../call/values.ts'
import { argument, flag, option, several } from '../call/words.ts'
import { counted } from '../print/columns.ts'

const agent = argument('AGENT', 'Agent that owns the memory, such as dev', text)
/** A missing text is an error of the seed (002), and a text may begin with "-". */
const textOf = (description: string) => ({ ...several('TEXT', description, text, 'optional'), given: true })

/** An agent's working memory (seed 002). */
export const workingMemoryCommands: readonly Command[] = [
  does({
    path: 'memory observation',
    summary: "Record an observation in an agent's working memory",
    words: { agent, words: textOf('What was observed') },
    run: ({ agent, words }, call) =>
      update(call, agent, 'Observation persisted', (memory, now) => observe(memory, words.join(' '), now)),
    example: 'memory observation dev "The API answers in snake case"',
  }),
  does({
    path: 'memory decision',
    summary: 'Record a decision and why it was made',
    words: { agent, words: textOf('The decision, then the reasoning') },
    run: ({ agent, words: [decision = '', ...reasoning] }, call) =>
      update(call, agent, 'Decision persisted', (memory, now) => decide(memory, decision, reasoning.join(' '), now)),
    example: 'memory decision dev "Use SQLite" "One file, no server"',
  }),
  does({
    path: 'memory blocker',
    summary: 'Record a blocker',
    words: { agent, words: textOf('The blocker') },
    run: ({ agent, words }, call) =>
      update(call, agent, 'Blocker persisted', (memory, now) => block(memory, words.join(' '), now)),
    example: 'memory blocker dev "No access to the test server"',
  }),
  does({
    path: 'memory keyfact',
    summary: 'Record an important fact',
    words: {
      agent,
      words: textOf('The fact'),
      key: option('--key', 'NAME', 'Key of the fact; an earlier fact with this key is archived', text),
      critical: flag('--critical', 'Archive it last'),
    },
    run: ({ agent, words, key: given, critical }, call) =>
      remember(call, agent, (store, now) => {
        const key = given ?? newFactKey(now)
        store.update(agent, (memory) => recordFact(memory, { key, content: words.join(' '), critical }, now), now)
        return { json: { agent, key }, text: `✓ Key fact persisted for ${agent} with key: ${key}` }
      }),
    example: 'memory keyfact dev --key db "PostgreSQL 16 on port 5433"',
  }),
  does({
    path: 'memory resolve-blocker',
    summary: 'Resolve the open blocker that contains a text',
    words: { agent, words: textOf('Part of the blocker, then the resolution') },
    run: ({ agent, words }, call) => resolveBlockerOf(call, agent, words),
    example: 'memory resolve-blocker dev "test server" "Got an account"',
  }),
  does({
    path: 'memory context',
    summary: 'Set the work context of an agent; later entries contain it',
    words: {
      agent,
      pairs: {
        ...several('KEY=VALUE', `${contextKeys.join(', ')}; an empty value removes it`, text, 'optional'),
        given: true,
      },
    },
    run: ({ agent, pairs }, call) =>
      update(call, agent, 'Context persisted', (memory, now) => setContext(memory, contextOf(pairs), now)),
    example: 'memory context dev storyId=S1 epicId=E1',
  }),
  does({
    path: 'memory plan',
    summary: 'Write the steps of a plan; the previous plan is archived',
    words: { agent, steps: { ...several('STEP', 'Steps in order', text), given: true } },
    run: ({ agent, steps }, call) =>
      update(call, agent, 'Plan persisted', (memory, now) => setPlan(memory, steps, now)),
    example: 'memory plan dev "Write the test" "Make it pass"',
  }),
  does({
    path: 'memory step',
    summary: "Set the current step of an agent's plan",
    words: { agent, step: argument('N', 'Number of the step', whole) },
    run: ({ agent, step }, call) =>
      update(call, agent, 'Current step persisted', (memory, now) => setStep(memory, step, now)),
    example: 'memory step dev 2',
  }),
  does({
    path: 'memory complete',
    summary: 'Record a task as completed',
    words: { agent, words: { ...several('TASK', 'The task', text), given: true } },
    run: ({ agent, words }, call) =>
      update(call, agent, 'Completed task persisted', (memory, now) => completeTask(memory, words.join(' '), now)),
    example: 'memory complete dev task-7',
  }),
  does({
    path: 'memory show',
    summary: "Print an agent's working memory as JSON, or null",
    words: { agent },
    run: async ({ agent }, call) => {
      const memory = (await workingMemory(call)).store.read(agent) ?? null
      return { json: memory, text: readableJson(memory) }
    },
    example: 'memory show dev',
  }),
  does({
    path: 'memory hygiene',
    summary: 'Archive the records above the limits of a working memory',
    words: { agent },
    run: ({ agent }, call) =>
      remember(call, agent, (store, now) => {
        const archived = store.clean(agent, now)?.archived.length ?? 0
        return {
          json: { agent, archived },
          text: `✓ Memory hygiene done for ${agent}: ${counted(archived, 'record')} archived`,
        }
      }),
    example: 'memory hygiene dev',
  }),
  does({
    path: 'memory archive',
    summary: "Print the archived records of an agent's working memory, one JSON value per line",
    words: { agent },
    run: async ({ agent }, call) => {
      const records = (await workingMemory(call)).store.archive(agent)
      return { json: records, text: records.map((record) => readableJson(record, 0)).join('\n') }
    },
    example: 'memory archive dev',
  }),
]

/** `words`: a text of the blocker, then its resolution. */
const resolveBlockerOf = (
  call: Call,
  agent: string,
  [blocker = '', ...resolution]: readonly string[],
): Promise<Answer> =>
  update(call, agent, 'Blocker resolved', (memory, now) => resolveBlocker(memory, blocker, resolution.join(' '), now))

const update = (
  call: Call,
  agent: string,
  done: string,
  change: (memory: WorkingMemory, now: Instant) => Change,
): Promise<Answer> =>
  remember(call, agent, (store, now) => {
    const { archived } = store.update(agent, (memory) => change(memory, now), now)
    return { json: { agent, archived: archived.length }, text: `✓ ${done} for ${agent}` }
  })

const contextOf = (pairs: readonly string[]): ContextChange => {
  if (pairs.length === 0) throw new Refusal('invalid_input', 'context key=value required')
  return Object.fromEntries(
    pairs.map((pair) => {
      const [key = '', ...value] = pair.split('=')
      if (!contextKeys.some((known) => known === key) || !pair.includes('=')) {
        throw new Refusal(
          'invalid_input',
          `${JSON.stringify(pair.slice(0, 60))} is not a key of the context; use ${contextKeys.join('=, ')}=`,
        )
      }
      return [key, value.join('=') || null]
    }),
  )
}

/** One name for two commands: a conflict between sources (seed 001, one word) and a blocker (seed 002, three words). */
export const memoryResolve = (resolveSubject: (subject: string, call: Call) => Promise<Answer>): Command =>
  does({
    path: 'memory resolve',
    summary: 'Resolve a conflict between sources about a SUBJECT, or a blocker (AGENT TEXT RESOLUTION)',
    words: { words: { ...several('WORD', 'SUBJECT, or AGENT TEXT RESOLUTION', text), given: true } },
    run: async ({ words: [first = '', ...rest] }, call) => {
      if (rest.length === 0) return resolveSubject(first, call)
      if (rest.length === 1)
        throw new Refusal(
          'invalid_input',
          "'memory resolve' takes one word, a subject, or three: agent, text of the blocker and resolution.",
        )
      return resolveBlockerOf(call, first, rest)
    },
    example: 'memory resolve dev "test server" "Got an account"',
  })

/** The working memories of the call's repository; no database is opened. */
const workingMemory = async (
  call: Call,
): Promise<{ readonly store: WorkingMemoryStore; readonly root: string | null }> => {
  const root = needsNoRoot(call.environment) ? null : await call.services.repositoryRoot(call.root)
  return {
    root,
    store: new WorkingMemoryStore(memoryPlace(root ?? call.root, call.environment), await call.services.fileLock()),
  }
}

/** Writes an agent's memory. An error of the seed is printed in the seed's words, with code 1. */
const remember = async (
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
const readableJson = (value: unknown, indent = 2): string =>
  JSON.stringify(value, null, indent).replace(
    /[\u007f-\u009f\u200e\u200f\u2028-\u202e\u2066-\u2069]/g,
    (one) => `\\u${one.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )
