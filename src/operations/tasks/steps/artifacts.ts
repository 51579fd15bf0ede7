import { existsSync } from 'node:fs'
import { resolve } from 'node:path'
import { someOf } from '../../../domain/words/counts.ts'
import { replaceMissingArtifacts, type TaskRow } from '../../../db/tasks.ts'
import type { Context } from '../../perform/core.ts'
import { note } from './task-steps.ts'

/** The paths that exist, and those that do not, each once. */
export const lookForArtifacts = (
  folder: string,
  paths: readonly string[],
): { readonly present: readonly string[]; readonly missing: readonly string[] } => {
  const present = paths.filter((path) => existsSync(resolve(folder, path)))
  return { present, missing: [...new Set(paths.filter((path) => !present.includes(path)))] }
}

/** Stores what is missing for the review, in place of what an earlier result missed, and notes it in the task's log. */
export const storeMissing = async (context: Context, task: TaskRow, missing: readonly string[]): Promise<void> => {
  await replaceMissingArtifacts(context.db, task.id, missing)
  if (missing.length > 0)
    await note(context, task, 'warn', `The result names files that do not exist: ${someOf(missing, 20)}`)
}
