import { someOf } from '../words/counts.ts'

// The words for what ran, or would run, without a sandbox. A reason is a part of a sentence.

/** Why nothing is confined now. */
export interface Unconfined {
  readonly why: string
  /** True if a person switched it off; then the reason needs no line of its own. */
  readonly chosen: boolean
  /** True if nothing starts, because the sandbox is required. */
  readonly refused?: boolean
}

/** Agents whose programs the kernel did not confine, and why. */
export interface UnconfinedRuns {
  readonly agents: readonly string[]
  readonly why: string
}

/** The most agents that are named. */
const NAMED = 3

/** For a person who approves; `verification` says why that was not confined, if so. */
export const unconfinedFacts = (
  runs: readonly UnconfinedRuns[],
  verification: string | null | undefined,
): readonly string[] => [
  ...runs.map(unconfinedWords),
  ...(typeof verification === 'string' ? [verifiedUnconfined(verification)] : []),
]

/** For a person who approves what was verified. */
export const verifiedUnconfined = (why: string): string => `The verification ran without a sandbox: ${why}`

/** For a person who starts an agent. */
export const startsUnconfined = (why: string): string => `no sandbox: ${why}`

/** Why an agent in a sandbox cannot cause the start of another one: what it starts is as confined as itself. */
export const startsFreer = (
  by: string,
  { kind, personaId }: { readonly kind: string; readonly personaId: string },
  why: string,
): string => `${by} is in a sandbox, and an agent of kind ${kind} for ${personaId} would be in none (${why})`

/** For a person whose agent is refused; `sentence` is the refusal. */
export const doesNotStart = (sentence: string): string =>
  `it would not start: ${sentence[0]!.toLowerCase()}${sentence.slice(1).replace(/\.$/, '')}`

const unconfinedWords = ({ agents, why }: UnconfinedRuns): string =>
  `${someOf(agents, NAMED)} worked without a sandbox: ${why}`

/** As whom the agents of a host run, and why they are in no sandbox; null if they are in one. */
interface AgentsThere {
  readonly as: string
  readonly unconfined: string | null
}

/** The power of the agents of a host, for a person who decides what runs there. */
export const agentsThere = ({ as, unconfined }: AgentsThere): string =>
  unconfined === null
    ? `agents run as ${as}, in a sandbox`
    : `agents run as ${as} without a sandbox (${unconfined.split('; ')[0]!}): they can use what ${as} can on this host, and approve nothing through aiswarm`
