import { person } from '../../src/domain/agent/actor.ts'
import { openWorld } from '../../src/effects/opening/open-core.ts'
import { outsideOf } from '../../src/effects/opening/outside.ts'
import type { TaskDraft } from '../../src/operations/tasks/create.ts'
import { createWorktree } from '../../src/operations/worktrees/create.ts'
import { importTasks } from '../../src/operations/tasks/import.ts'
import type { Connection } from '../../src/operations/perform/core.ts'
import { act, perform } from '../../src/operations/perform/perform.ts'
import { openBoardOf } from '../support/board-of-test.ts'

// The setup of stories: the operations that the command line runs, without a process for each of them.

/** The options of `task add` that a story may use, with the field that each fills. */
const fields: Readonly<Record<string, (value: string) => Partial<TaskDraft>>> = {
  '--worktree': (targetWorktree) => ({ targetWorktree }),
  '--priority': (priority) => ({ priority: Number(priority) }),
  '--description': (description) => ({ description }),
}

/** The values of options; undefined if the program must read them. */
export const draftOf = (options: readonly string[]): Partial<TaskDraft> | undefined => {
  let draft: Partial<TaskDraft> = {}
  for (let at = 0; at < options.length; at += 2) {
    const [field, value] = [fields[options[at]!], options[at + 1]]
    if (field === undefined || value === undefined) return undefined
    draft = { ...draft, ...field(value) }
  }
  return draft
}

/** Creates tasks as a person; returns their numbers. */
export const addTasks = (
  root: string,
  self: readonly string[],
  tasks: readonly Partial<TaskDraft>[],
): Promise<readonly number[]> =>
  connected(root, self, async ({ core }) => {
    const added = await perform(
      core,
      importTasks,
      tasks.map((task) => ({ title: 'a task', personaId: 'implementer', ...task })),
      person,
    )
    return added.map(({ id }) => id)
  })

/** Creates a worktree, and waits until its folder exists. */
export const addWorktree = (root: string, self: readonly string[], name: string): Promise<void> =>
  connected(
    root,
    self,
    async (connection) => void (await act(connection, createWorktree, { name, branchName: `feature/${name}` })),
  )

/** Opened for each call, like a command: the story's programs find the database as if no other process had it open. */
const connected = async <T>(
  root: string,
  self: readonly string[],
  work: (connection: Connection) => Promise<T>,
): Promise<T> => {
  const world = await openWorld(root, { openStore: (path) => openBoardOf(root, path), self, warn: () => {} })
  try {
    return await work({ core: world.core, actor: person, outside: outsideOf(world) })
  } finally {
    world.core.store.close()
  }
}
