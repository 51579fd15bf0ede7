import { ours, safeLine, safeText } from '../domain/safe-text.ts'
import type { WorktreeView } from '../operations/kernel/views.ts'
import type { IntegrationState } from '../domain/integration.ts'
import type { Line } from '../../components/Lines.tsx'
import { integrationLooks } from '../../components/look.ts'
import { fact, heading, paragraph, verificationLines, widthIn } from './detail-lines.ts'
import { stoppedWith } from './intents.ts'
import { worktreeOf } from './selection.ts'
import type { SheetContent } from './sheets.ts'
import type { ConsoleState, LoadedDiff } from './state.ts'

/** Everything that a person must see before a merge; the diff follows, a line at a time. */
export const approvalSheet = (state: ConsoleState, name: string): SheetContent | undefined => {
  const worktree = worktreeOf(state, name)
  if (!worktree) return undefined
  const diff = state.diff?.worktree === name ? state.diff : null
  const before = [...summary(state, worktree), ...(diff ? content(state, diff) : [])]
  const lines = diff?.lines ?? []
  const after: readonly Line[] = diff?.content.cut ? [{ text: ours('… the diff is longer than 1 MB and ends here'), dim: true }] : []
  return {
    title: safeText(`Integrate ${name} (${worktree.branchName}) into ${worktree.integration?.target ?? 'its target'}`),
    total: before.length + lines.length + after.length,
    line: (index) => before[index] ?? (index - before.length < lines.length ? diffLine(lines[index - before.length]!) : after[0]!),
  }
}

/** What `y` does now, in words. */
export const answers: Record<IntegrationState | 'none', string> = {
  none: 'asked for; being prepared…',
  requested: 'being prepared…  the merge is made',
  verifying: 'being prepared…  the merge is verified',
  ready: 'y approves exactly these commits   n rejects   esc back',
  conflicted: 'it conflicts with its target; resolve it on the branch, then i asks again   n rejects   esc back',
  unverified: 'its verification failed; repair it on the branch, then i asks again   n rejects   esc back',
  approved: 'approved; it is being let in…',
  moving: 'approved; it is being let in…',
  integrated: 'integrated   esc back',
  rejected: 'rejected; i asks again   esc back',
}

const summary = (state: ConsoleState, worktree: WorktreeView): readonly Line[] => {
  const { integration } = worktree
  const width = widthIn(state)
  const agents = stoppedWith(state, worktree.name)
  const look = integration ? integrationLooks[integration.status] : integrationLooks.requested
  return [
    { text: ours(`${look.mark} ${look.word}`), colour: look.colour, bold: true },
    ...(integration?.targetOid ? fact('commits', `${short(integration.targetOid)} (target) + ${short(integration.branchOid!)} (branch) → ${short(integration.mergeOid!)}`) : []),
    ...fact('requested by', integration?.requestedBy ?? null),
    ...fact('stops', agents.length > 0 ? agents.join(', ') : 'no agent'),
    ...(integration?.problem ? [...heading('Problem', 'red'), ...paragraph(integration.problem, width)] : []),
    ...(integration && integration.conflicts.length > 0 ? [...heading('Conflicts', 'red'), ...integration.conflicts.map((path) => ({ text: safeText(path) }))] : []),
    ...(integration?.verification
      ? verificationLines(integration.verification, width)
      : integration?.status === 'ready'
        ? [...heading('Not verified'), { text: ours('The target has no verification command (integration.verify).') }]
        : []),
  ]
}

const content = (state: ConsoleState, { content: { commits, files, uncommitted } }: LoadedDiff): readonly Line[] => [
  ...heading(`Commits (${commits.length})`),
  ...commits.map((commit) => ({ text: safeText(`${short(commit.oid)} ${commit.subject}  (${commit.author})`) })),
  ...(uncommitted.length > 0
    ? [...heading(`Uncommitted in the worktree: would not go in (${uncommitted.length})`, 'yellow'), ...uncommitted.map((path) => ({ text: safeText(path) }))]
    : []),
  ...heading(`Files (${files.length}, +${sum(files.map((file) => file.added))} −${sum(files.map((file) => file.removed))})`),
  ...files.map((file) => ({ text: ours(`${`+${file.added ?? '·'}`.padStart(6)} ${`−${file.removed ?? '·'}`.padEnd(6)} ${safeText(file.path)}`) })),
  ...heading('Diff'),
  ...(state.diff!.lines.length === 0 ? [{ text: ours('nothing differs'), dim: true }] : []),
]

const diffLooks: readonly (readonly [RegExp, Omit<Line, 'text'>])[] = [
  [/^(?:diff |index |--- |\+\+\+ |new file|deleted file|rename |similarity )/, { bold: true }],
  [/^@@/, { colour: 'cyan' }],
  [/^\+/, { colour: 'green' }],
  [/^-/, { colour: 'red' }],
]

const diffLine = (raw: string): Line => ({ text: safeLine(raw), ...diffLooks.find(([pattern]) => pattern.test(raw))?.[1] })

const short = (oid: string): string => oid.slice(0, 8)

const sum = (numbers: readonly (number | null)[]): number => numbers.reduce<number>((all, n) => all + (n ?? 0), 0)
