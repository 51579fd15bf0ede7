import { join } from 'node:path'
import { Refusal } from '../../domain/rules/refusal.ts'
import { milliseconds } from '../../domain/words/time.ts'
import { decodeText } from '../../memory/decode.ts'
import { readMemoryFile } from '../../memory/files.ts'
import { fileNameOf, sessionIdPattern } from '../../memory/session-files/file-names.ts'
import { readMemoryConfig } from '../../memory/session-files/memory-config.ts'
import { parseResult } from '../../memory/session-files/result-file.ts'
import { readAgentStanding } from '../../operations/agents/states.ts'
import { perform } from '../../operations/perform/perform.ts'
import { getTask } from '../../operations/tasks/detail.ts'
import { type Answer, type Call, open } from '../call/command.ts'

/** Seed 000's `agent status`: the result file takes precedence, then the end of the process, then whether it runs. */
export const agentStanding = async (call: Call, session: string, agents: readonly string[]): Promise<Answer> => {
  if (!sessionIdPattern.test(session))
    throw new Refusal('invalid_input', `'${session}' is not a session id. Use one such as session-20260130-142233.`)
  const { core, actor } = await open(call)
  const known = await perform(core, readAgentStanding, { sessionId: session, agentIds: [...agents] }, actor)
  const { basePath } = readMemoryConfig(core.root)
  const rows = await Promise.all(
    known.agents.map(async ({ agentId, standing, taskId }) => {
      const attempt =
        taskId === null
          ? undefined
          : (await perform(core, getTask, { taskId }, actor)).attempts.findLast((one) => one.agentId === agentId)
      const said =
        standing === 'completed'
          ? undefined
          : resultOf(join(core.root, basePath), agentId, session, { session: known.session, since: attempt?.claimedAt })
      return { agentId, status: said ?? standing, taskId }
    }),
  )
  return { json: { session, agents: rows }, text: rows.map(({ agentId, status }) => `${agentId}:${status}`).join('\n') }
}

interface Times {
  readonly session: { readonly startedAt: string; readonly endedAt: string | null } | null
  /** When the agent's last attempt began: older files belong to an earlier one. */
  readonly since: string | undefined
}

/** The result in a file of this session: one that names the session, or one that was written while it ran. */
const resultOf = (folder: string, agent: string, session: string, times: Times): 'completed' | 'failed' | undefined => {
  for (const name of [
    fileNameOf({ kind: 'result', agent, session }),
    fileNameOf({ kind: 'result', agent, session: null }),
  ]) {
    try {
      const file = readMemoryFile(join(folder, name))
      if (file === undefined || !counts(times, file.changedAt, name.includes(session))) continue
      const result = parseResult(decodeText(file.bytes, name), name)
      if (result.agent === agent) return result.status
    } catch {
      // An unreadable file counts as missing.
    }
  }
  return undefined
}

const counts = ({ session, since }: Times, at: number, named: boolean): boolean => {
  if (since !== undefined && at < milliseconds(since)) return false
  return (
    named ||
    session === null ||
    (at >= milliseconds(session.startedAt) && (session.endedAt === null || at <= milliseconds(session.endedAt)))
  )
}
