import { selectUndecided } from '../../../db/budgets.ts'
import type { Db } from '../../../db/engine/db.ts'
import { together } from '../../../db/engine/together.ts'
import { selectCriteria } from '../../../db/task-criteria.ts'
import { selectDependencies } from '../../../db/task-dependencies.ts'
import type { TaskRow } from '../../../db/tasks.ts'
import { findTask } from '../../door/find.ts'
import { type TaskView, viewsFrom } from '../../views/views.ts'

/** The view of a task as it is after everything that was written before; `known` is its row then, if the caller has it. */
export const viewTask = async (db: Db, id: number, known?: Promise<TaskRow>): Promise<TaskView> => {
  const [row, ...parts] = await together(
    known ?? findTask(db, id),
    selectDependencies(db, [id]),
    selectCriteria(db, [id]),
    selectUndecided(db),
  )
  return viewsFrom([row], ...parts)[0]!
}
