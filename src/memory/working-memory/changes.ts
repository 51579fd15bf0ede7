import { Refusal } from '../../domain/rules/refusal.ts'
import type { Instant } from '../../domain/words/time.ts'
import { type Blocker, type Change, type Context, type Leaving, type WorkingMemory } from './memory.ts'

// The changes of a working memory. Each entry has a copy of the context in which it was written.

/** The longest text (characters). */
export const LONGEST_TEXT = 10_000

export const observe = (memory: WorkingMemory, content: string, now: Instant): Change =>
  changed(
    memory,
    {
      observations: [
        ...memory.observations,
        { timestamp: now, content: checked('observation', content), context: contextOf(memory) },
      ],
    },
    now,
  )

export const decide = (memory: WorkingMemory, decision: string, reasoning: string, now: Instant): Change => {
  const entry = {
    timestamp: now,
    decision: checked('decision', decision),
    reasoning: notTooLong('reasoning', reasoning),
    context: contextOf(memory),
  }
  return changed(memory, { decisions: [...memory.decisions, entry] }, now)
}

export const block = (memory: WorkingMemory, blocker: string, now: Instant): Change => {
  const entry = {
    timestamp: now,
    blocker: checked('blocker', blocker),
    context: contextOf(memory),
    resolved: false,
    resolution: null,
    resolvedAt: null,
  }
  return changed(memory, { blockers: [...memory.blockers, entry] }, now)
}

/** Resolves the open blocker that equals `text`, otherwise the oldest that contains it. */
export const resolveBlocker = (memory: WorkingMemory, text: string, resolution: string, now: Instant): Change => {
  const wanted = openBlocker(memory, checked('blocker', text))
  const resolved = { ...wanted, resolved: true, resolution: checked('resolution', resolution), resolvedAt: now }
  return changed(memory, { blockers: memory.blockers.map((one) => (one === wanted ? resolved : one)) }, now)
}

const openBlocker = ({ agentName, blockers }: WorkingMemory, text: string): Blocker => {
  const open = blockers.filter(({ resolved }) => !resolved)
  const found = open.find(({ blocker }) => blocker === text) ?? open.find(({ blocker }) => blocker.includes(text))
  if (!found)
    throw new Refusal('not_found', `No open blocker of ${agentName} contains ${JSON.stringify(text.slice(0, 60))}.`)
  return found
}

interface NewFact {
  readonly key: string
  readonly content: string
  /** True if it is kept longest. */
  readonly critical: boolean
}

/** An existing fact with the key moves to the archive. */
export const recordFact = (memory: WorkingMemory, { key, content, critical }: NewFact, now: Instant): Change => {
  if (!/^[A-Za-z0-9][A-Za-z0-9_-]{0,49}$/.test(key)) {
    throw new Refusal(
      'invalid_name',
      `${JSON.stringify(key.slice(0, 60))} is not a fact key; use 1 to 50 letters, digits, - or _, beginning with a letter or digit.`,
    )
  }
  const fact = {
    content: checked('key fact', content),
    timestamp: now,
    context: contextOf(memory),
    ...(critical ? { critical } : {}),
  }
  const former = Object.hasOwn(memory.keyFacts, key)
    ? [{ section: 'keyFacts' as const, key, entry: memory.keyFacts[key] }]
    : []
  const others = Object.entries(memory.keyFacts).filter(([other]) => other !== key)
  return changed(memory, { keyFacts: Object.fromEntries([...others, [key, fact]]) }, now, former)
}

export const contextKeys = ['storyId', 'epicId', 'taskId'] as const
export type ContextChange = { readonly [K in (typeof contextKeys)[number]]?: string | null }

/** Changes the named keys only. */
export const setContext = (memory: WorkingMemory, change: ContextChange, now: Instant): Change => {
  for (const value of Object.values(change)) notTooLong('context', value ?? '')
  return changed(memory, { currentContext: { ...memory.currentContext, ...change } }, now)
}

/** The previous plan moves to the archive. */
export const setPlan = (memory: WorkingMemory, steps: readonly string[], now: Instant): Change => {
  const { plan, currentStep } = memory
  const former = plan.length === 0 ? [] : [{ section: 'plan' as const, entry: { plan, currentStep } }]
  return changed(memory, { plan: steps.map((step) => checked('step', step)), currentStep: null }, now, former)
}

export const setStep = (memory: WorkingMemory, step: number, now: Instant): Change => {
  const { length } = memory.plan
  if (!Number.isSafeInteger(step) || step < 0) throw new Refusal('invalid_input', 'a step is a whole number, 0 or more')
  if (length > 0 && step > length)
    throw new Refusal('invalid_input', `step ${step} is not in the plan, which has ${length}`)
  return changed(memory, { currentStep: step }, now)
}

export const completeTask = (memory: WorkingMemory, taskId: string, now: Instant): Change => {
  const { storyId = null, epicId = null } = memory.currentContext
  return changed(
    memory,
    {
      completedTasks: [
        ...memory.completedTasks,
        { timestamp: now, taskId: checked('task', taskId), context: { storyId, epicId } },
      ],
    },
    now,
  )
}

const changed = (
  memory: WorkingMemory,
  change: Partial<WorkingMemory>,
  now: Instant,
  leaving: readonly Leaving[] = [],
): Change => ({
  memory: { ...memory, ...change, lastUpdated: now },
  leaving,
})

const contextOf = ({ currentContext: { storyId = null, epicId = null, taskId = null } }: WorkingMemory): Context => ({
  storyId,
  epicId,
  taskId,
})

const checked = (what: string, text: string): string => {
  if (text.trim() === '') throw new Refusal('invalid_input', `${what} text required`)
  return notTooLong(what, text)
}

const notTooLong = (what: string, text: string): string => {
  // A surrogate pair counts as one character; a text of at most that many units needs no counting.
  const length = text.length <= LONGEST_TEXT ? text.length : [...text].length
  if (length > LONGEST_TEXT)
    throw new Refusal(
      'invalid_input',
      `${what} text has ${length} characters, and at most ${LONGEST_TEXT} are kept; write less`,
    )
  return text
}
