import { isReadOnly, isRefusal, type Refusal } from '../../domain/rules/refusal.ts'
import type { Unconfined } from '../../domain/sandbox/unconfined.ts'
import { endWorker, takeHost } from '../../operations/hosts/worker.ts'
import { perform } from '../../operations/perform/perform.ts'
import { hostRole, SUPERVISOR } from '../../operations/perform/roles.ts'
import { readRole, releaseLease, takeLease } from '../../operations/supervision/leases.ts'
import { unpushedFor } from '../hosts/code-exchange.ts'
import { rememberBeat } from '../hosts/own-host.ts'
import { comeBack } from '../hosts/return-host.ts'
import { isDeadHolder } from '../lease.ts'
import { userHere } from '../processes/identity.ts'
import { makeTriedStanding } from '../sandbox/confinement.ts'
import { supervising, type World } from '../world.ts'
import { loadHere, roomHere, whyBraked, whyHold } from './capacity.ts'

interface Asked {
  readonly granted: boolean
  readonly holder: string
  readonly holderPid: number | null
  readonly term: number
  readonly lapsed?: number
}

/** A lease under which loops run: whether this process has it, which process has it otherwise, and in which term. */
class Role {
  /** The world of the loops in their present term; a copy of it stays in the term in which it was made. */
  readonly acting: World
  readonly #world: World
  readonly #name: string
  readonly #ask: (ttl: number) => Promise<Asked>
  /** Called before the role is given back. */
  readonly #leave: (acting: World) => Promise<unknown>
  #standing: { readonly here: boolean; readonly pid: number | null } = { here: false, pid: null }
  #term = 0
  #lapsed = 0
  /** The version of the database when this was last asked. */
  #asked = -1
  /** Until when it is left to others, by the clock of `performance`. */
  #leftUntil = -Infinity
  readonly #leftTo = new Set<string>()

  constructor(
    world: World,
    name: string,
    ask: (ttl: number) => Promise<Asked>,
    { host, leave = () => Promise.resolve() }: { host?: string; leave?: (acting: World) => Promise<unknown> } = {},
  ) {
    this.#leave = leave
    this.#world = world
    this.#name = name
    this.#ask = ask
    this.acting = supervising(world, () => this.#term, host)
  }

  get here(): boolean {
    return this.#standing.here
  }

  /** How long no process had the role when this one last took or renewed it (ms). */
  get lapsed(): number {
    return this.here ? this.#lapsed : 0
  }

  get standing(): { readonly here: boolean; readonly pid: number | null } {
    return this.#standing
  }

  /** Takes or renews the role for `ttl` ms; true if this process did not have it before. */
  async take(ttl: number): Promise<boolean> {
    if (performance.now() < this.#leftUntil) return false
    const before = this.here
    let lease = await this.#ask(ttl)
    // A killed holder does nothing any more: no process has to wait for the end of its term.
    if (!lease.granted && lease.holder !== '' && isDeadHolder(lease.holder, this.#world.core.host)) {
      await this.#release(lease.holder)
      lease = await this.#ask(ttl)
    }
    if (lease.granted) this.#term = lease.term
    this.#lapsed = lease.lapsed ?? 0
    this.#standing = { here: lease.granted, pid: lease.holderPid }
    return lease.granted && !before
  }

  /** True if another host may have given the role back, which is noticed with the commits of others. */
  async isGivenBack(): Promise<boolean> {
    const { core, actor } = this.#world
    const version = core.store.version()
    if (this.here || typeof core.host !== 'string' || version === this.#asked) return false
    if (performance.now() < this.#leftUntil) return false
    this.#asked = version
    return (await perform(core, readRole, { name: this.#name }, actor)).free
  }

  /**
   * Gives the role back to a host with a newer aiswarm, which has `ms` to take it; once for each, so that one that does
   * not take it is not waited for again. True if it was given back now.
   */
  async leaveTo({ name, program }: { readonly name: string; readonly program: string }, ms: number): Promise<boolean> {
    const newer = `${name} ${program}`
    if (this.#leftTo.has(newer)) return false
    this.#leftTo.add(newer)
    this.#leftUntil = performance.now() + ms
    this.#world.report(`Host ${name} has a newer aiswarm (${program}) and plans from now on.`)
    await this.release()
    this.lose()
    return true
  }

  lose(): void {
    this.#standing = { here: false, pid: null }
  }

  async release(): Promise<void> {
    if (this.here)
      try {
        await this.#leave(this.acting)
      } catch (error) {
        // Another process has the role now.
        if (!isRefusal(error)) throw error
      }
    try {
      await this.#release(this.#world.holder)
    } catch (error) {
      // On a board that it may only read, a process has no role to give back.
      if (this.here || !isRefusal(error) || !isReadOnly(error)) throw error
    }
  }

  #release(holder: string): Promise<unknown> {
    const { core, actor } = this.#world
    return perform(core, releaseLease, { name: this.#name, holder }, actor)
  }
}

export type { Role }

/** The role of the process that plans for the board; on a board with one host it also has the loops of that host. */
export const leaderOf = (world: World): Role =>
  new Role(world, SUPERVISOR, (ttl) =>
    perform(world.core, takeLease, { name: SUPERVISOR, holder: world.holder, pid: process.pid, ttl }, world.actor),
  )

/** As whom agents run here, and whether in a sandbox, once that was tried. */
const agentsOf = (standing: Unconfined | null | undefined) =>
  standing === undefined
    ? {}
    : // Where the sandbox is required and missing, nothing runs outside of one.
      { agentsAs: userHere(), unconfined: standing === null || standing.refused === true ? null : standing.why }

/** The role of the process that runs the agents of this host and builds its worktrees; undefined on a board with one host. */
export const hostRoleOf = (
  world: World,
  { maxHere: maxParallel, labels }: Pick<SupervisorOptions, 'maxHere' | 'labels'>,
): Role | undefined => {
  const { core, actor, holder, version: program } = world
  const { host: hostId } = core
  if (typeof hostId !== 'string') return undefined
  const kinds = (): string[] => core.kinds.filter((kind) => core.missingProgram?.(kind) === undefined)
  const standing = makeTriedStanding(core)
  // A person may change them later.
  let named = labels
  const ask = async (ttl: number) => {
    const machine = loadHere()
    const asked = await perform(
      core,
      takeHost,
      {
        hostId,
        holder,
        pid: process.pid,
        ttl,
        root: core.root,
        program,
        kinds: kinds(),
        hold: whyHold(world) ?? null,
        room: roomHere(),
        ...machine,
        ...agentsOf(standing()),
        brake: whyBraked(machine, core.settings.fleet) ?? null,
        unpushedFor: unpushedFor(core, performance.now()),
        upFor: Math.round(performance.now()),
        ...(maxParallel === undefined ? {} : { maxParallel }),
        ...(named === undefined ? {} : { labels: [...named] }),
      },
      actor,
    )
    if (asked.granted) named = undefined
    if (asked.beat) rememberBeat(core.root, asked.beat)
    return asked
  }
  return new Role(
    world,
    hostRole(hostId),
    async (ttl) => {
      const asked = await ask(ttl)
      return asked.state === 'lost' && (await comeBack(world, hostId)) ? ask(ttl) : asked
    },
    { host: hostId, leave: (acting) => perform(core, endWorker, { hostId }, acting.actor) },
  )
}

export interface SupervisorOptions {
  /** The most agents at a time on the whole board; null: what the configuration says at each moment. */
  readonly maxParallel: number | null
  /** The most on this host, if a person has set a limit. */
  readonly maxHere?: number
  /** The labels of this host, if they are set anew. */
  readonly labels?: readonly string[]
  /** Called once if the board does not know this host any more; the loops have ended then. */
  readonly forgotten?: (refusal: Refusal) => void
}
