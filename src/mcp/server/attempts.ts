import { getTask } from '../../operations/tasks/get-task.ts'
import type { Connection } from '../../operations/door/connection.ts'
import { perform } from '../../operations/door/perform.ts'

/** Tools whose calls belong to an attempt that the agent holds. */
const fenced: ReadonlySet<string> = new Set(['start_task', 'report_task_progress', 'complete_task', 'fail_task'])

type Fields = Readonly<Record<string, unknown>>

/**
 * The attempts of one connection. It adds the attempt to each call, so that a call from a process that was believed
 * dead does not count for a later attempt of the same agent.
 */
export class Attempts {
  readonly #connection: Connection
  readonly #known = new Map<number, number>()

  constructor(connection: Connection) {
    this.#connection = connection
  }

  /** The input with the attempt of this connection; unchanged if the client names one, or if there is none. */
  async named(tool: string, input: Fields): Promise<Fields> {
    const { core, actor } = this.#connection
    const { taskId } = input
    if (actor.kind !== 'agent' || !fenced.has(tool) || input['attempt'] !== undefined || typeof taskId !== 'number')
      return input
    if (!this.#known.has(taskId)) {
      const task = await perform(core, getTask, { taskId }, actor).catch(() => undefined)
      if (task?.assignedAgentId !== actor.id) return input
      this.#known.set(taskId, task.attempt)
    }
    return { ...input, attempt: this.#known.get(taskId) }
  }

  /** Records the task in a tool's answer: the one that the agent has claimed, or its own that it must continue. */
  learn(tool: string, output: Fields): void {
    if (tool === 'claim_task') this.#take(output)
    if (tool === 'heartbeat_and_get_tasks' && Array.isArray(output['tasks']))
      for (const task of output['tasks'] as readonly Fields[]) this.#take(task)
  }

  #take({ id, attempt, assignedAgentId }: Fields): void {
    if (assignedAgentId === this.#connection.actor.id && typeof id === 'number' && typeof attempt === 'number')
      this.#known.set(id, attempt)
  }
}
