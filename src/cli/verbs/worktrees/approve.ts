import { CONFIGURATION_CHANGED } from '../../../domain/integration/trusted-configuration.ts'
import { type IntegrationState, whyNotApprove } from '../../../domain/integration/integration.ts'
import { Refusal, type RefusalCode } from '../../../domain/rules/refusal.ts'
import { safeText } from '../../../domain/words/safe-text.ts'
import { approveIntegration } from '../../../operations/integration/approve-integration.ts'
import type { Connection } from '../../../operations/door/connection.ts'
import { act, perform } from '../../../operations/door/perform.ts'
import type { Review } from '../../../contracts/review.ts'
import type { AgentView, IntegrationView, WorktreeView } from '../../../operations/views/views.ts'
import { listAgents } from '../../../operations/agents/list-agents.ts'
import { askForName } from '../../call/ask-for-name.ts'
import { type Answer, type Call, open } from '../../call/command.ts'
import { observedWorktree } from './observed-worktree.ts'
import { needLogin } from '../../call/need-login.ts'
import { refuseAgent } from '../../call/refuse-agent.ts'
import { reviewForQuestion } from './review.ts'
import { blocks, section } from '../../print/columns.ts'
import { integrationLine } from '../../print/worktree-text.ts'

/** A person approves exactly the commits that were shown. The typed answer cannot be skipped. */
export const approve = async (call: Call, name: string): Promise<Answer> => {
  const connection = await open(call)
  refuseAgent(call, connection, `approve ${name}`)
  const integration = await readyIntegration(connection, name)
  refuseWithoutTerminal(call, name)
  await needLogin(connection, `Approving ${name}`)
  const agents = await perform(connection.core, listAgents, { worktree: name }, connection.actor)
  const review = await connection.outside.reviewWorktree(name)
  refuseOther(name, review, integration)
  await askForName(
    call,
    name,
    preview(integration, await reviewForQuestion(connection, review, integration), agents),
    `Merge ${name} into ${integration.target}? Type the name of the worktree:`,
  )
  const { targetOid, branchOid, mergeOid } = integration
  const worktree = await act(connection, approveIntegration, {
    worktreeName: name,
    targetOid: targetOid!,
    branchOid: branchOid!,
    mergeOid: mergeOid!,
    verificationId: integration.verification?.id ?? null,
  })
  refuseHeld(worktree)
  return { json: worktree, text: integrationLine(worktree) }
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
    `Approving ${name} needs a person at a terminal. Use one, or the inbox of the console ('aiswarm'), or set 'integration.approval: auto' in .aiswarm/config.yaml on the target branch.`,
  )
}

/** The approval was recorded but the target did not move, so a script must not continue as if it had. */
const refuseHeld = (worktree: WorktreeView): void => {
  const { integration } = worktree
  if (integration === null || onItsWay.has(integration.status)) return
  const { problem } = integration
  throw new Refusal(
    problem === CONFIGURATION_CHANGED ? 'configuration_changed' : (heldBy[integration.status] ?? 'approval_void'),
    problem ?? integrationLine(worktree),
  )
}

const onItsWay: ReadonlySet<IntegrationState> = new Set(['approved', 'moving', 'integrated'])

/** By the state to which the integration returned. */
const heldBy: { readonly [State in IntegrationState]?: RefusalCode } = {
  ready: 'target_dirty',
  conflicted: 'conflicted',
}

/** The commits shown must be the ones approved, even if the merge was prepared again in between. */
const refuseOther = (
  name: string,
  { candidate }: Review,
  { targetOid, branchOid, mergeOid }: IntegrationView,
): void => {
  if (candidate?.targetOid === targetOid && candidate?.branchOid === branchOid && candidate?.mergeOid === mergeOid)
    return
  throw new Refusal('approval_void', `The merge of ${name} has just changed. Review it again.`)
}

const preview = (integration: IntegrationView, review: string, agents: readonly AgentView[]): string =>
  blocks([
    `Into ${integration.target} at ${short(integration.targetOid)}, as commit ${short(integration.mergeOid)}`,
    review,
    section(
      'Agents that will be stopped',
      agents.map((agent) => safeText(agent.id)),
    ),
  ])

const short = (oid: string | null): string => oid?.slice(0, 9) ?? 'unknown'
