import type { Machine } from '../rules/state-machine.ts'

export const integrationStates = [
  'requested',
  'conflicted',
  'verifying',
  'unverified',
  'ready',
  'approved',
  'moving',
  'integrated',
  'rejected',
] as const
export type IntegrationState = (typeof integrationStates)[number]

export type IntegrationVerb =
  'refresh' | 'conflict' | 'verify' | 'unverify' | 'pass' | 'approve' | 'move' | 'hold' | 'land' | 'reject'

/**
 * `refresh` computes the candidate again after a commit has moved and voids an approval; `hold` sends a move that the
 * target refused back to the person.
 */
export const integrationMachine: Machine<IntegrationState, IntegrationVerb> = {
  refresh: {
    from: ['requested', 'conflicted', 'verifying', 'unverified', 'ready', 'approved', 'moving'],
    to: 'requested',
  },
  conflict: { from: ['requested'], to: 'conflicted' },
  verify: { from: ['requested'], to: 'verifying' },
  unverify: { from: ['verifying', 'approved'], to: 'unverified' },
  pass: { from: ['verifying'], to: 'ready' },
  approve: { from: ['ready'], to: 'approved' },
  move: { from: ['approved'], to: 'moving' },
  hold: { from: ['approved', 'moving'], to: 'ready' },
  land: { from: ['moving'], to: 'integrated' },
  reject: { from: ['requested', 'conflicted', 'verifying', 'unverified', 'ready'], to: 'rejected' },
}

/** The object of an approval: three commits, and the verification of the last; null if the target requires none. */
export interface Candidate {
  readonly targetOid: string
  readonly branchOid: string
  readonly mergeOid: string
  readonly verificationId: number | null
}

/** The reason why an integration cannot be approved now. */
export const whyNotApprove = (worktree: string, status: IntegrationState | undefined): string | undefined => {
  switch (status) {
    case 'ready':
      return undefined
    case undefined:
      return `The integration of ${worktree} was not requested. 'aiswarm worktree request ${worktree}' requests it.`
    case 'requested':
    case 'verifying':
      return `The merge of ${worktree} is still in progress. Approve it when it is ready.`
    case 'conflicted':
      return `${worktree} conflicts with its target. Resolve it on the branch, then request the integration again.`
    case 'unverified':
      return `The verification of ${worktree} failed. Fix it on the branch, then request the integration again.`
    case 'approved':
    case 'moving':
      return `The integration of ${worktree} is already approved.`
    case 'integrated':
      return `${worktree} is already integrated.`
    case 'rejected':
      return `The integration of ${worktree} was rejected. Request it again first.`
  }
}
