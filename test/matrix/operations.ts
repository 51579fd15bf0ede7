import { isRefusal } from '../../src/domain/rules/refusal.ts'
import { checkGuard } from '../../src/effects/guard/guard.ts'
import { approveIntegration, rejectIntegration, undoIntegration } from '../../src/operations/integration/decisions.ts'
import { createWorktree } from '../../src/operations/worktrees/create.ts'
import { discardWorktree } from '../../src/operations/worktrees/discard.ts'
import { act } from '../../src/operations/perform/perform.ts'
import type { IntegrationView } from '../../src/operations/views/worktrees.ts'
import { requestIntegration } from '../../src/operations/integration/request.ts'
import { restoreWorktree } from '../../src/operations/worktrees/restore.ts'
import type { Swarm } from '../effects/swarm.ts'
import type { OperationName, Shape } from './shapes.ts'
import type { Stage } from './stages.ts'

/** The outcome of an operation: a word, and the sentence for a person if it did not succeed. */
export interface Outcome {
  readonly came: string
  readonly sentence: string | null
  /** The merge that was approved, if any. */
  readonly merge?: { readonly targetOid: string; readonly branchOid: string; readonly mergeOid: string }
}

export interface MatrixOperation {
  /** The stage at which the shape is applied. */
  readonly stage: Stage
  /** The outcome if nothing is in the way. */
  readonly done: string
  /** True if its success removes the worktree. */
  readonly takes?: boolean
  /** The shapes that can matter to it, if not all do. */
  readonly concerns?: (shape: Shape) => boolean
  readonly run: (swarm: Swarm) => Promise<Outcome>
}

export const operations = {
  create: {
    stage: 'working',
    done: 'ready',
    run: async ({ connection, world }) => {
      const trusted = await checkGuard(world)
      const { folder } = await act(connection, createWorktree, { name: 'pay', branchName: 'feature/pay' })
      // A person need not check what aiswarm did itself.
      return said(trusted && !(await checkGuard(world)) ? 'distrusted' : folder)
    },
  },
  request: { stage: 'working', done: 'ready', run: (swarm) => request(swarm) },
  land: {
    stage: 'working',
    done: 'integrated',
    takes: true,
    run: async (swarm) => {
      const asked = await request(swarm)
      return asked.came === 'ready' ? approve(swarm) : asked
    },
  },
  /** Approved as shown, although the shape was applied in between. */
  late: {
    stage: 'requested',
    done: 'integrated',
    takes: true,
    concerns: ({ expects }) => expects?.late !== undefined,
    run: (swarm) => approve(swarm),
  },
  reject: {
    stage: 'requested',
    done: 'rejected',
    run: async ({ connection }) =>
      said(
        (await act(connection, rejectIntegration, { worktreeName: 'auth', reason: 'no tests' })).integration!.status,
      ),
  },
  discard: {
    stage: 'working',
    done: 'discarded',
    takes: true,
    concerns: ({ ofWorktree }) => ofWorktree !== true,
    run: async ({ connection }) =>
      said((await act(connection, discardWorktree, { worktreeName: 'auth', reason: 'not needed' })).status),
  },
  /** Discarded and then restored as it was. */
  restore: {
    stage: 'working',
    done: 'restored',
    concerns: ({ ofWorktree, script }) => ofWorktree === true || script === 'true',
    run: async ({ connection }) => {
      await act(connection, discardWorktree, { worktreeName: 'auth', reason: 'not needed' })
      const { folder } = await act(connection, restoreWorktree, { worktreeName: 'auth' })
      return said(folder === 'ready' ? 'restored' : folder)
    },
  },
  undo: {
    stage: 'landed',
    done: 'ready',
    run: async ({ connection }) => said((await act(connection, undoIntegration, {})).folder),
  },
  look: {
    stage: 'working',
    done: 'seen',
    run: async ({ connection, worktree }) => {
      const seen = await connection.outside.observeWorktrees()
      await connection.outside.measureWorktrees()
      await connection.outside.radar()
      return said(seen.length > 0 || (await worktree('auth')).folder === 'ready' ? 'seen' : 'nothing')
    },
  },
  diff: {
    stage: 'working',
    done: 'shown',
    run: async ({ connection }) => {
      await connection.outside.reviewWorktree('auth')
      return said('shown')
    },
  },
} as const satisfies Readonly<Record<OperationName, MatrixOperation>>

const said = (came: string, sentence: string | null = null): Outcome => ({ came, sentence })

const request = async (swarm: Swarm): Promise<Outcome> =>
  standing((await act(swarm.connection, requestIntegration, { worktreeName: 'auth' })).integration!)

/** Approves exactly what is shown. A merged branch counts as merged, even if its folder must stay. */
const approve = async (swarm: Swarm): Promise<Outcome> => {
  const { targetOid, branchOid, mergeOid, verification } = (await swarm.worktree('auth')).integration!
  const merge = { targetOid: targetOid!, branchOid: branchOid!, mergeOid: mergeOid! }
  try {
    const { integration } = await act(swarm.connection, approveIntegration, {
      worktreeName: 'auth',
      ...merge,
      verificationId: verification?.id ?? null,
    })
    return { ...standing(integration!), merge }
  } catch (error) {
    const integration = (await swarm.worktree('auth')).integration!
    // A ref moved, which is reported, and another merge waits for its own approval.
    if (isRefusal(error) && error.code === 'approval_void')
      return integration.status === 'ready' ? said('made anew', error.message) : standing(integration)
    if (!isRefusal(error) || error.code === 'database_moved' || integration.status !== 'integrated') throw error
    return { came: `integrated, ${error.code}`, sentence: error.message, merge }
  }
}

const standing = ({ status, problem, conflicts }: IntegrationView): Outcome => {
  return said(status, problem ?? (conflicts.length > 0 ? `It conflicts in ${conflicts.join(', ')}.` : null))
}

/** Runs the operation; a refusal is an outcome, and any other exception is a bug. */
export const outcomeOf = async ({ run }: MatrixOperation, swarm: Swarm): Promise<Outcome> => {
  try {
    return await run(swarm)
  } catch (error) {
    if (isRefusal(error)) return said(`refused ${error.code}`, error.message)
    throw error
  }
}

/** A person who is refused reads one sentence, without an internal error in it. */
export const isSentence = (text: string): boolean =>
  !text.includes('\n') && text.length < 1000 && /[.!?]$/.test(text) && !/undefined|\[object|TypeError|ENOENT/.test(text)
