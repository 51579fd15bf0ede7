import { existsSync } from 'node:fs'
import { resolve } from 'node:path'
import { someOf } from '../../../domain/words/count.ts'
import { replaceMissingArtifacts } from '../../../db/missing-artifacts.ts'
import type { TaskRow } from '../../../db/tasks.ts'
import type { Context } from '../../door/core.ts'
import { note } from './task-steps.ts'

/** The paths that exist; the others are stored for the review and noted in the task's log. */
export const presentArtifacts = async (
  context: Context,
  task: TaskRow,
  folder: string,
  paths: readonly string[],
): Promise<string[]> => {
  const present = paths.filter((path) => existsSync(resolve(folder, path)))
  const missing = [...new Set(paths.filter((path) => !present.includes(path)))]
  await replaceMissingArtifacts(context.db, task.id, missing)
  if (missing.length > 0)
    await note(context, task, 'warn', `The result names files that do not exist: ${someOf(missing, 20)}`)
  return present
}
