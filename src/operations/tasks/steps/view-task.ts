import { selectUndecided } from '../../../db/costs.ts'
import { type Db, together } from '../../../db/engine/db.ts'
import { selectCriteria, type TaskRow } from '../../../db/tasks.ts'
import { selectDependencies } from '../../../db/task-dependencies.ts'
import { findTask } from '../../perform/find.ts'
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
