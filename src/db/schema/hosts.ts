import type { Generated, Insertable, Selectable } from 'kysely'
import type { HostState } from '../../domain/host/host.ts'
import type { RefPlace } from '../../domain/host/remote.ts'
import type { Instant } from '../../domain/words/time.ts'
import type { Json } from './columns.ts'

// The tables of migrations/041_Hosts.sql.

export interface HostsTable {
  id: string
  name: string
  epoch: Generated<number>
  state: Generated<HostState>
  labels: Generated<Json>
  kinds: Json | null
  max_parallel: number | null
  machine: string | null
  root: string | null
  program: string | null
  beat_at: Instant | null
  joined_at: Instant | null
  /** How a person reaches it by SSH (migrations/051_HostCalls.sql). */
  ssh: Generated<string | null>
  /** Heartbeats so far, and the generation of the board that the host has followed (migrations/052_FleetLife.sql). */
  beat_seq: Generated<number>
  generation: Generated<number>
  /** Why it starts nothing new now (migrations/059_HostHolds.sql). */
  hold: Generated<string | null>
  /** Since when the git remote of the board does not answer it (migrations/064_HostFacts.sql). */
  remote_silent_since: Generated<Instant | null>
  /** How many processes its machine carries (migrations/060_Placement.sql). */
  room: Generated<number | null>
  /** Since when it has commits that the git remote has not. */
  unpushed_at: Generated<Instant | null>
  /** The account as which its agents are logged in, if it shares one (migrations/065_AccountSleeps.sql). */
  account: Generated<string | null>
  /** The load for each processor, the part of the memory that is available, and why it gets nothing new (migrations/066_HostLoad.sql). */
  load: Generated<number | null>
  memory_free: Generated<number | null>
  brake: Generated<string | null>
  /** When it was drained until its next worker (migrations/068_DrainedForStop.sql). */
  stopping_at: Generated<Instant | null>
  /** 1: it was draining when it was declared lost (migrations/071_DrainedLostHosts.sql). */
  lost_drained: Generated<0 | 1>
  /** The user as whom its agents run, and why in no sandbox; empty: in one (migrations/075_AgentsOfHost.sql). */
  agents_as: Generated<string | null>
  unconfined: Generated<string | null>
}

export interface HostJoinsTable {
  code_hash: string
  labels: Generated<Json>
  made_at: Instant
  expires_at: Instant
  used_by: string | null
}

/** The only row of migrations/043_CodeExchange.sql, with the columns of 052_FleetLife.sql and 074_RefsOnRemote.sql. */
export interface FleetTable {
  id: 1
  remote: string | null
  /** Where the remote takes the refs of aiswarm. */
  remote_refs: Generated<RefPlace>
  /** Grows when a person says that the board was restored to an earlier time. */
  generation: Generated<number>
  /** 1: uncommitted work is pushed to the remote. */
  snapshots: Generated<0 | 1>
}

/** A worktree that a host had when it came back (migrations/050_LostHosts.sql). */
export interface HostReturnsTable {
  host_id: string
  worktree: string
  returned_at: Instant
  ref: string | null
  problem: string | null
  pushed: 0 | 1
  settled_at: Instant | null
}

/** The tables of migrations/051_HostCalls.sql. */
export interface HostCallsTable {
  id: Generated<number>
  host_id: string
  verb: string
  input: Json
  expires_at: Instant
  answer: Generated<Json | null>
  problem: Generated<string | null>
}

export interface RunTailsTable {
  agent_id: string
  content: string
  size: number
  written_at: Instant
}

/** The table of migrations/056_Sights.sql. */
export interface SightsTable {
  host_id: string
  subject: 'processes' | 'worktrees'
  seen_at: Instant
  content: Json
}

export type HostReturnRow = Selectable<HostReturnsTable>
export type HostRow = Selectable<HostsTable>
export type NewHost = Insertable<HostsTable>
export type HostJoinRow = Selectable<HostJoinsTable>
