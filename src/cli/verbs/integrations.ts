import type { Review, ReviewFile } from '../../contracts/review.ts'
import { type IntegrationState, whyNotApprove } from '../../domain/integration/integration.ts'
import { type PassingFile, passingWords } from '../../domain/integration/branch-history.ts'
import { alike, riskCounts } from '../../domain/integration/risk.ts'
import { targetTestsWords } from '../../domain/integration/test-files.ts'
import { CONFIGURATION_CHANGED } from '../../domain/integration/trusted-configuration.ts'
import { Refusal, type RefusalCode } from '../../domain/rules/refusal.ts'
import { unconfinedFacts } from '../../domain/sandbox/unconfined.ts'
import { bytes, someOf } from '../../domain/words/counts.ts'
import { safeText, spelledOut } from '../../domain/words/safe-text.ts'
import { elapsed } from '../../domain/words/time.ts'
import { listAgents } from '../../operations/agents/list.ts'
import { approveIntegration } from '../../operations/integration/decisions.ts'
import { findingsOf, totalsOf } from '../../operations/integration/review.ts'
import type { Connection } from '../../operations/perform/core.ts'
import { act, perform } from '../../operations/perform/perform.ts'
import type { AgentView } from '../../operations/views/agents.ts'
import type { IntegrationView, WorktreeView } from '../../operations/views/worktrees.ts'
import { type Answer, type Call, open } from '../call/command.ts'
import { askForName, needLogin, refuseAgent } from '../call/confirmation.ts'
import { blocks, counted, section } from '../print/columns.ts'
import { integrationLine } from '../print/worktrees.ts'
import { observedWorktree } from './observed-worktrees.ts'

// An integration before a person: its review, and the approval of exactly the commits that were shown.

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

/** The changes that integrating a worktree would merge, with all of its lines. */
export const showReview = async (call: Call, name: string): Promise<Answer> => {
  const connection = await open(call)
  const { integration } = await observedWorktree(connection, name)
  const review = await connection.outside.reviewWorktree(name)
  const parts = await diffsOf(connection, review)
  return {
    json: reviewJson(review, integration, parts.join(''), false),
    text: blocks([reviewText(review, integration), spelled(parts.join(''))]),
  }
}

/** The most lines of a diff before a question; the rest can be shown on request. */
const LINES = 5000

/** The review before a question: complete, unless it is very long. */
const reviewForQuestion = async (
  connection: Connection,
  review: Review,
  integration: Parameters<typeof reviewText>[1],
): Promise<string> => {
  const lines = spelled((await diffsOf(connection, review)).join('')).split('\n')
  const left = lines.length - LINES
  return blocks([
    reviewText(review, integration),
    lines.slice(0, LINES).join('\n'),
    left > 0 ? `… ${left} more lines of the diff; 'aiswarm worktree diff ${review.worktree}' shows all of them.` : '',
  ])
}

/** The diff of every file in the order of the review, including those that are read one at a time. */
const diffsOf = async ({ outside }: Connection, review: Review): Promise<readonly string[]> => {
  const parts: string[] = []
  for (const file of review.files) parts.push((file.diff ?? (await outside.readReviewFile(review, file))).text)
  return parts
}

/** Nothing that is being decided about is omitted, or interpreted by the terminal. */
const spelled = (diff: string): string => spelledOut(diff.replace(/\n$/, '')).join('\n')

// A review as text: the totals first, then the files, the riskiest first, then the facts about the work.

/** The review without the diff. */
export const reviewText = (review: Review, integration: IntegrationView | null): string =>
  blocks([
    totalsText(review),
    unconfinedFacts(review.unconfined, integration?.verification?.unconfined)
      .map((fact) => `⚠ ${nameOf(fact)}`)
      .join('\n'),
    targetTestsText(integration),
    section('Conflicts', (integration?.conflicts ?? []).map(nameOf)),
    section('Only in commits in between, not in the diff', review.history.files.flatMap(passingLines)),
    review.history.unread.map((sentence) => `⚠ ${nameOf(sentence)}`).join('\n'),
    section(counted(review.files.length, 'file'), filesText(review.files)),
    verificationText(integration),
    section(
      'Claims and findings',
      findingsOf(review, integration).flatMap(({ taskId, says, fact, agrees }) => [
        `${agrees === false ? '✗' : agrees ? '✓' : '?'} task ${taskId}: ${nameOf(says)}`,
        `    ${nameOf(fact)}`,
      ]),
    ),
    section(
      counted(review.commits.length, 'commit'),
      review.commits.map((commit) => `${commit.oid.slice(0, 9)}  ${nameOf(`${commit.subject} (${commit.author})`)}`),
    ),
    section('Uncommitted, not part of the merge', review.uncommitted.map(nameOf)),
  ])

/** A review for `--json`; the diff is one text. */
const reviewJson = (review: Review, integration: IntegrationView | null, diff: string, cut: boolean) => ({
  name: review.worktree,
  target: review.target,
  candidate: review.candidate,
  from: review.from,
  to: review.to,
  totals: { ...totalsOf(review), commits: review.commits.length },
  commits: review.commits,
  files: review.files.map(({ diff: _, ...file }) => file),
  history: review.history,
  uncommitted: review.uncommitted,
  verification: integration?.verification ?? null,
  claims: findingsOf(review, integration),
  unconfined: review.unconfined,
  diff,
  cut,
})

const totalsText = (review: Review): string => {
  const { files, added, removed } = totalsOf(review)
  if (files === 0) return review.commits.length === 0 ? 'There are no commits to merge.' : 'The merge changes no file.'
  const risks = riskCounts([...review.files, ...review.history.files]).map(({ kind, files: n }) => `${n} ${kind}`)
  return [
    `${counted(files, 'file')}, +${added} −${removed}, ${counted(review.commits.length, 'commit')}, from ${review.from.slice(0, 9)} to ${review.to.slice(0, 9)}`,
    ...(risks.length === 0 ? [] : [`To check: ${risks.join(', ')}`]),
  ].join('\n')
}

const passingLines = (file: PassingFile): readonly string[] => [
  `${''.padStart(13)}  ${nameOf(file.path)}, ${passingWords(file)}`,
  ...riskLines(file),
]

/** Each file, except those that are alike: they are one entry in the place of the first. */
const filesText = (files: readonly ReviewFile[]): readonly string[] => {
  const groups = alike(files)
  const firsts = new Map(groups.map((group) => [group[0]!, group]))
  const grouped = new Set(groups.flat())
  return files.flatMap((file, n) => {
    const group = firsts.get(n)
    if (group === undefined) return grouped.has(n) ? [] : fileLines(file)
    const names = group.map((number) => nameOf(files[number]!.path))
    return [`${''.padStart(13)}  ${counted(group.length, 'file')}: ${someOf(names, NAMED)}`, ...riskLines(file)]
  })
}

/** Names that stand for a group of files; `--json` has all. */
const NAMED = 3

const fileLines = (file: ReviewFile): readonly string[] => [
  `${sizeOf(file)}  ${nameOf(file.path)}${file.from === null ? '' : ` (from ${nameOf(file.from)})`}`,
  ...riskLines(file),
]

const riskLines = ({ risks }: Pick<ReviewFile, 'risks'>): readonly string[] =>
  risks.map(({ kind, reason }) => `               ${kind}: ${spelledOut(reason).join(' ')}`)

const sizeOf = ({ added, removed, content, size }: ReviewFile): string =>
  added === null
    ? `${content === 'unread' ? 'large' : 'binary'} ${bytes(size)}`.padStart(13)
    : `${`+${added}`.padStart(6)} ${`−${removed}`.padStart(6)}`

const verificationText = (integration: IntegrationView | null): string => {
  const verification = integration?.verification
  if (!verification)
    return integration?.status === 'ready'
      ? section('Verification', ['no command is configured (integration.verify)'])
      : ''
  const seconds = Math.round(elapsed(verification.startedAt, verification.endedAt) / 1000)
  return section(
    `Verification: ${nameOf(verification.command)}: exit ${verification.exitCode ?? 'by a signal'}, took ${seconds} s`,
    verification.tail.trimEnd() === '' ? [] : spelledOut(verification.tail.trimEnd()).slice(-15),
  )
}

/** The fact about the target's versions of changed tests, if there is one. */
const targetTestsText = (integration: IntegrationView | null): string => {
  const tests = integration?.verification?.targetTests
  return tests ? `${tests.exitCode === 0 ? '✓' : '⚠'} ${nameOf(targetTestsWords(tests))}` : ''
}

/** A complete name or sentence, with special characters spelt out. */
const nameOf = (path: string): string => spelledOut(path).join('⟨000A⟩')
