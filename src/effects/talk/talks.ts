import { statSync } from 'node:fs'
import type { AgentKind } from '../../agents/kind/kind.ts'
import type { Heard, Talk } from '../../agents/kind/conversation.ts'
import type { Actor } from '../../domain/agent/actor.ts'
import { isRefusal, isUndecided } from '../../domain/rules/refusal.ts'
import { LineAssembler } from '../../domain/words/output-lines.ts'
import { perform } from '../../operations/perform/perform.ts'
import { readRun } from '../../operations/runs/reports.ts'
import { readTalk, recordTalk } from '../../operations/runs/talk.ts'
import type { AgentRun } from '../../operations/supervision/wishes.ts'
import { requestPermission } from '../../operations/requests/permissions.ts'
import { outputPath } from '../files/paths.ts'
import { readOutput } from '../processes/output.ts'
import { fence, unlessRoleLost, whileHolding } from '../lease.ts'
import type { World } from '../world.ts'
import { Conversation, type Plan } from './conversation.ts'
import { appendEntries, journalIds, journalPath, uuidOf } from './journal.ts'

/** A longer line is not a message of a CLI (characters). */
const LONGEST_LINE = 4 * 1024 * 1024

/** The conversation with a run, and how far its output was read. */
interface Known {
  readonly conversation: Conversation
  readonly lines: LineAssembler
  readonly listen: (line: string) => readonly Heard[]
  offset: number
  /** The version of the database and the size of the output that were taken in. */
  version: number
  size: number
  /** The size of the journal that was taken in. */
  journal: number
  /** True if the state of the conversation may have changed since the last plan. */
  changed: boolean
}

/** The conversations of this process with running agents. */
export class Talks {
  readonly #known = new Map<string, Known>()
  readonly #turns = new Map<string, Promise<unknown>>()

  /** The runs among these about which there may be news: their output has grown, or rows have changed. */
  due(world: World, runs: readonly AgentRun[]): readonly AgentRun[] {
    const version = world.core.store.version()
    return runs.filter((run) => {
      if (!run.talks || run.process !== 'started' || run.stopRequestedAt !== null) return false
      const known = this.#known.get(keyOf(run))
      return known?.version !== version || known.size !== sizeOf(world, run)
    })
  }

  /** Takes in what an agent has printed, and sends it what is due. */
  async pump(world: World, run: AgentRun): Promise<void> {
    const talk = talkOf(world, run)
    if (!talk) return
    await this.#inTurn(run, async () => {
      const version = world.core.store.version()
      const known = await this.#hear(world, run, talk)
      // Words alone change nothing, and an agent prints many of them.
      if (known.version !== version || known.changed) {
        known.version = -1
        const plan = await plannedFor(world, run, talk, known.conversation)
        // A lease that is still held, such as one whose release an outage has refused, ends without a commit.
        if (!isEmpty(plan) && !(await this.#send(world, run, talk, known.conversation))) return
      }
      known.changed = false
      known.version = version
    })
  }

  /** Takes in what an agent has printed; for an output that is about to be shortened. */
  async hear(world: World, run: AgentRun): Promise<void> {
    const talk = talkOf(world, run)
    if (talk) await this.#inTurn(run, () => this.#hear(world, run, talk))
  }

  /** The output was shortened after it had been read to its end, which is there now. */
  cut(run: AgentRun, size: number): void {
    const known = this.#known.get(keyOf(run))
    if (known) known.offset = size
  }

  /** Takes in the last that an agent has printed. */
  async finish(world: World, run: AgentRun): Promise<void> {
    await this.hear(world, run)
    this.#known.delete(keyOf(run))
  }

  async #hear(world: World, run: AgentRun, talk: Talk): Promise<Known> {
    const known = this.#known.get(keyOf(run)) ?? (await begin(world, run, talk))
    this.#known.set(keyOf(run), known)
    // Every commit leads here, so a journal that has not grown is not read again.
    const journal = statSync(journalPath(world.core.root, run)).size
    if (journal !== known.journal) {
      known.conversation.wrote(journalIds(world.core, run))
      known.changed = true
    }
    known.journal = journal
    await readOn(world, run, known)
    const { version } = known
    // If the board refuses what was heard, the run is due again at once.
    known.version = -1
    await ask(world, run, known.conversation)
    await record(world, known.conversation)
    known.version = version
    return known
  }

  /**
   * Writes what is due, while no other process does. Under the lease everything is read again: a line that another
   * process has written, even one that died before it recorded it, is not written again. False if another process may still
   * be writing.
   */
  async #send(world: World, run: AgentRun, talk: Talk, conversation: Conversation): Promise<boolean> {
    const sent = await unlessRoleLost(() =>
      whileHolding(world, `talk ${keyOf(run)}`, 0, async (held) => {
        conversation.wrote(journalIds(held.core, run))
        const plan = await plannedFor(held, run, talk, conversation)
        if (plan.entries.length > 0) {
          await fence(held)
          appendEntries(held.core, run, plan.entries)
          conversation.wrote(journalIds(held.core, run))
        }
        await record(held, conversation, plan.handedOver)
      }),
    )
    return sent !== undefined
  }

  /** Serialises the work on one run: it may end while it is spoken to. */
  async #inTurn<T>(run: AgentRun, work: () => Promise<T>): Promise<T> {
    const turn = (this.#turns.get(keyOf(run)) ?? Promise.resolve()).catch(() => {}).then(work)
    this.#turns.set(keyOf(run), turn)
    return turn.finally(() => {
      if (this.#turns.get(keyOf(run)) === turn) this.#turns.delete(keyOf(run))
    })
  }
}

const keyOf = ({ agentId, run }: AgentRun): string => `${agentId}.${run}`

const isEmpty = ({ entries, handedOver }: Plan): boolean => entries.length + handedOver.length === 0

/** Everything that a board which is away does not take stays news until it does. */
const record = async (
  { core, actor }: Pick<World, 'core' | 'actor'>,
  conversation: Conversation,
  handedOver: readonly number[] = [],
): Promise<void> => {
  const { news } = conversation
  const { seen, withdrawn, told } = news
  if (handedOver.length + seen.length + withdrawn.length + told.length === 0) return
  const input = { handedOver: [...handedOver], seen: [...seen], withdrawn: [...withdrawn], told: [...told] }
  await perform(core, recordTalk, input, actor)
  conversation.recorded(news)
}

const talkOf = ({ kinds }: { readonly kinds: ReadonlyMap<string, AgentKind> }, run: AgentRun): Talk | undefined =>
  run.talks ? kinds.get(run.kind)?.talk : undefined

const sizeOf = ({ core }: World, run: AgentRun): number =>
  statSync(outputPath(core.root, run.agentId), { throwIfNoEntry: false })?.size ?? 0

const begin = async ({ core, actor }: World, run: AgentRun, talk: Talk): Promise<Known> => ({
  conversation: new Conversation((id) => uuidOf(core, run, id)),
  lines: new LineAssembler(LONGEST_LINE),
  listen: talk.listen(),
  offset: (await perform(core, readRun, { agentId: run.agentId, run: run.run }, actor)).outputOffset,
  version: -1,
  size: -1,
  journal: -1,
  changed: true,
})

const readOn = async ({ core }: World, run: AgentRun, known: Known): Promise<void> => {
  for (;;) {
    const { text, next, size } = await readOutput(outputPath(core.root, run.agentId), { offset: known.offset })
    for (const heard of known.lines.add(text).flatMap(known.listen)) {
      known.conversation.hear(heard)
      known.changed = true
    }
    const stuck = next <= known.offset
    known.offset = next
    known.size = size
    if (stuck || next >= size) return
  }
}

const plannedFor = async (
  { core, actor }: Pick<World, 'core' | 'actor'>,
  run: AgentRun,
  talk: Talk,
  conversation: Conversation,
): Promise<Plan> => {
  const { messages, requests } = await perform(
    core,
    readTalk,
    { agentId: run.agentId, run: run.run, requestIds: [...conversation.requestIds] },
    actor,
  )
  return conversation.plan(talk, run, messages, requests)
}

/** Makes requests of the calls that wait for a verdict. A repeated call, also by another process, is the same request. */
const ask = async ({ core }: World, run: AgentRun, conversation: Conversation): Promise<void> => {
  const actor: Actor = { kind: 'agent', id: run.agentId, role: 'worker', worktree: run.worktree }
  for (const [call, one] of conversation.unasked) {
    try {
      const input = { toolName: one.tool, input: one.input as Record<string, never> }
      const requestId = `permission:${run.run}:${call}`.slice(0, 200)
      one.requestId = (await perform(core, requestPermission, input, actor, { requestId })).id
    } catch (error) {
      // A board that does not answer has not refused the question.
      if (!isRefusal(error) || isUndecided(error)) throw error
      one.refused = error.message
    }
  }
}
