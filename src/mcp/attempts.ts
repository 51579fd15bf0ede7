import { getTask } from '../operations/get-task.ts'
import type { Connection } from '../operations/kernel/outside.ts'
import { perform } from '../operations/kernel/perform.ts'

/** Tools whose calls are about an attempt that the agent holds. */
const fenced: ReadonlySet<string> = new Set(['start_task', 'report_task_progress', 'complete_task', 'fail_task'])

type Fields = Readonly<Record<string, unknown>>

/**
 * The attempts that one connection works on. Each of its calls names the attempt for it, so that what a process says that
 * was believed dead does not count for a later attempt of the same agent.
 */
export class Attempts {
  readonly #connection: Connection
  readonly #known = new Map<number, number>()

  constructor(connection: Connection) {
    this.#connection = connection
  }

  /** The input with the attempt that this connection works on; as it is where the client names one, or it holds none. */
  async named(tool: string, input: Fields): Promise<Fields> {
    const { core, actor } = this.#connection
    const { taskId } = input
    if (actor.kind !== 'agent' || !fenced.has(tool) || input['attempt'] !== undefined || typeof taskId !== 'number') return input
    if (!this.#known.has(taskId)) {
      const task = await perform(core, getTask, { taskId }, actor).catch(() => undefined)
      if (task?.assignedAgentId !== actor.id) return input
      this.#known.set(taskId, task.attempt)
    }
    return { ...input, attempt: this.#known.get(taskId) }
  }

  /** Remembers what the answer of a tool gives to the agent: the task that it claimed, or its own that it is told to go on with. */
  learn(tool: string, output: Fields): void {
    if (tool === 'claim_task') this.#take(output)
    if (tool === 'heartbeat_and_get_tasks' && Array.isArray(output['tasks'])) for (const task of output['tasks'] as readonly Fields[]) this.#take(task)
  }

  #take({ id, attempt, assignedAgentId }: Fields): void {
    if (assignedAgentId === this.#connection.actor.id && typeof id === 'number' && typeof attempt === 'number') this.#known.set(id, attempt)
  }
}
