import { z } from 'zod'
import { selectUntaken } from '../../db/agents.ts'
import { selectHost } from '../../db/hosts.ts'
import { duration } from '../../domain/words/time.ts'
import { findAgent } from '../perform/find.ts'
import { agentId } from '../perform/schemas.ts'
import { operation } from '../perform/operation.ts'
import { refuseUnlessLeading } from '../perform/roles.ts'
import { waitingTask } from '../tasks/attempts.ts'
import { endNotStarted } from '../runs/processes.ts'

export const readUntaken = operation({
  name: 'read_untaken',
  summary: 'List the runs that their hosts could take now and have not taken',
  access: 'read',
  authority: 'system',
  input: () => z.strictObject({}),
  output: () => z.array(z.object({ agentId, run: z.int() })),
  run: async ({ db, settings }) => {
    const { running, untaken } = await selectUntaken(db)
    // An agent that another agent has spawned waits for room on purpose.
    const isFull = running > settings.session.maxParallel
    return untaken
      .filter(({ parent_agent_id: parent }) => !isFull || parent === null || parent === 'human')
      .map(({ id, run }) => ({ agentId: id, run }))
  },
})

export const withdrawRun = operation({
  name: 'withdraw_run',
  summary:
    'End run N of an agent that its host has not taken in time, so that its task is pending again; uses up no retry',
  access: 'write',
  authority: 'system',
  input: () => z.strictObject({ agentId, run: z.int().min(1) }),
  output: () => z.object({ withdrawn: z.boolean(), error: z.string(), waiting: z.array(waitingTask()) }),
  run: async (context, { agentId: id, run }) => {
    await refuseUnlessLeading(context)
    const { db, settings } = context
    const agent = await findAgent(db, id)
    // A run that the host has taken is its own: a process may have begun.
    if (agent.process !== 'wanted' || agent.run !== run || agent.taken_run === run)
      return { withdrawn: false, error: '', waiting: [] }
    const name = (await selectHost(db, agent.host_id))?.name ?? agent.host_id
    const error = `Host ${name} did not start it within ${duration(settings.fleet.silentAfter)}.`
    return { withdrawn: true, error, waiting: await endNotStarted(context, agent, error) }
  },
  subject: ({ withdrawn, error, waiting }, input) =>
    withdrawn ? { agentId: input.agentId, details: { error, waiting } } : null,
})
