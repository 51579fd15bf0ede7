import { getTaskLogs } from '../../../operations/tasks/get-task-logs.ts'
import { perform } from '../../../operations/door/perform.ts'
import { type Answer, type Call, open, saidAll } from '../../call/command.ts'
import { onEveryChange } from '../../call/follow.ts'
import { logLine } from '../../print/task-text.ts'

/** The log of a task, oldest first; with `follow` also new notes, one per line. */
export const printTaskLogs = async (call: Call, taskId: number, follow: boolean): Promise<Answer | typeof saidAll> => {
  const connection = await open(call)
  const { core, actor } = connection
  if (!follow) {
    const rows = await perform(core, getTaskLogs, { taskId }, actor)
    return { json: rows, text: rows.length === 0 ? `Task ${taskId} has no log yet.` : rows.map(logLine).join('\n') }
  }
  let afterId = 0
  await onEveryChange(call, connection, async () => {
    for (const row of await perform(core, getTaskLogs, { taskId, afterId }, actor)) {
      call.streams.out(`${call.json ? JSON.stringify(row) : logLine(row)}\n`)
      afterId = row.id
    }
  })
  return saidAll
}
