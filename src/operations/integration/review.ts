import { z } from 'zod'
import type { Review } from '../../contracts/review.ts'
import type { Db } from '../../db/engine/db.ts'
import { changeIntegration, selectLatestIntegration } from '../../db/integrations.ts'
import { selectTasks, type TaskRow } from '../../db/tasks.ts'
import { integrationMachine } from '../../domain/integration/integration.ts'
import { Refusal } from '../../domain/rules/refusal.ts'
import { step } from '../../domain/rules/state-machine.ts'
import { claimsOf, type Finding } from '../../domain/task/claim-findings.ts'
import { findActiveWorktree, findTask } from '../perform/find.ts'
import { operation } from '../perform/operation.ts'
import { lazyStrictObject, text, worktreeName } from '../perform/schemas.ts'
import { addTask } from '../tasks/create.ts'
import { heldOf } from '../tasks/held-tasks.ts'
import { taskView, viewTasks } from '../views/tasks.ts'
import { type IntegrationView, viewWorktrees, worktreeView } from '../views/worktrees.ts'

// The review of a worktree: findings that compare claims with facts, and requested changes.

/** A comment on a line of a diff, on a whole file if it names no line, or on everything if it names no file. */
const reviewComment = lazyStrictObject(() => ({
  path: text(4000).nullable().default(null),
  /** Number of the line, in the old file or in the new one. */
  line: z.int().min(0).nullable().default(null),
  side: z.enum(['old', 'new']).default('new'),
  /** The surrounding lines of the diff, as shown. */
  quote: z.array(text(500)).max(40).default([]),
  text: text(10_000).trim().min(1, 'the comment is empty'),
}))
export type ReviewComment = z.input<ReturnType<typeof reviewComment>>

export const requestChanges = operation({
  name: 'request_changes',
  summary: 'Send the comments of a review as one task for the same worktree; its integration is rejected',
  access: 'write',
  authority: 'person',
  grave: true,
  input: () =>
    z.strictObject({
      worktreeName,
      comments: z.array(reviewComment()).min(1, 'there are no comments to send').max(500),
    }),
  /** `held`: why no agent can take the task now. */
  output: () => z.object({ worktree: worktreeView(), task: taskView(), held: z.string().nullable() }),
  run: async (context, { worktreeName, comments }) => {
    const { db, now } = context
    const worktree = await findActiveWorktree(db, worktreeName)
    const last = await lastTask(db, worktree.name)
    const counted = comments.length === 1 ? '1 comment' : `${comments.length} comments`
    const id = await addTask(context, {
      title: `Review of ${worktree.name}: ${counted}`,
      description: descriptionOf(worktree.branch_name, comments),
      personaId: last?.persona_id ?? 'implementer',
      priority: last?.priority ?? 0,
      dependencies: [],
      targetWorktree: worktree.name,
      acceptanceCriteria: comments.map((comment) => criterionOf(comment)).slice(0, 200),
      ...(last === undefined ? {} : { parentTaskId: last.id }),
      ...(last?.context_ref ? { contextRef: last.context_ref } : {}),
    })
    const open = await selectLatestIntegration(db, worktree.name)
    const rejected = open && step(integrationMachine, 'reject', open.status)
    if (
      rejected &&
      !(await changeIntegration(db, open.id, open.status, {
        status: rejected,
        problem: `${counted} in review: task ${id}`,
        ended_at: now,
      }))
    )
      throw new Refusal('invalid_state', `The integration of ${worktree.name} has just changed. Review it again.`)
    const row = await findTask(db, id)
    const [held] = await heldOf(context, [row])
    return {
      worktree: (await viewWorktrees(db, [worktree]))[0]!,
      task: (await viewTasks(db, [row]))[0]!,
      held: held?.why ?? null,
    }
  },
  subject: ({ worktree, task }) => ({
    worktree: worktree.name,
    taskId: task.id,
    details: { comments: task.acceptanceCriteria.length },
  }),
})

/** Personas that review others' work; comments on the work are not for them. */
const lookers: ReadonlySet<string> = new Set(['reviewer', 'tester', 'planner'])

/** The most recent tasks of a worktree that are searched for the implementer's. */
const LATEST = 100

/**
 * The newest ended task of the worktree with a result: the implementer is asked again, not a later reviewer or tester.
 * If there is no other, the newest of all.
 */
const lastTask = async (db: Db, worktree: string): Promise<TaskRow | undefined> => {
  const ended = await selectTasks(db, { worktree, statuses: ['completed', 'failed'], order: 'newest', limit: LATEST })
  return ended.find(({ persona_id }) => !lookers.has(persona_id)) ?? ended[0]
}

type Comment = z.output<ReturnType<typeof reviewComment>>

/** The description for the agent: each comment with its place and the lines it refers to. */
const descriptionOf = (branch: string, comments: readonly Comment[]): string =>
  [
    `A person read the diff of branch ${branch} and requests changes. Make all of them on this branch, then complete this task; the branch is reviewed again.`,
    ...comments.map((comment, n) =>
      [`${n + 1}. ${placeOf(comment)}`, ...fenced(comment.quote), comment.text].join('\n\n'),
    ),
  ].join('\n\n')

const placeOf = ({ path, line, side }: Comment): string =>
  path === null
    ? 'The whole change'
    : line === null
      ? path
      : `${path}:${line}${side === 'old' ? ' (a line that the branch removes)' : ''}`

/** Lines of a diff in a code fence longer than any in them. */
const fenced = (quote: readonly string[]): readonly string[] => {
  if (quote.length === 0) return []
  const longest = Math.max(2, ...quote.flatMap((line) => [...line.matchAll(/`+/g)].map(([run]) => run.length)))
  const fence = '`'.repeat(longest + 1)
  return [[`${fence}diff`, ...quote, fence].join('\n')]
}

const criterionOf = (comment: Comment): string => {
  const words = comment.text.replace(/\s+/g, ' ')
  return `${comment.path === null ? '' : `${comment.path}${comment.line === null ? '' : `:${comment.line}`}: `}${words.length > 300 ? `${words.slice(0, 299)}…` : words}`
}

/** Compares the claims about the work with the known facts. */
export const findingsOf = (
  { tasks, files, uncommitted }: Review,
  integration: IntegrationView | null,
): readonly Finding[] =>
  claimsOf(tasks, {
    verification: integration?.verification ?? null,
    paths: files.flatMap(({ path, from }) => [path, ...(from === null ? [] : [from])]),
    uncommitted,
  })

/** Total lines of all files whose lines are known. */
export const totalsOf = ({
  files,
}: Pick<Review, 'files'>): { readonly files: number; readonly added: number; readonly removed: number } => ({
  files: files.length,
  added: files.reduce((sum, file) => sum + (file.added ?? 0), 0),
  removed: files.reduce((sum, file) => sum + (file.removed ?? 0), 0),
})
