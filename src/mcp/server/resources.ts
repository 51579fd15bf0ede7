import { createHash } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import type {
  ListResourcesResult,
  ListResourceTemplatesResult,
  ReadResourceResult,
} from '@modelcontextprotocol/sdk/types.js'
import { isRefusal, Refusal } from '../../domain/rules/refusal.ts'
import type { Connection } from '../../operations/perform/core.ts'
import { perform } from '../../operations/perform/perform.ts'
import { getTask } from '../../operations/tasks/detail.ts'
import { listTasks } from '../../operations/tasks/list.ts'
import { getWorktreeStatus } from '../../operations/worktrees/status.ts'
import { quoted } from './quote.ts'

const mimeType = 'application/json'

export const listResources = (): ListResourcesResult => ({
  resources: [
    {
      uri: 'aiswarm://tasks',
      name: 'tasks',
      title: 'Task board',
      description: 'Every task with its state, persona, worktree and agent',
      mimeType,
    },
    {
      uri: 'aiswarm://worktrees',
      name: 'worktrees',
      title: 'Worktrees',
      description: 'Every worktree with its branch and integration',
      mimeType,
    },
  ],
})

export const listResourceTemplates = (): ListResourceTemplatesResult => ({
  resourceTemplates: [
    {
      uriTemplate: 'aiswarm://tasks/{id}',
      name: 'task',
      title: 'Task',
      description: 'One task with its attempts, subtasks and dependents',
      mimeType,
    },
  ],
})

/** Reads one resource; refuses unknown addresses. */
export const readResource = async (connection: Connection, uri: string): Promise<ReadResourceResult> => ({
  contents: [{ uri, mimeType, text: JSON.stringify(quoted(await contentOf(connection, uri), connection.actor)) }],
})

const contentOf = async ({ core, actor }: Connection, uri: string): Promise<unknown> => {
  if (uri === 'aiswarm://worktrees') return perform(core, getWorktreeStatus, {}, actor)
  // A board of thousands of tasks is returned as a list; the texts are in the individual tasks.
  if (uri === 'aiswarm://tasks') {
    return (await perform(core, listTasks, {}, actor)).map(
      ({ id, title, status, personaId, priority, blockedBy, targetWorktree, assignedAgentId, progressPercent }) => ({
        id,
        title,
        status,
        personaId,
        priority,
        blockedBy,
        targetWorktree,
        assignedAgentId,
        progressPercent,
      }),
    )
  }
  const [, id] = /^aiswarm:\/\/tasks\/(\d{1,15})$/.exec(uri) ?? []
  if (id === undefined)
    throw new Refusal(
      'not_found',
      `There is no resource ${uri.slice(0, 200)}. resources/list and resources/templates/list list the resources.`,
    )
  return perform(core, getTask, { taskId: Number(id) }, actor)
}

/** The most resources that one client may watch, and the longest address (characters). */
const [MOST, LONGEST] = [1000, 2000]

/** Notifies a client of changes to its subscribed resources; without subscriptions it does not query the database. */
export class Subscriptions {
  readonly #connection: Connection
  readonly #tell: (uri: string) => Promise<void>
  readonly #signal: AbortSignal
  /** A hash of each resource at its last notification. */
  readonly #seen = new Map<string, string>()
  #watching = false

  constructor(connection: Connection, tell: (uri: string) => Promise<void>, signal: AbortSignal) {
    this.#connection = connection
    this.#tell = tell
    this.#signal = signal
  }

  /** A missing resource may be subscribed to as well: its client is notified when it appears. */
  async add(uri: string): Promise<void> {
    if (uri.length > LONGEST)
      throw new Refusal('invalid_input', `The address of a resource may have at most ${LONGEST} characters.`)
    if (this.#seen.size >= MOST && !this.#seen.has(uri))
      throw new Refusal('invalid_state', `A client may subscribe to at most ${MOST} resources. Unsubscribe from one.`)
    this.#seen.set(uri, await this.#hash(uri))
    if (!this.#watching) void this.#watch()
  }

  remove(uri: string): void {
    this.#seen.delete(uri)
  }

  async #watch(): Promise<void> {
    this.#watching = true
    const { core, outside } = this.#connection
    let version = core.store.version()
    while (this.#seen.size > 0 && !this.#signal.aborted) {
      await outside.nextChange(version, 60_000, this.#signal)
      if (this.#signal.aborted) break
      version = core.store.version()
      for (const [uri, before] of this.#seen) {
        const now = await this.#hash(uri).catch(() => before)
        if (now === before) continue
        this.#seen.set(uri, now)
        await this.#tell(uri).catch(() => {})
      }
      // A busy board causes at most four notifications a second.
      await sleep(250, undefined, { signal: this.#signal }).catch(() => {})
    }
    this.#watching = false
  }

  async #hash(uri: string): Promise<string> {
    const content = await readResource(this.#connection, uri).catch((error: unknown) => {
      if (isRefusal(error) && error.code === 'not_found') return null
      throw error
    })
    return createHash('sha256').update(JSON.stringify(content)).digest('base64')
  }
}
