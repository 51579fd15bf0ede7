import { z } from 'zod'
import type { Instant } from '../../domain/words/time.ts'

// Seed 002's file, `working_memory_{agent}.json`. Objects are loose, so that unknown keys are kept.

const nullable = z.string().nullable().optional()
const taskContext = z.looseObject({ storyId: nullable, epicId: nullable })
const context = taskContext.extend({ taskId: nullable })

const observation = z.looseObject({ timestamp: z.string(), content: z.string(), context })
const decision = z.looseObject({ timestamp: z.string(), decision: z.string(), reasoning: z.string(), context })
const blocker = z.looseObject({
  timestamp: z.string(),
  blocker: z.string(),
  context,
  resolved: z.boolean(),
  resolution: nullable,
  resolvedAt: nullable,
})
const keyFact = z.looseObject({ content: z.string(), timestamp: z.string(), context, critical: z.boolean().optional() })
const completedTask = z.looseObject({ timestamp: z.string(), taskId: z.string(), context: taskContext })

/** The twelve keys, in the seed's order. */
export const workingMemory = z.looseObject({
  agentName: z.string(),
  sessionId: z.string(),
  initialized: z.string(),
  lastUpdated: z.string(),
  currentContext: context,
  observations: z.array(observation),
  decisions: z.array(decision),
  blockers: z.array(blocker),
  keyFacts: z.record(z.string(), keyFact),
  plan: z.array(z.string()),
  currentStep: z.number().nullable(),
  completedTasks: z.array(completedTask),
})

export type WorkingMemory = z.output<typeof workingMemory>
export type Context = z.output<typeof context>
export type Blocker = z.output<typeof blocker>
export type KeyFact = z.output<typeof keyFact>

/** The lists and the most entries of each (seed 002, "Memory Limits"). */
export const limits = { observations: 100, decisions: 50, blockers: 30, keyFacts: 100, completedTasks: 200 } as const
export type Section = keyof typeof limits

/** An entry that leaves the working memory, as the archive stores it. A plan leaves when another replaces it. */
export interface Leaving {
  readonly section: Section | 'plan'
  /** The key of a key fact. */
  readonly key?: string
  readonly entry: unknown
}

/** A memory after a change, and the entries that left it. */
export interface Change {
  readonly memory: WorkingMemory
  readonly leaving: readonly Leaving[]
}

/** The initial memory of an agent. */
export const beginMemory = (agentName: string, sessionId: string, now: Instant): WorkingMemory => ({
  agentName,
  sessionId,
  initialized: now,
  lastUpdated: now,
  currentContext: { storyId: null, epicId: null, taskId: null },
  observations: [],
  decisions: [],
  blockers: [],
  keyFacts: {},
  plan: [],
  currentStep: null,
  completedTasks: [],
})

export const renderMemory = (memory: WorkingMemory): string => `${JSON.stringify(memory, null, 2)}\n`
