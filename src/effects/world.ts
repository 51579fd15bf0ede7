import type { Duplex } from 'node:stream'
import type { AgentKind } from '../agents/kind/kind.ts'
import type { Report, Trail } from '../agents/reading/report.ts'
import type { Caller, DoorwayCall, DoorwayEnd, DoorwayOutput } from '../contracts/doorway.ts'
import type { Outside } from '../contracts/outside.ts'
import { type Actor, system } from '../domain/agent/actor.ts'
import type { ContextUse } from '../domain/agent/context-health.ts'
import type { MemoryConfig } from '../memory/session-files/memory-config.ts'
import type { Core } from '../operations/perform/core.ts'
import type { RunReport } from '../operations/runs/reports.ts'
import type { AgentRun } from '../operations/supervision/wishes.ts'

/** The complete report of a run: for decisions, as recorded, and its actions. */
export interface Finished {
  readonly report: Report
  readonly record: RunReport
  readonly use: ContextUse
  readonly trail: Trail
}

/** The reports of agents in the output of their runs. */
interface Reports {
  /** Reads what is new and records it if it says something new. */
  readonly follow: (world: World, run: AgentRun) => Promise<void>
  /** Everything that a run that is over has said; undefined for kinds whose output is for people. */
  readonly finish: (world: World, run: AgentRun) => Promise<Finished | undefined>
}

/** The conversations with agents whose input is a journal. */
interface Conversations {
  /** The runs among these about which there may be news. */
  readonly due: (world: World, runs: readonly AgentRun[]) => readonly AgentRun[]
  /** Takes in what an agent has printed, and sends it what is due. */
  readonly pump: (world: World, run: AgentRun) => Promise<void>
  /** Takes in what an agent has printed, before its output is shortened; `cut` then says to which size. */
  readonly hear: (world: World, run: AgentRun) => Promise<void>
  readonly cut: (run: AgentRun, size: number) => void
  /** Takes in the last that an agent has printed. */
  readonly finish: (world: World, run: AgentRun) => Promise<void>
}

/** The part of the outside for which other hosts may ask this one. */
export type Sights = Pick<
  Outside,
  | 'readOutput'
  | 'readRawOutput'
  | 'inspectAgent'
  | 'observeProcesses'
  | 'observeWorktrees'
  | 'readVerification'
  | 'census'
  | 'worktreeContents'
  | 'presentWorktree'
  | 'readReviewFile'
  | 'conversations'
>

/** The services for agents that reach this process, which name themselves and prove it by a token. Neither rejects. */
export interface Doorway {
  /** Serves MCP on a stream. */
  readonly tools: (caller: Caller, stream: Duplex) => Promise<void>
  /** Performs one operation of the list that is open to agents. */
  readonly perform: (caller: Caller, call: DoorwayCall, output: DoorwayOutput) => Promise<DoorwayEnd>
}

/** Everything the loops work with: the core, their identity, and the kinds of agents. */
export interface World {
  readonly core: Core
  /** The program itself; in the loops, in the term in which this process supervises. */
  readonly actor: Actor
  /** Names this process in leases. */
  readonly holder: string
  readonly kinds: ReadonlyMap<string, AgentKind>
  /** The place of the session's files (seed 000). */
  readonly memory: MemoryConfig
  /** The reports of agents' runs, as far as this process has read them. */
  readonly reports: Reports
  /** The conversations with agents' runs, as far as this process has read them. */
  readonly talks: Conversations
  /** Answers to other hosts; missing where there are none. */
  readonly sights?: () => Promise<Sights>
  /** The services for agents that reach this process; only the program itself has them. */
  readonly doorway?: Doorway
  /** The version of aiswarm. */
  readonly version: string
  /** The command line of aiswarm itself, for the program that agents find on their PATH. */
  readonly self: readonly string[]
  /** Reports a message to the person that has no row; `isGood` for the end of a problem. */
  readonly report: (sentence: string, isGood?: boolean) => void
}

/**
 * The world for loops that write only while this process has their role: those of a host, or without one those that plan.
 * `term` returns the number of its current term; a copy of the world stays in the term in which it was made.
 */
export const supervising = (world: World, term: () => number, host?: string): World => ({
  ...world,
  get actor() {
    return system({ holder: world.holder, term: term(), ...(host === undefined ? {} : { host }) })
  },
})
