import { z } from 'zod'
import { Refusal } from '../../domain/rules/refusal.ts'
import type { Instant } from '../../domain/words/time.ts'
import { block, decide, observe, recordFact, resolveBlocker } from '../../memory/working-memory/changes.ts'
import { excerptOf } from '../../memory/working-memory/excerpt.ts'
import type { Change, WorkingMemory } from '../../memory/working-memory/memory.ts'
import { memoryPlace } from '../../memory/working-memory/paths.ts'
import { type FileLock, newFactKey, WorkingMemoryStore } from '../../memory/working-memory/store.ts'
import { memoryRow, type MemoryTool } from './memory-tool.ts'
import type { ToolRow } from './tool.ts'

const recorded = z.object({ agent: z.string(), timestamp: z.string() })

/** Seed 002's working memory: an agent writes only its own, which its connection identifies; any client reads all. */
export const workingMemoryTools = (
  root: string,
  lock: FileLock,
  environment: Readonly<Record<string, string | undefined>> = process.env,
): readonly ToolRow[] => {
  // In one piece because it is a table: a row describes one tool.
  const store = new WorkingMemoryStore(memoryPlace(root, environment), lock)
  const record = ({ writer, now }: Caller, change: (memory: WorkingMemory) => Change) => {
    const agent = ownerOf(writer)
    store.update(agent, change, now)
    return { agent, timestamp: now }
  }
  return [
    row({
      name: 'record_observation',
      title: 'Record an observation',
      description: 'Keep an observation in your working memory.',
      input: z.strictObject({ content: z.string() }),
      output: recorded,
      call: ({ content }, caller) => record(caller, (memory) => observe(memory, content, caller.now)),
    }),
    row({
      name: 'record_decision',
      title: 'Record a decision',
      description: 'Keep a decision and why you made it in your working memory.',
      input: z.strictObject({ decision: z.string(), reasoning: z.string() }),
      output: recorded,
      call: ({ decision, reasoning }, caller) =>
        record(caller, (memory) => decide(memory, decision, reasoning, caller.now)),
    }),
    row({
      name: 'record_blocker',
      title: 'Record a blocker',
      description: 'Keep a blocker in your working memory.',
      input: z.strictObject({ blocker: z.string() }),
      output: recorded,
      call: ({ blocker }, caller) => record(caller, (memory) => block(memory, blocker, caller.now)),
    }),
    row({
      name: 'resolve_blocker',
      title: 'Resolve a blocker',
      description: 'Mark your open blocker that contains this text as resolved.',
      input: z.strictObject({ blocker: z.string(), resolution: z.string() }),
      output: recorded,
      call: ({ blocker, resolution }, caller) =>
        record(caller, (memory) => resolveBlocker(memory, blocker, resolution, caller.now)),
    }),
    row({
      name: 'record_key_fact',
      title: 'Record a key fact',
      description: 'Keep a fact for later in your working memory. It replaces one with the same key.',
      input: z.strictObject({
        content: z.string(),
        key: z.string().optional(),
        critical: z.boolean().optional().describe('Kept longest'),
      }),
      output: recorded.extend({ key: z.string() }),
      call: ({ content, key, critical = false }, caller) => {
        const named = key ?? newFactKey(caller.now)
        return {
          ...record(caller, (memory) => recordFact(memory, { key: named, content, critical }, caller.now)),
          key: named,
        }
      },
    }),
    row({
      name: 'get_working_memory',
      title: 'Get a working memory',
      description:
        "Get your working memory, or another agent's: context, observations, decisions, blockers, key facts, plan. Null if there is none.",
      reads: true,
      input: z.strictObject({ agent: z.string().optional().describe('Default: you') }),
      output: z.object({
        agent: z.string(),
        memory: z.record(z.string(), z.unknown()).nullable(),
        leftOut: z.array(z.string()),
      }),
      call: ({ agent }, { writer }) => {
        const whose = agent ?? writer
        if (whose === null)
          throw new Refusal('invalid_input', 'get_working_memory at agent: you are not an agent, so name one.')
        const memory = store.read(whose)
        return { agent: whose, ...(memory === undefined ? { memory: null, leftOut: [] } : excerptOf(memory)) }
      },
    }),
  ]
}

interface Caller {
  /** The agent of the connection; null for any other caller. */
  readonly writer: string | null
  readonly now: Instant
}

const ownerOf = (writer: string | null): string => {
  if (writer === null)
    throw new Refusal('not_owner', 'Only its agent writes a working memory, and you are not an agent.')
  return writer
}

interface Definition<I extends z.ZodType> extends Omit<MemoryTool<I>, 'call' | 'idempotent'> {
  readonly call: (input: z.output<I>, caller: Caller) => Readonly<Record<string, unknown>>
}

const row = <I extends z.ZodType>({ call, ...tool }: Definition<I>): ToolRow =>
  memoryRow({
    ...tool,
    call: (input, { agentId, connection }) => call(input, { writer: agentId, now: connection.core.clock() }),
  })
