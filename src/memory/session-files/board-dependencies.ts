import { FormatError } from './format-error.ts'
import type { Block } from './markdown.ts'

interface DependentTask {
  readonly id: number
  readonly dependencies: readonly number[]
}

/** Refuses a task that occurs twice, and one that depends on itself or on a task that is not on the board. */
export const refuseDependencies = (
  tasks: readonly { readonly heading: Block; readonly task: DependentTask; readonly dependenciesLine: number }[],
  file: string,
): void => {
  const known = new Set<number>()
  for (const { heading, task } of tasks) {
    if (known.has(task.id)) throw new FormatError(file, heading.line, `task-${task.id} is listed twice.`)
    known.add(task.id)
  }
  for (const { task, dependenciesLine: line } of tasks) {
    if (task.dependencies.includes(task.id)) throw new FormatError(file, line, `task-${task.id} depends on itself.`)
    const unknown = task.dependencies.find((id) => !known.has(id))
    if (unknown !== undefined)
      throw new FormatError(file, line, `task-${task.id} depends on task-${unknown}, which does not exist.`)
  }
}
