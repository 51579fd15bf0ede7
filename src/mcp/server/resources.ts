import type {
  ListResourcesResult,
  ListResourceTemplatesResult,
  ReadResourceResult,
} from '@modelcontextprotocol/sdk/types.js'
import { Refusal } from '../../domain/rules/refusal.ts'
import { getTask } from '../../operations/tasks/get-task.ts'
import { getWorktreeStatus } from '../../operations/worktrees/get-worktree-status.ts'
import type { Connection } from '../../operations/door/connection.ts'
import { perform } from '../../operations/door/perform.ts'
import { listTasks } from '../../operations/tasks/list-tasks.ts'
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
