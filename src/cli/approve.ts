import { whyNotApprove } from '../domain/integration.ts'
import { Refusal } from '../domain/refusal.ts'
import { safeText } from '../domain/safe-text.ts'
import { approveIntegration } from '../operations/approve-integration.ts'
import type { Connection, WorktreeDiff } from '../operations/kernel/outside.ts'
import { act, perform } from '../operations/kernel/perform.ts'
import type { AgentView, IntegrationView } from '../operations/kernel/views.ts'
import { listAgents } from '../operations/list-agents.ts'
import { askForName } from './ask-for-name.ts'
import { type Answer, type Call, open } from './command.ts'
import { observedWorktree } from './observed-worktree.ts'
import { blocks, section } from './text/columns.ts'
import { changes, integrationLine } from './text/worktree-text.ts'

/** A person approves exactly the commits that they were shown. There is no way around the typed answer. */
export const approve = async (call: Call, name: string): Promise<Answer> => {
  const connection = await open(call)
  refuseAgent(call, connection, name)
  const integration = await readyIntegration(connection, name)
  refuseWithoutTerminal(call, name)
  const agents = await perform(connection.core, listAgents, { worktree: name }, connection.actor)
  await askForName(call, name, preview(integration, await connection.outside.diffWorktree(name), agents), `Let ${name} into ${integration.target}? Type the name of the worktree:`)
  const { targetOid, branchOid, mergeOid } = integration
  const worktree = await act(connection, approveIntegration, { worktreeName: name, targetOid: targetOid!, branchOid: branchOid!, mergeOid: mergeOid! })
  return { json: worktree, text: integrationLine(worktree) }
}

/** The environment is looked at too: an agent without a token is still no person. */
const refuseAgent = ({ environment }: Call, { actor }: Connection, name: string): void => {
  const agent = actor.kind === 'agent' ? actor.id : environment['AISWARM_AGENT_ID']
  if (agent) throw new Refusal('not_allowed', `Agent ${agent} may not approve ${name}; only a person may do it.`)
}

const readyIntegration = async (connection: Connection, name: string): Promise<IntegrationView> => {
  const { integration } = await observedWorktree(connection, name)
  const why = whyNotApprove(name, integration?.status)
  if (why !== undefined) throw new Refusal(integration?.status === 'conflicted' ? 'conflicted' : 'invalid_state', why)
  return integration!
}

const refuseWithoutTerminal = ({ streams }: Call, name: string): void => {
  if (streams.stdinIsTerminal) return
  throw new Refusal(
    'needs_terminal',
    `Approving ${name} needs a person at a terminal; use the console ('aiswarm', key i), or set 'integration.approval: auto' in .aiswarm/config.yaml on the target branch.`,
  )
}

const preview = (integration: IntegrationView, diff: WorktreeDiff, agents: readonly AgentView[]): string =>
  blocks([
    `Into ${integration.target} at ${short(integration.targetOid)}, as commit ${short(integration.mergeOid)}`,
    changes(diff),
    section('Verification', [
      integration.verification === null
        ? 'none is configured (integration.verify)'
        : safeText(`${integration.verification.command}: exit ${integration.verification.exitCode ?? 'unknown'}`),
    ]),
    section(
      'Agents that will be stopped',
      agents.map((agent) => safeText(agent.id)),
    ),
  ])

const short = (oid: string | null): string => oid?.slice(0, 9) ?? 'unknown'
