import { isRefusal } from '../../domain/rules/refusal.ts'
import { getAgentRuns } from '../../operations/agents/runs.ts'
import { getTask } from '../../operations/tasks/detail.ts'
import { perform } from '../../operations/perform/perform.ts'
import { detailArrived, runsArrived } from '../core/reducers.ts'
import { throttled } from '../core/timers.ts'
import { makeLogFeed } from '../panes/log/feed.ts'
import type { Reading } from './reading.ts'

/** Milliseconds between two reads of the same data. */
const often = { detail: 100, output: 200 } as const

/** Reads the details of the selected row: its attempts and its log. */
export const startSelected = ({ connection, state, change, careful }: Reading) => {
  const { core, actor } = connection
  const feed = makeLogFeed(connection, state, change)
  const details = throttled(
    often.detail,
    careful(async () => {
      const { task, agent } = state().view
      const detail = task === null ? null : await perform(core, getTask, { taskId: task }, actor).catch(nothingIfGone)
      const runs =
        agent === null
          ? []
          : ((await perform(core, getAgentRuns, { agentId: agent }, actor).catch(nothingIfGone)) ?? [])
      const noted = await feed.notes()
      // One change, and so one frame.
      change((now) => noted(runsArrived(runs)(detailArrived(detail)(now))))
      output.ask()
    }),
  )
  // Where nothing runs, nothing prints: a process that is left alone need not wake for it.
  const output = throttled(
    often.output,
    careful(async () => {
      if (await feed.output()) output.ask()
    }),
  )
  return { ask: details.ask, output: output.ask, stop: () => [details, output].forEach(({ stop }) => stop()) }
}

const nothingIfGone = (error: unknown): null => {
  if (isRefusal(error) && error.code === 'not_found') return null
  throw error
}
