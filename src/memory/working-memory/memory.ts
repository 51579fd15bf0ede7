import { z } from 'zod'
import type { Instant } from '../../domain/words/time.ts'
import { decodeText } from '../decode.ts'
import { withExactNumbers } from '../exact-json.ts'
import { FormatError } from '../format-error.ts'
import { lineAt, placeOf, scanJson } from './json-scan.ts'

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
const workingMemory = z.looseObject({
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

/** The limit exceeds 460 entries with texts of 10,000 characters, each written with six bytes at worst. */
export const LARGEST_MEMORY = 64 * 1024 * 1024

/** Parses a memory file. Throws a `FormatError` with file and line. */
export const parseMemory = (bytes: Uint8Array, file: string): WorkingMemory => {
  const text = decodeText(bytes, file, LARGEST_MEMORY)
  const fault = text.trim() === '' ? { offset: 0, problem: 'the file is empty' } : scanJson(text)
  if (fault) throw new FormatError(file, lineAt(text, fault.offset), `${fault.problem}.`)
  const value = withExactNumbers(JSON.parse(text), text)
  const result = workingMemory.safeParse(value)
  // Not zod's copy, which puts known keys first.
  if (result.success) return value as WorkingMemory
  const issue = result.error.issues[0]!
  const path = issue.path.map((step) => (typeof step === 'symbol' ? String(step) : step))
  throw new FormatError(
    file,
    lineAt(text, placeOf(text, path)),
    `${path.length === 0 ? 'the file' : path.join('.')}: ${issue.message}.`,
  )
}

/**
 * Seed 002's hygiene: when a section exceeds its limit, the least important entries leave it. The oldest go first;
 * resolved blockers before open ones, facts that are not critical before critical ones.
 */
export const keepWithinLimits = (memory: WorkingMemory): Change => {
  const leaving: Leaving[] = []
  const kept: Partial<WorkingMemory> = {}
  for (const section of ['observations', 'decisions', 'blockers', 'completedTasks'] as const) {
    const entries: readonly Readonly<Record<string, unknown>>[] = memory[section]
    const [leave, stay] = parted(entries, limits[section], ({ resolved }) =>
      section === 'blockers' && resolved === false ? 1 : 0,
    )
    if (leave.length === 0) continue
    leaving.push(...leave.map((entry) => ({ section, entry })))
    Object.assign(kept, { [section]: stay })
  }
  const facts = Object.entries(memory.keyFacts)
  const [leave, stay] = parted(
    facts.toSorted(([, one], [, other]) => writtenAt(one) - writtenAt(other)),
    limits.keyFacts,
    ([, { critical }]) => (critical === true ? 1 : 0),
  )
  if (leave.length > 0) {
    leaving.push(...leave.map(([key, entry]) => ({ section: 'keyFacts' as const, key, entry })))
    const keys = new Set(stay.map(([key]) => key))
    kept.keyFacts = Object.fromEntries(facts.filter(([key]) => keys.has(key)))
  }
  return leaving.length === 0 ? { memory, leaving } : { memory: { ...memory, ...kept }, leaving }
}

/**
 * The entries above the limit, in the order in which they leave (the lowest rank first, then the first), and the others
 * in their order.
 */
const parted = <T>(
  entries: readonly T[],
  limit: number,
  rank: (entry: T) => number,
): readonly [leave: readonly T[], stay: readonly T[]] => {
  if (entries.length <= limit) return [[], entries]
  const places = entries.map((_, at) => at).sort((one, other) => rank(entries[one]!) - rank(entries[other]!))
  const leaves = places.slice(0, entries.length - limit)
  const gone = new Set(leaves)
  return [leaves.map((at) => entries[at]!), entries.filter((_, at) => !gone.has(at))]
}

/**
 * Keys made of digits lose their order in an object, so a fact's age comes from its time; one without a time counts as
 * old.
 */
const writtenAt = ({ timestamp }: KeyFact): number => Date.parse(timestamp) || 0
